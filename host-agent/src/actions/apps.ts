/** The actions that open and close apps, and the action `hide_keyboard`. */
import { ApiError, type Action, type ActionOf } from '@phonerack/shared'
import type { InstalledApp, OpenedApp } from '../adb/device/device.js'
import { appsNamed, similarApps } from './app-names.js'
import { unavailable, type ActionContext } from './context.js'
import { toApiError } from './failure.js'
import { keyCode } from './keys.js'

const openLimitMs = 15_000

/** Returns the package that the action opens, which `withPackage` has set. */
export function packageOf({ package: name }: ActionOf<'open_app'>): string {
  if (name === undefined) throw new Error('the app was not looked up by its label')
  return name
}

async function listed(context: ActionContext): Promise<InstalledApp[]> {
  const { packages } = context.device
  if (packages === null) throw unavailable('packages')
  return packages.list(context.progress.within(openLimitMs))
}

/** Looks an app up by its label, before anything checks or opens its package. @throws ApiError app_not_found */
export async function withPackage<A extends Action>(action: A, context: ActionContext): Promise<A> {
  if (action.type !== 'open_app' || action.label === undefined) return action
  const { label, ...rest } = action
  const apps = await listed(context)
  const found = appsNamed(label, apps)
  const [app] = found
  if (app && found.length === 1) return { ...rest, package: app.package } as A
  throw notFound({ label }, found.length > 0 ? found : similarApps(label, apps), found.length)
}

/** Maximum number of similar apps that the error names. */
const maxSimilar = 5

function notFound(wanted: Record<string, string>, similar: readonly InstalledApp[], matches = 0): ApiError {
  const apps = similar.slice(0, maxSimilar).map(({ package: name, label }) => ({ package: name, label }))
  const names = apps.map(({ package: name, label }) => (label === name ? name : `${name} (${label})`))
  return new ApiError('app_not_found', {
    message:
      matches > 1
        ? `${matches} apps match the label: ${names.join(', ')}.`
        : names.length > 0
          ? `The app is not installed on the phone. Similar: ${names.join(', ')}.`
          : undefined,
    details: { ...wanted, ...(apps.length > 0 ? { similar: apps } : {}) },
    next:
      names.length > 0
        ? 'Open one of `details.similar` by its `package`, or install the app.'
        : 'Install the app, or open an installed app.',
  })
}

export async function openApp(action: ActionOf<'open_app'>, context: ActionContext): Promise<OpenedApp> {
  const name = packageOf(action)
  await mustBeInstalled(name, context)
  return context.write((progress) => context.device.apps.open(name, action.activity ?? null, progress), {
    limitMs: openLimitMs,
    kind: 'navigation',
  })
}

export async function closeApp(action: ActionOf<'close_app'>, context: ActionContext): Promise<void> {
  await mustBeInstalled(action.package, context)
  await context.write((progress) => context.device.apps.forceStop(action.package, progress), {
    limitMs: openLimitMs,
    kind: 'navigation',
  })
}

export async function openUrl(action: ActionOf<'open_url'>, context: ActionContext): Promise<void> {
  // In WHATWG form: spaces, quotes and non-ASCII characters are encoded.
  const { href } = new URL(action.url)
  await context.write((progress) => context.device.apps.openUrl(href, progress), {
    limitMs: openLimitMs,
    kind: 'navigation',
  })
}

async function mustBeInstalled(packageName: string, context: ActionContext): Promise<void> {
  const installed = await context.device.apps.installed(packageName, context.progress.within(openLimitMs))
  if (installed) return
  const apps = await listed(context).catch((error: unknown): InstalledApp[] => {
    if (toApiError(error, false) === null) throw error
    return []
  })
  throw notFound({ package: packageName }, similarApps(packageName, apps))
}

const hideLimitMs = 2000
const pollMs = 150

/** Presses back only while a keyboard is shown: without a keyboard, back would leave the screen. */
export async function hideKeyboard(
  _action: ActionOf<'hide_keyboard'>,
  context: ActionContext,
): Promise<void> {
  await context.settled()
  if (!(await keyboardVisible(context))) return
  await context.key(keyCode('back'))
  const until = context.now() + hideLimitMs
  do {
    await context.untilDrawn(pollMs, 'waiting for the keyboard to hide')
    if (!(await keyboardVisible(context))) return
  } while (context.now() < until)
  throw new ApiError('provider_error', { message: 'The keyboard did not hide.' })
}

const keyboardVisible = async (context: ActionContext): Promise<boolean> =>
  (await context.device.windows.read(context.progress.within(openLimitMs))).keyboardVisible
