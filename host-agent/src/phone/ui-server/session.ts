/**
 * A session with the UI server (appium-uiautomator2-server 10.6): the calls that the
 * agent makes, and the settings that make them fast.
 */
import type { Progress } from '@phonerack/shared'
import { z } from 'zod'
import type { Transport } from '../../adb/transport.js'
import { ask, KeptStream, UiServerDown, UiServerRefused } from './http.js'

/** Settings that differ from the server's defaults. `model/settings` of the server has the names and meanings. */
const speedSettings = {
  // A screen that never becomes idle must answer too; callers wait for the screen themselves.
  waitForIdleTimeout: 0,
  waitForSelectorTimeout: 0,
  // Includes dialogs, keyboard and the notification shade, which are separate windows.
  enableMultiWindows: true,
  snapshotMaxDepth: 300,
  // Compose names its views by test tags.
  mapTestTagToResourceId: true,
  // A hub that cuts the power must not end the server.
  shutdownOnPowerDisconnect: false,
  // The agent does not use toasts.
  enableNotificationListener: false,
  actionAcknowledgmentTimeout: 500,
  // An element is answered with these attributes, so that the focused field takes one request.
  shouldUseCompactResponses: false,
  elementResponseAttributes: 'text,attribute/class,attribute/resource-id,attribute/password',
} as const

export interface UiSession {
  /** Returns the page source. */
  source(progress: Progress): Promise<string>
  /** Clears Android's cache of the screen, so that the next source is read again. */
  refresh(progress: Progress): Promise<void>
  /**
   * Returns the focused element of this class.
   * @throws UiServerRefused `no such element`
   */
  focusedField(className: string, progress: Progress): Promise<string>
  /** Returns the element with the input focus, found without the tree. @throws UiServerRefused `no such element` */
  focused(progress: Progress): Promise<FocusedElement>
  /** Returns an element's current text, which may be its hint. @throws UiServerRefused */
  textOf(element: string, progress: Progress): Promise<string>
  /** Sets an element's whole text. Never sent twice. @throws UiServerRefused */
  replaceText(element: string, text: string, progress: Progress): Promise<void>
  /** Returns the apps in the launcher. */
  launchable(progress: Progress): Promise<LaunchableApp[]>
  /** Closes the session's connections. */
  close(): void
}

interface FocusedElement {
  element: string
  className: string
  /** The resource ID; empty: none. */
  id: string
  password: boolean
  text: string
}

const launchableSchema = z.array(z.object({ packageName: z.string(), appName: z.string() }))
type LaunchableApp = z.infer<typeof launchableSchema>[number]

/** W3C WebDriver's key for an element ID. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf'
const elementId = z.string().regex(/^[\w.-]+$/)
/** Characters of a field that are compared. A tree decides about a field with more. */
const mostText = 1_000_000
/** Attributes are absent or null where the node has none. */
const text = z
  .string()
  .max(mostText)
  .nullish()
  .transform((given) => given ?? '')
const focusedSchema = z.object({
  [elementKey]: elementId,
  text,
  'attribute/class': text,
  'attribute/resource-id': text,
  'attribute/password': z.enum(['true', 'false']),
})

/**
 * Checks that the server is ready for sessions.
 * @throws UiServerDown, DeviceGone, DeadlineExceeded
 */
export async function isReady(transport: Transport, progress: Progress): Promise<boolean> {
  const { value } = await ask(transport, { method: 'GET', path: '/status' }, progress)
  return z.object({ ready: z.literal(true) }).safeParse(value).success
}

/** @throws UiServerDown, UiServerRefused, DeviceGone, DeadlineExceeded */
export async function openSession(transport: Transport, progress: Progress): Promise<UiSession> {
  const capabilities = { alwaysMatch: {}, firstMatch: [{}] }
  const made = await ask(transport, { method: 'POST', path: '/session', body: { capabilities } }, progress)
  const { sessionId } = z.object({ sessionId: z.string() }).catch({ sessionId: '' }).parse(made.value)
  const id = sessionId === '' ? (made.sessionId ?? '') : sessionId
  if (!/^[\w-]+$/.test(id)) throw new UiServerDown(new Error('the answer does not contain a session'))
  const base = `/session/${id}`
  const settings = {
    method: 'POST',
    path: `${base}/appium/settings`,
    body: { settings: speedSettings },
  } as const
  await ask(transport, settings, progress)
  const kept = new KeptStream()
  return {
    async source(within) {
      const { value } = await ask(transport, { method: 'GET', path: `${base}/source` }, within, kept)
      const source = z.string().safeParse(value)
      if (!source.success) throw new UiServerDown(source.error)
      return source.data
    },
    async refresh(within) {
      await ask(transport, { method: 'POST', path: `${base}/appium/reset_ax_cache`, body: {} }, within)
    },
    async focusedField(className, within) {
      // The class name comes from an app and becomes part of a UiSelector expression.
      if (!/^[\w.$]+$/.test(className))
        throw new UiServerRefused('no such element', 'the class has an unusual name')
      const selector = `new UiSelector().className("${className}").focused(true)`
      const body = { strategy: '-android uiautomator', selector }
      const { value } = await ask(transport, { method: 'POST', path: `${base}/element`, body }, within)
      const found = z.object({ [elementKey]: elementId }).safeParse(value)
      const id = found.data?.[elementKey]
      if (id === undefined) throw new UiServerRefused('no such element', 'the answer names no element')
      return id
    },
    async focused(within) {
      const path = `${base}/element/active`
      const { value } = await ask(transport, { method: 'GET', path }, within, kept)
      const found = focusedSchema.safeParse(value)
      if (!found.success) throw new UiServerRefused('unknown error', 'the answer has no element')
      const { [elementKey]: element, text: shown, ...attributes } = found.data
      return {
        element,
        className: attributes['attribute/class'],
        id: attributes['attribute/resource-id'],
        password: attributes['attribute/password'] === 'true',
        text: shown,
      }
    },
    async textOf(element, within) {
      const path = `${base}/element/${element}/text`
      const { value } = await ask(transport, { method: 'GET', path }, within, kept)
      const shown = text.safeParse(value)
      if (!shown.success) throw new UiServerRefused('unknown error', 'the answer has no text')
      return shown.data
    },
    async replaceText(element, text, within) {
      const body = { text, replace: true }
      await ask(transport, { method: 'POST', path: `${base}/element/${element}/value`, body }, within)
    },
    async launchable(within) {
      const { value } = await ask(transport, { method: 'GET', path: `${base}/appium/device/apps` }, within)
      const apps = launchableSchema.safeParse(value)
      if (!apps.success) throw new UiServerRefused('unknown error', apps.error.message)
      return apps.data
    },
    close: () => kept.close(),
  }
}
