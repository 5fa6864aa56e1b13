/**
 * Commands on the device and on its whole screen. Values that need a network or a SIM are reported like on a phone
 * without them.
 */
import { model } from '../android/identity.js'
import { launchable } from './installed.js'
import { alertButton, alertText } from './alert.js'
import { isObject, needed, numberIn, objectIn, stringIn } from './body.js'
import type { Command } from './element-commands.js'
import { invalidArgument, ServerError } from './errors.js'
import type { Call } from './routes.js'
import type { Screen } from './screen.js'
import { screenshotOf } from './screenshot.js'
import { pageSource } from './source.js'

const backKey = 4
const orientations = { PORTRAIT: 0, LANDSCAPE: 3 } as const

function press(screen: Screen, call: Call, heldMs: number): Promise<null> {
  const keyCode = needed(numberIn(call.body, 'keycode'), 'keycode')
  const meta = numberIn(call.body, 'metastate') ?? 0
  return pressKey(screen, keyCode, meta, heldMs)
}

async function pressKey(screen: Screen, keyCode: number, meta = 0, heldMs = 0): Promise<null> {
  screen.android.world.key('down', keyCode, meta)
  if (heldMs > 0) await screen.gestures.wait(heldMs)
  screen.android.world.key('up', keyCode, meta)
  return null
}

/** `UiDevice.setOrientation…` freezes the rotation; the settings then show it. */
function rotate({ android: { settings } }: Screen, quarter: number): void {
  settings.put('system', 'accelerometer_rotation', '0')
  settings.put('system', 'user_rotation', String(quarter))
}

const orientationOf = ({ android: { world } }: Screen): keyof typeof orientations =>
  world.display.rotation % 2 === 0 ? 'PORTRAIT' : 'LANDSCAPE'

async function answerAlert(screen: Screen, call: Call, action: 'accept' | 'dismiss'): Promise<null> {
  const button = alertButton(screen.tree(), action, stringIn(call.body, 'buttonLabel'))
  await screen.click(button)
  return null
}

/** Returns the pixels of a bar at the screen's edge; 0 while the bar is hidden. */
function barHeight({ android: { world } }: Screen, title: string): number {
  const bar = world.accessibilityWindows().find((window) => window.title === title)
  return bar === undefined ? 0 : bar.bounds.bottom - bar.bounds.top
}

async function source(screen: Screen): Promise<string> {
  const start = performance.now()
  await screen.settle()
  const treeMs = screen.android.uiTreeMs()
  if (treeMs > 0) await screen.gestures.wait(treeMs)
  const { world, counters } = screen.android
  const display = { ...world.display, navigationHeight: barHeight(screen, 'navigation') }
  const xml = pageSource(screen.tree(), display, screen.session.number('snapshotMaxDepth'))
  counters.count('treeMs', performance.now() - start)
  return xml
}

function deviceInfo({ android: { properties, settings, world } }: Screen): Record<string, unknown> {
  const { width, height, density } = world.display
  return {
    androidId: settings.get('secure', 'android_id'),
    manufacturer: properties.get('ro.product.manufacturer'),
    model: properties.get('ro.product.model'),
    brand: properties.get('ro.product.brand'),
    apiVersion: String(model.sdk),
    platformVersion: model.release,
    carrierName: '',
    realDisplaySize: `${width}x${height}`,
    displayDensity: density,
    networks: [],
    locale: world.configuration.locale.replaceAll('-', '_'),
    timeZone: world.configuration.timeZone,
    bluetooth: null,
  }
}

function windows({ android: { world } }: Screen): unknown[] {
  return world
    .accessibilityWindows()
    .map((window) => ({
      windowId: window.id,
      displayId: 0,
      physicalDisplayId: null,
      virtualDisplayId: null,
      rect: {
        x: window.bounds.left,
        y: window.bounds.top,
        width: window.bounds.right - window.bounds.left,
        height: window.bounds.bottom - window.bounds.top,
      },
      packageName: window.package,
      screenshot: null,
      type: window.type,
      title: window.title,
      layer: window.layer,
      isAccessibilityFocused: false,
      isActive: window.active,
      isFocused: window.active,
      isInPictureInPictureMode: false,
    }))
}

function assertPlainText({ body }: Call): void {
  const type = stringIn(body, 'contentType') ?? 'PLAINTEXT'
  if (type.toUpperCase() !== 'PLAINTEXT')
    throw invalidArgument(`Only '[PLAINTEXT]' content types are supported. '${type}' is given instead`)
}

/** Bit 2 is Wi-Fi; the server cannot set any other bit. */
function network({ android: { settings } }: Screen, { body }: Call): number {
  const type = needed(numberIn(body, 'type'), 'type')
  if (type !== 2)
    throw new ServerError('unknown error', `Setting Network Connection to '${type}' is not implemented`)
  settings.put('global', 'wifi_on', '1')
  return type
}

const session = '/session/:sessionId'
const device = `${session}/appium/device`

export const deviceCommands: Readonly<Record<string, Command>> = {
  [`GET ${session}`]: () => ({ lastScrollData: null }),
  [`GET ${session}/source`]: source,
  [`GET ${session}/screenshot`]: ({ android: { world } }) => screenshotOf(world),
  [`GET ${session}/window/:windowHandle/size`]: ({ android: { world } }) => ({
    width: world.display.width,
    height: world.display.height,
  }),
  [`GET ${session}/orientation`]: orientationOf,
  [`POST ${session}/orientation`]: (screen, call) => {
    const wanted = needed(stringIn(call.body, 'orientation'), 'orientation').toUpperCase()
    if (wanted !== 'PORTRAIT' && wanted !== 'LANDSCAPE')
      throw invalidArgument(
        `Orientation value '${wanted}' is not supported. Only 'LANDSCAPE' and 'PORTRAIT' values could be translated into a valid screen orientation`,
      )
    rotate(screen, orientations[wanted])
    return orientationOf(screen)
  },
  [`GET ${session}/rotation`]: ({ android: { world } }) => ({ x: 0, y: 0, z: world.display.rotation * 90 }),
  [`POST ${session}/rotation`]: (screen, call) => {
    const z = needed(numberIn(call.body, 'z'), 'z')
    if (![0, 90, 180, 270].includes(z))
      throw invalidArgument(
        `Rotation value of ${z} degrees is not supported. Only 0, 90, 180 and 270 degrees could be translated into a valid screen rotation`,
      )
    rotate(screen, z / 90)
    return `ROTATION_${z}`
  },
  [`POST ${session}/back`]: (screen) => pressKey(screen, backKey),
  [`GET ${session}/alert/text`]: (screen) => alertText(screen.tree()),
  [`POST ${session}/alert/accept`]: (screen, call) => answerAlert(screen, call, 'accept'),
  [`POST ${session}/alert/dismiss`]: (screen, call) => answerAlert(screen, call, 'dismiss'),
  [`GET ${session}/appium/settings`]: (screen) => ({ ...screen.session.settings }),
  [`POST ${session}/appium/settings`]: (screen, call) => {
    screen.session.update(needed(objectIn(call.body, 'settings'), 'settings'))
    return null
  },
  [`POST ${session}/appium/reset_ax_cache`]: () => null,
  [`POST ${session}/appium/list_windows`]: (screen, call) => {
    if (isObject(call.body['filters']) && Object.keys(call.body['filters']).length > 0)
      throw new ServerError('unknown method', 'This phone lists its windows without filters only')
    return windows(screen)
  },
  [`POST ${session}/network_connection`]: network,
  [`GET ${device}/apps`]: (screen) => launchable(screen.android),
  [`GET ${device}/info`]: deviceInfo,
  [`GET ${device}/display_density`]: ({ android: { world } }) => world.display.density,
  [`GET ${device}/pixel_ratio`]: ({ android: { world } }) => world.display.density / 160,
  [`GET ${device}/system_bars`]: (screen) => ({ statusBar: barHeight(screen, 'status') }),
  [`GET ${device}/battery_info`]: ({ android: { world } }) => ({
    level: world.batteryPercent / 100,
    // On USB, the status is BATTERY_STATUS_FULL or BATTERY_STATUS_CHARGING.
    status: world.batteryPercent === 100 ? 5 : 2,
  }),
  [`POST ${device}/get_clipboard`]: ({ android: { world } }, call) => {
    assertPlainText(call)
    return Buffer.from(world.clipboard).toString('base64')
  },
  [`POST ${device}/set_clipboard`]: ({ android: { world } }, call) => {
    assertPlainText(call)
    world.setClipboard(Buffer.from(needed(stringIn(call.body, 'content'), 'content'), 'base64').toString())
    return null
  },
  [`POST ${device}/press_keycode`]: (screen, call) => press(screen, call, 0),
  [`POST ${device}/long_press_keycode`]: (screen, call) => press(screen, call, 500),
  [`POST ${device}/open_notifications`]: ({ android: { world } }) => {
    world.expandNotifications()
    return null
  },
}
