/**
 * Chooses the player that this browser supports. The fallback's modules are loaded only when
 * needed.
 */
import { Player, type PlayerListener, type VideoPlayer } from './player.js'

type PlayerKind = new (canvas: HTMLCanvasElement, listener: PlayerListener) => VideoPlayer

/** Returns a player; null when the browser cannot play video from a socket. */
export async function choosePlayer(): Promise<PlayerKind | null> {
  if (Player.isSupported) return Player
  const { MsePlayer } = await import('./mse-player.js')
  return MsePlayer.isSupported ? MsePlayer : null
}
