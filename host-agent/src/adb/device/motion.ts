/**
 * When the screen of a phone was drawn, as far as its video shows it. Times are in milliseconds on the clock of `ownNow`.
 */
import type { Progress } from '@phonerack/shared'

export interface Drawings {
  /** From then on, each drawing is known. */
  knownSince: number
  /** The last drawing that changed the screen; -Infinity: none since `knownSince`. */
  drawnAt: number
}

export interface Motion {
  /** An agent acts on the phone: the signal is kept for the next minute. Does not wait. */
  act(): void
  /** Null while nothing is known: the video starts, has ended, or is not wanted. */
  read(): Drawings | null
  /** Waits `ms`, or until the next drawing or the end of the signal. Throws when `progress` ends. */
  next(ms: number, progress: Progress, what: string): Promise<void>
  /** The screen changed and the signal did not show it: the video starts again. */
  distrust(): void
}

/**
 * A frame stands for all drawings of this many milliseconds after it: the encoder drops the others to stay within its rate.
 * Longer than the interval of the motion video (`motion/source.ts`), so that a moving screen never counts as still.
 */
export const stillMs = 80
