/** Finds the player that this browser can have. What only the second choice needs is loaded only then. */
import { Player, type PlayerListener, type VideoPlayer } from './player.js'

type PlayerKind = new (canvas: HTMLCanvasElement, listener: PlayerListener) => VideoPlayer

/** Null: it plays no video that comes over a socket. */
export async function choosePlayer(): Promise<PlayerKind | null> {
  if (Player.isSupported) return Player
  const { MsePlayer } = await import('./mse-player.js')
  return MsePlayer.isSupported ? MsePlayer : null
}
