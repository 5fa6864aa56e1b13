/**
 * The guard of a batch with the profile `guarded`: it refuses actions that are left to a person, before the actions are
 * sent. The guard reads the screen before each guarded action, and an unreadable screen fails the action. Called by
 * `run-batch.ts`. docs/decisions/0268
 */
import {
  ApiError,
  guardedApp,
  guardedField,
  isGuardedUrl,
  type Action,
  type ActionType,
  type GuardReason,
} from '@phonerack/shared'
import type { WindowState } from '../adb/device/device.js'
import type { ScreenTree, VisibleNode } from '../screen/elements.js'
import { packageOf } from './apps.js'
import { fieldAt, focusedField } from './field.js'
import { isPoint, type Aim } from './target.js'

/** The reads of a screen that the guard uses. */
interface Screen {
  tree(): Promise<ScreenTree>
  window(): Promise<WindowState>
}

/** Each method throws ApiError handoff_required for an action that is left to a person. */
export interface Guard {
  /** Called before each action. */
  allow(action: Action, screen: Screen): Promise<void>
  /** Called with each target before the action uses the target. */
  aim(place: Aim): void
  /**
   * Called before a touch that can be held, since a held touch opens the menu of a field, whose item "Paste" enters the
   * clipboard.
   */
  hold(place: Aim, screen: Screen): Promise<void>
  /** Called before text enters the field. */
  enter(field: VisibleNode | null): void
}

/** Actions that only read, or that lead away from the foreground app. */
const free: ReadonlySet<ActionType> = new Set<ActionType>([
  ...(['wait', 'wait_for', 'wait_idle'] as const),
  ...(['back', 'home', 'recents', 'hide_keyboard', 'close_app'] as const),
])

/** Hardware keys, which no field receives. */
const freeKeys = /^(?:power|wake|sleep|camera|volume_|media_)/
/** Keys that enter no text into the focused field. */
const movingKeys = /^(?:enter|tab|escape|dpad_|page_|move_)/

export const guard: Guard = {
  allow,
  aim: (place) => checkApp(place.node?.package ?? '', null),
  hold: async (place, screen) => checkField(fieldAt(await screen.tree(), place)),
  enter: checkField,
}

const guardedShell = 'The profile `guarded` of this request does not allow shell commands.'

async function allow(action: Action, screen: Screen): Promise<void> {
  if (free.has(action.type)) return
  if (action.type === 'shell') throw new ApiError('shell_not_allowed', { message: guardedShell })
  if (action.type === 'open_app') return checkApp(packageOf(action), null)
  if (action.type === 'open_url') {
    if (isGuardedUrl(action.url)) throw leftToPerson('store_or_wallet_link', {})
    return
  }
  if (action.type === 'key' && freeKeys.test(action.key)) return
  const window = await screen.window()
  checkApp(window.package, window.activity)
  const entersText = action.type === 'key' && !movingKeys.test(action.key)
  // A point may be a key of the keyboard on the screen, which the tree does not show.
  const mayHitKey = window.keyboardVisible && aimsAtPoint(action)
  if (entersText || mayHitKey) checkField(focusedField(await screen.tree()))
}

function aimsAtPoint(action: Action): boolean {
  const targets = [
    ...('target' in action && action.target ? [action.target] : []),
    ...('from' in action ? [action.from, action.to] : []),
  ]
  return targets.some(isPoint)
}

function checkApp(packageName: string, activity: string | null): void {
  const reason = guardedApp(packageName, activity)
  if (reason) throw leftToPerson(reason, { package: packageName })
}

function checkField(field: VisibleNode | null): void {
  const reason = field && reasonOf(field)
  if (field && reason) throw leftToPerson(reason, { package: field.package, field: field.id || null })
}

const reasonOf = ({ password, id, hint, desc, text, showsHint }: VisibleNode): GuardReason | null =>
  guardedField({ password, id, labels: [hint ?? '', desc, showsHint ? text : ''] })

const subjects: Record<GuardReason | 'store_or_wallet_link', string> = {
  store: 'using an app store',
  wallet: 'using a wallet or payment app',
  store_or_wallet_link: 'opening a link into an app store or a wallet',
  password_field: 'entering a password',
  payment_field: 'entering payment data',
}

/** `grpc/batch-stream.ts` replaces `{id}` with the ID of the phone. */
const leftToPerson = (reason: keyof typeof subjects, facts: Record<string, unknown>): ApiError =>
  new ApiError('handoff_required', {
    message: `The profile \`guarded\` of this request leaves this action to a person: ${subjects[reason]}. Nothing was sent.`,
    next: 'POST /v1/phones/{id}/handoffs',
    details: { reason, ...facts },
  })
