/**
 * Touch and keys through scrcpy's control socket: an action starts no process, and
 * related messages are sent together, so that a slow network does not turn a tap into a
 * long press.
 */
import { Progress } from '@phonerack/shared'
import type { Input, Point, Size, Stroke } from '../../adb/device/device.js'
import type { ControlSocket } from './control-socket.js'
import type { ScrcpyKeeper } from './keeper.js'
import { keyMessage, touchMessage, type TouchAction } from './messages.js'

interface TouchEvent {
  atMs: number
  pointerId: number
  action: TouchAction
  point: Point
}

/** Milliseconds: a shorter press is a tap. */
const tapMs = 50

const samePlace = (a: Point, b: Point): boolean => a.x === b.x && a.y === b.y

/**
 * Returns the strokes as touch events in order of time. A tap's down and up are sent together, as by Android's own
 * `input tap`, because network jitter between the two events would make a long press. A resting finger sends no moves,
 * since some web pages take moves for the start of a swipe.
 */
export function touchEvents(strokes: readonly Stroke[]): TouchEvent[] {
  const events: TouchEvent[] = []
  strokes.forEach(({ points }, pointerId) => {
    const first = points[0]
    const last = points.at(-1)
    if (!first || !last) return
    events.push({ atMs: first.atMs, pointerId, action: 'down', point: first })
    let before: Point = first
    for (const point of points.slice(1)) {
      if (!samePlace(point, before)) events.push({ atMs: point.atMs, pointerId, action: 'move', point })
      before = point
    }
    const isTap = last.atMs - first.atMs <= tapMs && points.every((point) => samePlace(point, first))
    events.push({ atMs: isTap ? first.atMs : last.atMs, pointerId, action: 'up', point: last })
  })
  return events
    .map((event, index) => ({ event, index }))
    .toSorted((a, b) => a.event.atMs - b.event.atMs || a.index - b.index)
    .map(({ event }) => event)
}

export function createScrcpyInput(keeper: ScrcpyKeeper): Input {
  return {
    async gesture(strokes, progress) {
      const control = await keeper.socket(progress)
      await play(control, touchEvents(strokes), progress)
    },
    async key(keyCode, metaState, progress) {
      const control = await keeper.socket(progress)
      await control.send(
        Buffer.concat([keyMessage('down', keyCode, metaState), keyMessage('up', keyCode, metaState)]),
        progress,
      )
    },
  }
}

/** The size is ignored without a video: the server uses points unchanged. */
const anySize: Size = { width: 0xffff, height: 0xffff }

/** Milliseconds in which fingers are lifted after the caller's deadline. */
const liftMs = 1000

/** Milliseconds. A shorter pause ends before the agent would notice that the server died. */
const shortPauseMs = 100

/**
 * Waits; returns early when the server dies, so that a long press does not wait for a
 * phone that is gone.
 */
async function pause(control: ControlSocket, ms: number, progress: Progress): Promise<void> {
  if (ms < shortPauseMs) return progress.sleep(ms, 'gesture')
  const either = Progress.for(Math.min(progress.remaining, ms + shortPauseMs), progress.signal, control.lost)
  try {
    await either.sleep(ms, 'gesture')
  } catch (error) {
    // The next send reports the dead server.
    if (!control.lost.aborted) throw error
  }
}

/** Sends each event at its time. On every exit, each finger that is down is lifted. */
async function play(
  control: ControlSocket,
  events: readonly TouchEvent[],
  progress: Progress,
): Promise<void> {
  const start = performance.now()
  const down = new Map<number, Point>()
  try {
    for (let index = 0; index < events.length;) {
      const due = events[index]?.atMs ?? 0
      const wait = due - (performance.now() - start)
      if (wait > 0.5) await pause(control, wait, progress)
      progress.check('gesture')
      const messages: Buffer[] = []
      const lifted = new Set<number>()
      for (let event = events[index]; event && event.atMs <= due; event = events[++index]) {
        messages.push(touchMessage(event.action, event.pointerId, event.point, anySize))
        if (event.action === 'up') lifted.add(event.pointerId)
        else lifted.delete(event.pointerId)
        down.set(event.pointerId, event.point)
      }
      await control.send(Buffer.concat(messages), progress)
      for (const pointer of lifted) down.delete(pointer)
    }
  } catch (error) {
    if (down.size > 0 && !control.closed) {
      await control.send(
        Buffer.concat([...down].map(([id, point]) => touchMessage('up', id, point, anySize))),
        Progress.for(liftMs),
      )
    }
    throw error
  }
}
