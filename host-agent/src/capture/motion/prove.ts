/**
 * The enrolment's check of `motion`. The agent counts the drawings of a still screen, then opens the notification
 * shade, and the video must show this drawing. Without this proof, looks wait fixed times.
 */
import { ownNow, type Progress } from '@phonerack/shared'
import type { Motion } from '../../adb/device/motion.js'
import type { Notifications } from '../../adb/device/reports.js'

/** Milliseconds. `still`: the time without a drawing for which the check waits, for at most `most`. */
const times = { still: 500, most: 3000, drawing: 5000 }

/**
 * Returns a description with the times and the number of drawings. @throws Error when no signal comes, or when the
 * signal does not show that the notification shade opened
 */
export async function proveMotion(
  motion: Motion,
  panel: Pick<Notifications, 'expand' | 'collapse'>,
  progress: Progress,
): Promise<string> {
  await panel.collapse(progress)
  const askedAt = ownNow()
  motion.act()
  while (motion.read() === null) {
    if (progress.expired) throw new Error('the signal of drawings did not start')
    await motion.next(progress.remaining, progress, 'the signal of drawings')
  }
  const signalAt = ownNow()
  let drawings = 0
  for (let stillSince = signalAt; ownNow() < signalAt + times.most;) {
    const left = stillSince + times.still - ownNow()
    if (left <= 0) break
    const before = motion.read()?.drawnAt
    await motion.next(left, progress, 'a still screen')
    if (motion.read()?.drawnAt === before) continue
    drawings += 1
    stillSince = ownNow()
  }
  const openedAt = ownNow()
  try {
    await panel.expand(progress)
    while ((motion.read()?.drawnAt ?? -Infinity) <= openedAt) {
      const left = openedAt + times.drawing - ownNow()
      if (left <= 0) throw new Error('the signal of drawings did not show that the notification shade opened')
      await motion.next(left, progress, 'the notification shade')
    }
  } finally {
    await panel.collapse(progress)
  }
  const [started, watched, drawn] = [signalAt - askedAt, openedAt - signalAt, ownNow() - openedAt].map(
    Math.round,
  )
  return `a signal after ${started} ms, ${drawings} drawings in ${watched} ms, and the notification shade drawn ${drawn} ms after it was opened`
}
