/** For tests: a short film, and a capture that a test feeds with the film. */
import { type Progress, pause } from '@phonerack/shared'
import type { Capture, CaptureListener } from '../adb/device/capture.js'
import { makeFilm as make, type Film } from './soak/film.js'

export type { Film }

/** Makes `frames` distinct pictures, ten a second. */
export const makeFilm = (width: number, height: number, frames: number): Promise<Film> =>
  make({ width, height, frames, rate: 10 })

/** A capture whose video the test provides. */
export class FilmCapture implements Capture {
  readonly listeners = new Set<CaptureListener>()
  constructor(private readonly onSubscribe: (listener: CaptureListener) => void) {}

  subscribe(listener: CaptureListener) {
    this.listeners.add(listener)
    this.onSubscribe(listener)
    return Promise.resolve({
      requestKeyFrame: () => undefined,
      close: () => void this.listeners.delete(listener),
    })
  }

  standBy = (within: Progress): Promise<void> => pause(within.remaining, within.signal)
}
