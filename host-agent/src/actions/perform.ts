/** The handlers of all action types. Called by `run-batch.ts`. */
import {
  ApiError,
  type Action,
  type ActionOf,
  type ActionResult,
  type ActionType,
  type ShellResult,
  type Target,
} from '@phonerack/shared'
import { intersect, wholeScreen, type Bounds } from '../screen/geometry.js'
import type { ActionContext } from './context.js'
import { doubleTap, drag, hold, pinch, swipe, tap } from './gestures.js'
import { closeApp, hideKeyboard, openApp, openUrl, withPackage } from './apps.js'
import { keyCode, metaState } from './keys.js'
import { scrollOnce, scrollTo } from './scrolling.js'
import { runShell } from './shell.js'
import type { Aim } from './target.js'
import { clear, type } from './typing.js'
import { waitFor, waitIdle } from './waiting.js'

type Resolved = NonNullable<ActionResult['resolved']>
/** Fields that an action adds to its successful result. */
export type Outcome = Pick<
  ActionResult,
  'resolved' | 'moved' | 'at_end' | 'activity' | 'app' | keyof ShellResult
>

type Handlers = {
  [T in ActionType]: (action: ActionOf<T>, context: ActionContext) => Promise<Outcome>
}

/** Wraps the handler of an action that adds no fields. */
const plain =
  <A>(work: (action: A, context: ActionContext) => Promise<void>) =>
  async (action: A, context: ActionContext): Promise<Outcome> => {
    await work(action, context)
    return {}
  }

const handlers: Handlers = {
  async tap(action, context) {
    const place = await context.resolve(action.target)
    await context.gesture([tap(place.touchPoint)])
    return { resolved: resolved(place) }
  },
  async double_tap(action, context) {
    const place = await resolveHeld(action.target, context)
    await tapTwice(place, context)
    return { resolved: resolved(place) }
  },
  async long_press(action, context) {
    const place = await resolveHeld(action.target, context)
    await context.gesture([hold(place.touchPoint, action.duration_ms)])
    return { resolved: resolved(place) }
  },
  type: plain(type),
  clear: plain(clear),
  key: plain((action, context) => context.key(keyCode(action.key), metaState(action.modifiers))),
  back: plain((_, context) => context.key(keyCode('back'), 0, 'navigation')),
  home: plain((_, context) => context.key(keyCode('home'), 0, 'navigation')),
  recents: plain((_, context) => context.key(keyCode('app_switch'), 0, 'navigation')),
  swipe: plain(async (action, context) => {
    const [from, to] = await ends(action, context)
    await context.gesture([swipe(from.center, to.center, action.duration_ms)])
  }),
  drag: plain(async (action, context) => {
    const [from, to] = await ends(action, context)
    await context.gesture([drag(from.touchPoint, to.center, action.hold_ms, action.duration_ms)])
  }),
  pinch: plain(async (action, context) => {
    const place = await context.resolve(action.target)
    await context.gesture(pinch(await areaOf(place, context), action.scale, action.duration_ms))
  }),
  scroll: scrollOnce,
  scroll_to: scrollTo,
  open_app: openApp,
  close_app: plain(closeApp),
  open_url: plain(openUrl),
  hide_keyboard: plain(hideKeyboard),
  wait: plain((action, context) => context.progress.sleep(action.ms)),
  wait_for: plain(waitFor),
  wait_idle: plain(waitIdle),
  shell: runShell,
}

/** Actions that touch the screen or read it in order to touch it. */
const touching: ReadonlySet<ActionType> = new Set<ActionType>([
  ...(['tap', 'double_tap', 'long_press', 'type', 'clear'] as const),
  ...(['swipe', 'drag', 'pinch', 'scroll', 'scroll_to'] as const),
])

export const touches = (action: Action): boolean => touching.has(action.type)

export async function perform<T extends ActionType>(
  action: ActionOf<T>,
  context: ActionContext,
): Promise<Outcome> {
  if (touching.has(action.type)) await context.requireScreenOn()
  const known = await withPackage(action, context)
  await context.guard?.allow(known, context)
  // The compiler cannot see that the table's entry under `action.type` accepts this
  // action.
  const handler = handlers[(known as Action).type] as Handlers[T]
  return handler(known, context)
}

function resolved({ touchPoint, ref, covered, node, element }: Aim): Resolved {
  const disabled = element ? element.state.includes('disabled') : node?.enabled === false
  return {
    center: [touchPoint.x, touchPoint.y],
    ...(ref === null ? {} : { ref }),
    ...(covered ? { covered: true as const } : {}),
    ...(disabled ? { disabled: true as const } : {}),
  }
}

/** Resolves the target of a touch that can be held. */
async function resolveHeld(target: Target, context: ActionContext): Promise<Aim> {
  const place = await context.resolve(target)
  await context.guard?.hold(place, context)
  return place
}

/**
 * Sends both taps as one gesture, which preserves their interval. A phone that supports only one finger gets two
 * gestures.
 */
async function tapTwice({ touchPoint }: Aim, context: ActionContext): Promise<void> {
  try {
    await context.gesture(doubleTap(touchPoint))
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'feature_unavailable')) throw error
    await context.gesture([tap(touchPoint)])
    await context.gesture([tap(touchPoint)])
  }
}

/** Resolves both targets before anything is sent. */
async function ends(
  action: ActionOf<'swipe' | 'drag'>,
  context: ActionContext,
): Promise<[from: Aim, to: Aim]> {
  return [await resolveHeld(action.from, context), await resolveHeld(action.to, context)]
}

/** Pixels from a target given by coordinates to the edges of its area. */
const aroundPoint = 300

async function areaOf(place: Aim, context: ActionContext): Promise<Bounds> {
  if (place.bounds) return place.bounds
  const { x, y } = place.center
  const area: Bounds = [x - aroundPoint, y - aroundPoint, x + aroundPoint, y + aroundPoint]
  const screen = await context.size(context.progress)
  return intersect(area, wholeScreen(screen)) ?? wholeScreen(screen)
}
