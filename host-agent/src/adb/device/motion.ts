/**
 * The times at which the screen of a phone was drawn, as far as its video shows them. Times are in milliseconds on the
 * clock of `ownNow`.
 */
import type { Progress } from '@phonerack/shared'

export interface Drawings {
  /** The time since which every drawing is known. */
  knownSince: number
  /** The last drawing that changed the screen; -Infinity when there is none since `knownSince`. */
  drawnAt: number
}

export interface Motion {
  /** Keeps the signal for the next minute, because an agent acts on the phone. Does not wait. */
  act(): void
  /** Returns the known drawings; null while the video starts, has ended, or is not needed. */
  read(): Drawings | null
  /** Waits `ms`, or until the next drawing or the end of the signal. Throws when `progress` ends. */
  next(ms: number, progress: Progress, what: string): Promise<void>
  /** Starts the video again. Called when the screen changed and the signal did not show the change. */
  distrust(): void
}

/**
 * A frame stands for all drawings of this many milliseconds after it, since the encoder drops further
 * drawings to stay within its rate. The time is longer than the interval of the motion video
 * (`motionOptions` of `capture/video-socket.ts`), so that a moving screen never counts as still.
 */
export const stillMs = 80
