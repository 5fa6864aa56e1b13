/**
 * `/appium/gestures/*` and `/actions`. An element's gesture keeps a distance of a tenth from the element's
 * edges, like UiObject2.
 */
import type { ScreenRect } from '../android/accessibility.js'
import { performActions } from './actions.js'
import { areaIn, directionIn, elementIdIn, needed, numberIn, objectIn, pointIn } from './body.js'
import type { Command } from './element-commands.js'
import { invalidArgument, noSuchElement } from './errors.js'
import { locatorOf } from './find.js'
import type { Point } from './gestures.js'
import type { Call } from './routes.js'
import type { Screen } from './screen.js'
import { centerOf } from './tree.js'

const marginPart = 0.1

function inner({ left, top, right, bottom }: ScreenRect): ScreenRect {
  const [x, y] = [Math.trunc((right - left) * marginPart), Math.trunc((bottom - top) * marginPart)]
  return { left: left + x, top: top + y, right: right - x, bottom: bottom - y }
}

/** Returns the element's bounds without the margin, or null when the body does not name an element. */
async function originOf(screen: Screen, { body }: Call): Promise<ScreenRect | null> {
  const id = elementIdIn(body['origin'])
  if (id !== null) return screen.element(id).info.bounds
  const locator = objectIn(body, 'locator')
  if (locator === null) return null
  const [node] = await screen.find(locatorOf(locator), true)
  if (node === undefined) throw noSuchElement()
  return node.info.bounds
}

/**
 * Returns the point to press: the element's centre, or `offset` from its corner or from the screen's corner.
 */
async function placeOf(screen: Screen, call: Call, gesture: string): Promise<Point> {
  const bounds = await originOf(screen, call)
  const offset = pointIn(call.body, 'offset')
  if (bounds === null && offset === null)
    throw invalidArgument(`${gesture} offset coordinates must be provided if element is not set`)
  if (bounds === null) return offset ?? { x: 0, y: 0 }
  return offset === null ? centerOf(bounds) : { x: bounds.left + offset.x, y: bounds.top + offset.y }
}

async function areaOf(screen: Screen, call: Call, gesture: string): Promise<ScreenRect> {
  const bounds = await originOf(screen, call)
  if (bounds !== null) return inner(bounds)
  const area = areaIn(call.body)
  if (area === null)
    throw invalidArgument(`The ${gesture} area coordinates must be provided if element is not set`)
  return area
}

const percentOf = ({ body }: Call): number => needed(numberIn(body, 'percent'), 'percent')
const speedOf = ({ body }: Call): number | null => numberIn(body, 'speed')

const pinch =
  (way: 'open' | 'close'): Command =>
  async (screen, call) => {
    await screen.gestures.pinch(await areaOf(screen, call, 'pinch'), percentOf(call), speedOf(call), way)
    return null
  }

const gestures = '/session/:sessionId/appium/gestures'

export const gestureCommands: Readonly<Record<string, Command>> = {
  'POST /session/:sessionId/actions': async (screen, call) => {
    await performActions(screen, call.body)
    return null
  },
  [`POST ${gestures}/click`]: async (screen, call) => {
    await screen.gestures.tap(await placeOf(screen, call, 'Click'))
    return null
  },
  [`POST ${gestures}/double_click`]: async (screen, call) => {
    await screen.gestures.doubleTap(await placeOf(screen, call, 'Double click'))
    return null
  },
  [`POST ${gestures}/long_click`]: async (screen, call) => {
    const place = await placeOf(screen, call, 'Long click')
    await screen.gestures.longPress(place, numberIn(call.body, 'duration'))
    return null
  },
  [`POST ${gestures}/drag`]: async (screen, call) => {
    const bounds = await originOf(screen, call)
    const start = pointIn(call.body, 'start')
    const end = needed(pointIn(call.body, 'end'), 'end')
    if (bounds === null && start === null)
      throw invalidArgument('The starting point coordinates must be provided if element is not set')
    const corner = bounds === null ? { x: 0, y: 0 } : { x: bounds.left, y: bounds.top }
    const from =
      start === null
        ? bounds === null
          ? corner
          : centerOf(bounds)
        : { x: corner.x + start.x, y: corner.y + start.y }
    await screen.gestures.drag(from, end, speedOf(call))
    return null
  },
  [`POST ${gestures}/swipe`]: async (screen, call) => {
    const area = await areaOf(screen, call, 'swipe')
    await screen.gestures.swipe(area, directionIn(call.body, 'Swipe'), percentOf(call), speedOf(call))
    return null
  },
  [`POST ${gestures}/scroll`]: async (screen, call) => {
    const area = await areaOf(screen, call, 'scroll')
    return screen.gestures.scroll(area, directionIn(call.body, 'Scroll'), percentOf(call), speedOf(call))
  },
  [`POST ${gestures}/fling`]: async (screen, call) => {
    const area = await areaOf(screen, call, 'fling')
    return screen.gestures.fling(area, directionIn(call.body, 'Fling'), speedOf(call))
  },
  [`POST ${gestures}/pinch_open`]: pinch('open'),
  [`POST ${gestures}/pinch_close`]: pinch('close'),
}
