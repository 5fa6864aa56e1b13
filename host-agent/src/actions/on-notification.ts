/**
 * Opens or dismisses a notification as a person does: by its card in the notification shade. Android lets the shell
 * list notifications but not remove them. Called by `grpc/`.
 */
import { ApiError, DeadlineExceeded, firstLineOf, Progress, type Logger } from '@phonerack/shared'
import type { Device, Point } from '../adb/device/device.js'
import { writing } from '../adb/device/outcome.js'
import type { Notifications, PostedNotification } from '../adb/device/reports.js'
import { ScreenXmlError } from '../screen/errors.js'
import { centerOf, type Bounds } from '../screen/geometry.js'
import { parseNodes, type UiNode } from '../screen/nodes.js'
import { wakeFirst } from './context.js'
import { scroll, swipe, tap } from './gestures.js'

const systemUi = 'com.android.systemui'
/**
 * The ID of a notification's card in AOSP SystemUI. On phones whose maker uses another ID, the texts of the card
 * decide.
 */
const cardId = /:id\/(?:expandableNotificationRow|notification_row)$/
/** Milliseconds. */
const times = { shade: 3000, effect: 5000, poll: 150, close: 3000 }
const mostScrolls = 12

const gone = (id: string): ApiError =>
  new ApiError('notification_not_found', { details: { notification: id } })

export interface Wanted {
  /** `ntf_…`. */
  id: string
  is: (notification: PostedNotification) => boolean
}

/** @throws ApiError notification_not_found, phone_screen_off, provider_error */
export async function openNotification(
  device: Device,
  notifications: Notifications,
  wanted: Wanted,
  progress: Progress,
  log: Logger,
): Promise<void> {
  await onCard(device, notifications, wanted, progress, log, async (card, find) => {
    const open = () => device.input.gesture([tap(centerOf(card))], progress)
    const isOpen = async () => (await find()) === null
    await confirmed('opening the notification', open, isOpen, progress)
  })
}

/** @throws ApiError as `openNotification`; feature_unavailable for an ongoing notification */
export async function dismissNotification(
  device: Device,
  notifications: Notifications,
  wanted: Wanted,
  progress: Progress,
  log: Logger,
): Promise<void> {
  const check = ({ dismissible }: PostedNotification): void => {
    if (dismissible) return
    throw new ApiError('feature_unavailable', {
      message: 'This is an ongoing notification, which cannot be dismissed.',
      next: 'Open the notification, or close its app.',
      details: { feature: 'dismiss', notification: wanted.id },
    })
  }
  await onCard(device, notifications, { ...wanted, check }, progress, log, async (card) => {
    const y = centerOf(card).y
    const [from, to] = [0.15, 0.95].map((part): Point => ({ x: card[0] + (card[2] - card[0]) * part, y }))
    const dismiss = async () => {
      if (from && to) await device.input.gesture([swipe(from, to, 200)], progress)
    }
    const isGone = async () => !(await notifications.list(progress)).some(wanted.is)
    await confirmed('dismissing the notification', dismiss, isGone, progress)
  })
}

type Find = () => Promise<Bounds | null>

/** Shows the card of a notification. Afterwards closes the shade, unless `work` has left it. */
async function onCard(
  device: Device,
  notifications: Notifications,
  wanted: Wanted & { check?: (notification: PostedNotification) => void },
  progress: Progress,
  log: Logger,
  work: (card: Bounds, find: Find) => Promise<void>,
): Promise<void> {
  const found = (await notifications.list(progress)).find(wanted.is)
  if (found === undefined) throw gone(wanted.id)
  wanted.check?.(found)
  if ((await device.power.isOn(progress)) === false)
    throw new ApiError('phone_screen_off', { next: wakeFirst })
  const find: Find = async () => cardOf(parseNodes(await device.ui.source(progress, true)).nodes, found)
  try {
    await notifications.expand(progress)
    await work(await reveal(device, find, progress), find)
  } finally {
    await closeShade(notifications, log)
  }
}

/**
 * Closes the shade within a separate deadline, since the request may have ended and the next batch must not find the
 * shade open. Never throws.
 */
async function closeShade(notifications: Notifications, log: Logger): Promise<void> {
  try {
    await notifications.collapse(Progress.for(times.close))
  } catch (error) {
    log.warn({ err: error }, 'the notification shade could not be closed')
  }
}

/** Scrolls the shade until it shows the card. */
async function reveal(device: Device, find: Find, progress: Progress): Promise<Bounds> {
  const shown = progress.within(times.shade)
  while (!shown.expired) {
    const card = await find()
    if (card) return card
    await progress.sleep(times.poll, 'the notification shade')
  }
  const screen = await device.screen.size(progress)
  for (let count = 0; count < mostScrolls; count++) {
    await device.input.gesture(scroll([0, 0, screen.width, screen.height], 'down', 0.4, screen), progress)
    await progress.sleep(2 * times.poll, 'the notification shade')
    const card = await find()
    if (card) return card
  }
  throw new ApiError('provider_error', {
    message: 'The notification shade does not show the notification.',
    next: 'GET /v1/phones/{id}/observe',
  })
}

/**
 * Waits until `is` returns true. @throws ApiError action_outcome_unknown when `is` stays false, or cannot read the
 * phone
 */
async function confirmed(
  what: string,
  step: () => Promise<void>,
  is: () => Promise<boolean>,
  progress: Progress,
): Promise<void> {
  await writing(what, async () => {
    await step()
    const within = progress.within(times.effect)
    while (!within.expired) {
      if (await is().catch(notYet)) return
      await progress.sleep(times.poll, 'the notification shade')
    }
    throw new DeadlineExceeded(what)
  })
}

/** Counts a failed read as "not yet": the screen and the list cannot be read while an app opens. */
function notYet(error: unknown): false {
  if (error instanceof ScreenXmlError || error instanceof ApiError) return false
  throw error
}

/** Returns the card that shows the title and text of a notification; null when it is not on the screen. Pure. */
export function cardOf(
  nodes: readonly UiNode[],
  { title, text }: Pick<PostedNotification, 'title' | 'text'>,
): Bounds | null {
  const own = nodes.filter((node) => node.package === systemUi || node.id.startsWith('android:id/'))
  const shows = (node: UiNode, value: string) => firstLineOf(node.text) === firstLineOf(value)
  const wanted = [title, text].filter((value) => firstLineOf(value) !== '')
  for (const card of own.filter(({ id, bounds }) => bounds !== null && cardId.test(id))) {
    const inside = own.filter((node) => isUnder(nodes, node, card.index))
    if (wanted.length > 0 && wanted.every((value) => inside.some((node) => shows(node, value))))
      return card.bounds
  }
  // When no card has a known ID, the title with the text below it is the card.
  const titled = own.find((node) => node.bounds !== null && title !== '' && shows(node, title))
  const hasText = firstLineOf(text) === '' || own.some((node) => shows(node, text))
  return titled !== undefined && hasText ? titled.bounds : null
}

function isUnder(nodes: readonly UiNode[], node: UiNode, ancestor: number): boolean {
  for (let at = node.parent; at !== -1; at = nodes[at]?.parent ?? -1) if (at === ancestor) return true
  return false
}
