/**
 * Touch and keys through scrcpy's control socket: no process is started for an
 * action, and messages that belong together leave together, so that a slow
 * network makes no long press out of a tap.
 */
import { Progress } from '@phonerack/shared'
import type { Input, Point, Size, Stroke } from '../device/device.js'
import type { ControlSocket } from './control-socket.js'
import type { ScrcpyKeeper } from './keeper.js'
import { keyMessage, touchMessage, type TouchAction } from './messages.js'

interface TouchEvent {
  atMs: number
  pointerId: number
  action: TouchAction
  point: Point
}

/** Milliseconds: a finger that rests no longer than this is a tap. */
const tapMs = 50

const samePlace = (a: Point, b: Point): boolean => a.x === b.x && a.y === b.y

/**
 * What the fingers do, in order of time. A tap's down and up leave together, as Android's own `input tap`
 * does: a network that stutters in between would make a long press of it. A finger that rests sends no
 * moves, which some web pages take for the begin of a swipe.
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
      )
    },
  }
}

/** The size does not matter without a video: the server takes points as they are. */
const anySize: Size = { width: 0xffff, height: 0xffff }

/** Milliseconds: what is shorter ends before the death of the server would be seen. */
const shortPauseMs = 100

/** Waits; less when the server dies meanwhile, so that a long press does not rest on a phone that is gone. */
async function pause(control: ControlSocket, ms: number, progress: Progress): Promise<void> {
  if (ms < shortPauseMs) return progress.sleep(ms, 'gesture')
  const either = Progress.for(Math.min(progress.remaining, ms + shortPauseMs), progress.signal, control.lost)
  try {
    await either.sleep(ms, 'gesture')
  } catch (error) {
    // What is sent next says that nobody takes it.
    if (!control.lost.aborted) throw error
  }
}

/** Sends each event at its time. However it ends, every finger that is down goes up. */
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
      for (let event = events[index]; event && event.atMs <= due; event = events[++index]) {
        messages.push(touchMessage(event.action, event.pointerId, event.point, anySize))
        if (event.action === 'up') down.delete(event.pointerId)
        else down.set(event.pointerId, event.point)
      }
      await control.send(Buffer.concat(messages))
    }
  } catch (error) {
    if (down.size > 0 && !control.closed) {
      await control.send(
        Buffer.concat([...down].map(([id, point]) => touchMessage('up', id, point, anySize))),
      )
    }
    throw error
  }
}
