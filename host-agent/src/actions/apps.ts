/** The actions that open and close apps, and the one that hides the keyboard. */
import { ApiError, type ActionOf } from '@phonerack/shared'
import { settle, type ActionContext } from './context.js'
import { keyCode } from './keys.js'

const openLimitMs = 15_000

export async function openApp(action: ActionOf<'open_app'>, context: ActionContext): Promise<void> {
  await mustBeInstalled(action.package, context)
  await context.write(
    (progress) => context.device.apps.open(action.package, action.activity ?? null, progress),
    { limitMs: openLimitMs, settleMs: settle.navigation },
  )
}

export async function closeApp(action: ActionOf<'close_app'>, context: ActionContext): Promise<void> {
  await mustBeInstalled(action.package, context)
  await context.write((progress) => context.device.apps.forceStop(action.package, progress), {
    limitMs: openLimitMs,
    settleMs: settle.navigation,
  })
}

export async function openUrl(action: ActionOf<'open_url'>, context: ActionContext): Promise<void> {
  // In WHATWG form: spaces, quotes and non-ASCII characters are encoded.
  const { href } = new URL(action.url)
  await context.write((progress) => context.device.apps.openUrl(href, progress), {
    limitMs: openLimitMs,
    settleMs: settle.navigation,
  })
}

async function mustBeInstalled(packageName: string, context: ActionContext): Promise<void> {
  const installed = await context.device.apps.installed(packageName, context.progress.within(openLimitMs))
  if (installed) return
  throw new ApiError('app_not_found', {
    details: { package: packageName },
    next: 'Install the app, or open one that is installed.',
  })
}

const hideLimitMs = 2000
const pollMs = 150

/**
 * Presses back only while a keyboard is shown: without one, back would leave the
 * screen.
 */
export async function hideKeyboard(
  _action: ActionOf<'hide_keyboard'>,
  context: ActionContext,
): Promise<void> {
  await context.settled()
  if (!(await keyboardVisible(context))) return
  await context.key(keyCode('back'))
  const until = context.now() + hideLimitMs
  do {
    await context.progress.sleep(pollMs, 'waiting for the keyboard to hide')
    if (!(await keyboardVisible(context))) return
  } while (context.now() < until)
  throw new ApiError('provider_error', { message: 'The keyboard did not hide.' })
}

const keyboardVisible = async (context: ActionContext): Promise<boolean> =>
  (await context.device.windows.read(context.progress.within(openLimitMs))).keyboardVisible
