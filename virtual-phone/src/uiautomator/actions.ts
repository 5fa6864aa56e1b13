/** W3C actions: pointers and keys on one time line. Rules and refusals: server 10.6, `utils/w3c`. */
import { isObject, numberIn, elementIdIn } from './body.js'
import { ServerError } from './errors.js'
import type { Point } from './gestures.js'
import type { Screen } from './screen.js'
import type { JsonObject } from './session.js'
import { keyCodeOf, metaOf } from './w3c-keys.js'

/** The server's minimum interval between two events. */
const stepMs = 20

interface Event {
  atMs: number
  run: () => void
}

/** @throws ServerError for an invalid chain, before any of its events */
export async function performActions(screen: Screen, body: JsonObject): Promise<void> {
  const sources = body['actions']
  if (!Array.isArray(sources)) throw refused("'actions' must be an array")
  const events: Event[] = []
  const ids = new Set<string>()
  let fingers = 0
  for (const source of sources) {
    const { id, type, items } = readSource(source)
    if (ids.has(id)) throw refused(`The action id '${id}' has one one or more duplicates`)
    ids.add(id)
    if (type === 'pointer') events.push(...pointerEvents(screen, id, items, fingers++))
    else if (type === 'key') events.push(...keyEvents(screen, id, items))
    else events.push(...pauses(id, items))
  }
  events.sort((a, b) => a.atMs - b.atMs)
  let now = 0
  for (const event of events) {
    if (event.atMs > now) await screen.gestures.wait(event.atMs - now)
    now = event.atMs
    event.run()
  }
}

function refused(message: string): ServerError {
  return new ServerError('invalid argument', message)
}

function readSource(source: unknown): { id: string; type: string; items: JsonObject[] } {
  if (!isObject(source) || typeof source['id'] !== 'string')
    throw refused('All actions must have the id key set')
  const { id, type, actions } = source
  if (type !== 'pointer' && type !== 'key' && type !== 'none')
    throw refused(
      `Only [pointer, key, none] values are supported for type key. '${String(type)}' is passed instead for action '${id}'`,
    )
  if (!Array.isArray(actions) || !actions.every(isObject))
    throw refused(`'${id}' action should contain at least one item`)
  return { id, type, items: actions }
}

/** Waits for the next event's time. */
function durationOf(id: string, item: JsonObject): number {
  const duration = numberIn(item, 'duration')
  const name = String(item['type'])
  if (duration === null)
    throw refused(`Missing duration key for action item '${name}' of action with id '${id}'`)
  if (duration < 0)
    throw refused(`duration key cannot be negative for action item '${name}' of action with id '${id}'`)
  return Math.ceil(duration / stepMs) * stepMs
}

function pauses(id: string, items: readonly JsonObject[]): Event[] {
  let atMs = 0
  return items.map((item) => {
    if (item['type'] !== 'pause') throw unexpected(id, item)
    return { atMs: (atMs += durationOf(id, item)), run: () => undefined }
  })
}

function unexpected(id: string, item: JsonObject): ServerError {
  return refused(`Unexpected action item '${String(item['type'])}' in action with id '${id}'`)
}

function pointerEvents(
  { android: { world }, ...rest }: ScreenParts,
  id: string,
  items: readonly JsonObject[],
  finger: number,
): Event[] {
  const events: Event[] = []
  let atMs = 0
  let at: Point | null = null
  let isDown = false
  const needPoint = (): Point => {
    if (at === null) throw refused(`The first item of the action '${id}' must only use absolute coordinates`)
    return at
  }
  for (const item of items) {
    if (item['type'] === 'pause') {
      atMs += durationOf(id, item)
      events.push({ atMs, run: () => undefined })
    } else if (item['type'] === 'pointerDown' || item['type'] === 'pointerUp') {
      const { x, y } = needPoint()
      const down = item['type'] === 'pointerDown'
      if (down && isDown)
        throw refused(
          `You cannot perform two or more 'pointerDown' actions without a pause between them at ${atMs}ms in '${id}' chain`,
        )
      isDown = down
      events.push({ atMs, run: () => world.touch(down ? 'down' : 'up', finger, x, y) })
    } else if (item['type'] === 'pointerMove') {
      const from: Point | null = at
      const to = targetOf(rest, id, item, from)
      const duration = item['duration'] === undefined ? 0 : durationOf(id, item)
      if (isDown && from !== null) {
        const steps = Math.max(1, duration / stepMs)
        for (let step = 1; step <= steps; step++) {
          const x = from.x + ((to.x - from.x) * step) / steps
          const y = from.y + ((to.y - from.y) * step) / steps
          events.push({
            atMs: atMs + (duration * step) / steps,
            run: () => world.touch('move', finger, x, y),
          })
        }
      }
      atMs += duration
      at = to
    } else if (item['type'] === 'pointerCancel') {
      const { x, y } = needPoint()
      isDown = false
      events.push({ atMs, run: () => world.touch('cancel', finger, x, y) })
    } else throw unexpected(id, item)
  }
  return events
}

type ScreenParts = Pick<Screen, 'android' | 'element'>

function targetOf(screen: Pick<Screen, 'element'>, id: string, item: JsonObject, from: Point | null): Point {
  const [x, y] = [numberIn(item, 'x'), numberIn(item, 'y')]
  const origin = item['origin'] ?? 'viewport'
  if (origin === 'viewport') {
    if (x === null || y === null)
      throw refused(`Both coordinates must be be set for action item 'pointerMove' of action '${id}'`)
    return { x, y }
  }
  if (origin === 'pointer') {
    if (from === null)
      throw refused(
        `Action item 'pointerMove' of action '${id}' should be preceded with at least one item containing absolute coordinates`,
      )
    return { x: from.x + (x ?? 0), y: from.y + (y ?? 0) }
  }
  const elementId = typeof origin === 'string' ? origin : elementIdIn(origin)
  if (elementId === null)
    throw refused(`An unknown element is set for action item 'pointerMove' of action '${id}'`)
  const { left, top, right, bottom } = screen.element(elementId).info.bounds
  return { x: (left + right) / 2 + (x ?? 0), y: (top + bottom) / 2 + (y ?? 0) }
}

function keyEvents(
  { android: { world } }: Pick<Screen, 'android'>,
  id: string,
  items: readonly JsonObject[],
): Event[] {
  const events: Event[] = []
  let atMs = 0
  let meta = 0
  for (const item of items) {
    if (item['type'] === 'pause') {
      atMs += durationOf(id, item)
      events.push({ atMs, run: () => undefined })
      continue
    }
    if (item['type'] !== 'keyDown' && item['type'] !== 'keyUp') throw unexpected(id, item)
    const value = item['value']
    if (typeof value !== 'string' || value === '')
      throw refused(`Missing value key for action item '${item['type']}' of action with id '${id}'`)
    const down = item['type'] === 'keyDown'
    const bit = metaOf(value)
    if (bit !== 0) {
      meta = down ? meta | bit : meta & ~bit
      continue
    }
    const key = keyCodeOf(value)
    const state = meta
    events.push({
      atMs,
      run: () => {
        if (key !== null) world.key(down ? 'down' : 'up', key, state)
        else if (down) world.commitText(String.fromCodePoint(value.codePointAt(0) ?? 0))
      },
    })
  }
  return events
}
