/**
 * The enrolment's check of `motion`: the agent counts the drawings of a still screen, and causes one, which the video must show.
 * Without this proof, looks wait fixed times.
 */
import { ownNow, type Progress } from '@phonerack/shared'
import type { Motion } from '../../adb/device/motion.js'
import type { Notifications } from '../../adb/device/reports.js'

/** Milliseconds. `still`: the time without a drawing for which the check waits, for at most `most`. */
const times = { still: 500, most: 3000, drawing: 5000 }

/** Returns the times and the number of drawings. @throws when no signal comes, or it does not show the panel of notifications */
export async function proveMotion(
  motion: Motion,
  panel: Pick<Notifications, 'expand' | 'collapse'>,
  progress: Progress,
): Promise<string> {
  await panel.collapse(progress)
  const askedAt = ownNow()
  motion.act()
  while (motion.read() === null) {
    if (progress.expired) throw new Error('no signal came')
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
      if (left <= 0) throw new Error('the signal did not show that the panel of notifications opened')
      await motion.next(left, progress, 'the panel of notifications')
    }
  } finally {
    await panel.collapse(progress)
  }
  const [started, watched, drawn] = [signalAt - askedAt, openedAt - signalAt, ownNow() - openedAt].map(
    Math.round,
  )
  return `a signal after ${started} ms, ${drawings} drawings in ${watched} ms, and one ${drawn} ms after the panel was opened`
}
