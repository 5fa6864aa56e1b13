/**
 * Builds and places all current windows: the foreground activity, its dialog, the keyboard, status and
 * navigation bar, the shade. Drawing, the tree and touch all read this one layout.
 */
import { dateFormat } from '../locale/formatters.js'
import { type Ui } from '../apps/app.js'
import { layoutTree, type LayoutScale } from '../toolkit/layout.js'
import { walk, view, type View } from '../toolkit/view.js'
import { frame } from '../toolkit/widgets.js'
import { isEmpty, type Rect } from '../toolkit/geometry.js'
import { type EditBinding } from '../toolkit/view.js'
import { scrollerOf } from '../toolkit/hit.js'
import { type PhoneNotification } from '../../android/world.js'
import { headsUp, notificationList } from './notifications.js'
import { keyguard, systemDialog } from './system-windows.js'
import { type Activity } from './activity.js'
import { HOME, type Model } from './model.js'
import { KEYBOARD_HEIGHT, keyboardView, type KeyboardActions } from './keyboard.js'
import {
  clockText,
  NAVIGATION_HEIGHT,
  navigationBar,
  shade,
  statusBar,
  STATUS_HEIGHT,
  type NavigationActions,
} from './system-ui.js'

export interface Layer {
  name:
    | 'activity'
    | 'dialog'
    | 'keyboard'
    | 'status'
    | 'navigation'
    | 'shade'
    | 'heads_up'
    | 'system_dialog'
    | 'keyguard'
  /** The window's drawn and touchable content. */
  root: View
  /** The window's content in the tree dump. */
  dumpRoot: View
  package: string
  /** Whether the window is black in pictures of the screen. */
  secure: boolean
}

export interface Windows {
  /** The windows, from back to front. */
  layers: Layer[]
  /** The window that `uiautomator dump` prints. */
  active: Layer
  /** The focused field in the current layout. */
  focusedEdit: EditBinding | null
  /** Identifies the key focus of a window across builds. */
  activityRoot: View
  /** Whether a visible view is animated. */
  moving: boolean
  /** When time alone changes the screen, in milliseconds since 1970; Infinity when time alone never changes it. */
  changesAt: number
}

interface WindowParts {
  model: Model
  ui: Ui
  screen: (ui: Ui) => View
  bounds: Rect
  scale: LayoutScale
  now: Date
  navigation: NavigationActions
  keyboard: KeyboardActions
  setBrightness: (value: number) => void
  toggleNight: () => void
  openSettings: () => void
  dismissDialog: () => void
  openNotification: (notification: PhoneNotification) => void
  removeNotification: (notification: PhoneNotification) => void
}

function findFocused(root: View): View | null {
  for (const v of walk(root)) if (v.edit?.focused) return v
  return null
}

/**
 * Scrolls a field into view that has just got the focus, or over which the keyboard opened. A person can
 * scroll the field away afterwards. Returns whether a new layout is needed.
 */
function reveal(activity: Activity, root: View, keyboard: boolean): boolean {
  const { field } = activity.revealed
  if (field === activity.focusedField && activity.revealed.keyboard === keyboard) return false
  activity.revealed = { field: activity.focusedField, keyboard }
  const focused = findFocused(root)
  const scroller = scrollerOf(focused?.parent ?? null, 'vertical')
  if (!focused || !scroller?.scroll) return false
  const below = focused.rect.bottom - scroller.rect.bottom
  const above = scroller.rect.top - focused.rect.top
  if (below <= 0 && above <= 0) return false
  scroller.scroll.offset += below > 0 ? below : -above
  return true
}

function moves(root: View): boolean {
  for (const v of walk(root)) if (v.moving && !isEmpty(v.visible)) return true
  return false
}

function changeOf(root: View): number {
  let at = Infinity
  for (const v of walk(root)) at = Math.min(at, v.changesAt)
  return at
}

function decor(content: View, bottomDp: number, color: string | null): View {
  return frame({ width: 'fill', height: 'fill', box: color ? { color, radius: 0 } : null }, [
    view(
      'android.widget.LinearLayout',
      {
        arrangement: 'column',
        width: 'fill',
        height: 'fill',
        padding: { top: STATUS_HEIGHT, bottom: bottomDp },
      },
      [frame({ id: 'android:id/content', width: 'fill', weight: 1 }, [content])],
    ),
  ])
}

/** Sets the direction keys' focus to the view at the stored place in the tree. */
function markKeyFocus(root: View, place: string | null): void {
  if (place === null) return
  let v: View | undefined = root
  for (const part of place === '' ? [] : place.split('/')) v = v?.children[Number(part)]
  if (v?.focusable) v.focused = true
}

export function buildWindows(parts: WindowParts): Windows {
  const { model, ui, bounds, scale } = parts
  const activity = model.top
  const home = activity.package === HOME && activity.className === model.app(HOME)?.launcherActivity
  const layers: Layer[] = []
  const dp = (n: number): number => Math.round(n * scale.density)
  const add = (name: Layer['name'], root: View, rect: Rect, packageName: string, dumpRoot = root): Layer => {
    layoutTree(root, rect, scale)
    const layer = { name, root, dumpRoot, package: packageName, secure: false }
    layers.push(layer)
    return layer
  }

  const height = KEYBOARD_HEIGHT(ui.landscape)
  activity.onBack = null
  // A screen can request the focus during its build, so the keyboard is checked afterwards.
  const content = parts.screen(ui)
  const keyboardShown = model.keyboardShown && activity.focusedField !== null
  const root = decor(
    content,
    keyboardShown && !activity.dialog ? height + NAVIGATION_HEIGHT : NAVIGATION_HEIGHT,
    home ? null : ui.theme.background,
  )
  if (home) root.mark = { kind: 'picture', picture: 'wallpaper', scale: 1, panX: 0, panY: 0 }
  let active = add('activity', root, bounds, activity.package)
  active.secure = content.secure
  if (reveal(activity, root, keyboardShown)) layoutTree(root, bounds, scale)
  markKeyFocus(root, activity.dialog ? null : activity.keyFocus)

  if (activity.dialog) {
    const card = view(
      'android.widget.FrameLayout',
      {
        id: 'android:id/content',
        place: { x: 'center', y: 'center' },
        width: ui.landscape ? 420 : 320,
        padding: { top: 24, bottom: 12 },
        box: { color: ui.theme.dark ? '#2a2c33' : '#f8f8fe', radius: 28, shadow: true },
        // The window receives touches outside its views, so that they do not dismiss it.
        blocksTouch: true,
      },
      [activity.dialog.build(ui)],
    )
    const scrim = frame(
      {
        width: 'fill',
        height: 'fill',
        box: { color: 'rgba(0,0,0,0.5)', radius: 0 },
        padding: { top: STATUS_HEIGHT, bottom: NAVIGATION_HEIGHT + (keyboardShown ? height : 0) },
        onClick: parts.dismissDialog,
      },
      [card],
    )
    active = add('dialog', scrim, bounds, activity.package, card)
    markKeyFocus(card, activity.keyFocus)
  }

  const focusedEdit = findFocused(active.dumpRoot)?.edit ?? null
  const navTop = bounds.bottom - dp(NAVIGATION_HEIGHT)
  if (keyboardShown && focusedEdit) {
    const rect = { ...bounds, top: navTop - dp(height), bottom: navTop }
    add(
      'keyboard',
      keyboardView(ui.theme, model.keyboard, focusedEdit, parts.keyboard, ui.landscape),
      rect,
      'com.android.inputmethod.latin',
    )
  }
  const notificationActions = {
    open: parts.openNotification,
    remove: parts.removeNotification,
    label: (name: string) => model.app(name)?.label ?? name,
  }
  // The window is not active: a dump shows the app behind it, as on a phone.
  const arrived = model.system.headsUp
  if (arrived && !model.shadeOpen && !model.system.locked) {
    const { root: over, shown } = headsUp(ui, arrived, notificationActions)
    add('heads_up', over, bounds, 'com.android.systemui', shown)
  }
  if (model.shadeOpen) {
    const date = dateFormat(model.configuration.locale, {
      weekday: 'short',
      month: 'short',
      day: 'numeric',
      timeZone: model.configuration.timeZone,
    }).format(parts.now)
    const panel = shade({
      theme: ui.theme,
      date,
      brightness: model.brightness,
      night: model.configuration.night,
      setBrightness: parts.setBrightness,
      toggleNight: parts.toggleNight,
      isOn: (key) => model.isSwitchOn(key),
      toggle: (key) => {
        model.toggleSwitch(key)
      },
      openSettings: parts.openSettings,
      notifications: notificationList(ui, model.system.notifications, notificationActions),
    })
    active = add('shade', panel, bounds, 'com.android.systemui')
  }
  const { dialogs, locked, restless } = model.system
  const failure = dialogs.at(-1)
  if (failure) {
    const card = systemDialog(failure, model, ui)
    const scrim = frame(
      { width: 'fill', height: 'fill', box: { color: 'rgba(0,0,0,0.5)', radius: 0 }, blocksTouch: true },
      [card],
    )
    active = add('system_dialog', scrim, bounds, 'android', card)
  }
  if (locked) {
    active = add('keyguard', keyguard(ui, model.system.notifications), bounds, 'com.android.systemui')
  }
  const onDark = locked || (home && !model.shadeOpen)
  const ink = onDark || ui.theme.dark ? '#ffffff' : '#1a1b20'
  const isOn = (key: string): boolean => model.isSwitchOn(key)
  const clock = clockText(
    parts.now,
    model.configuration.locale,
    model.configuration.timeZone,
    isOn('time_24'),
  )
  const status = statusBar(clock, ink, isOn, {
    battery: model.system.batteryPercent,
    waiting: model.system.notifications.length,
  })
  add('status', status, { ...bounds, bottom: dp(STATUS_HEIGHT) }, 'com.android.systemui')
  const navColor = keyboardShown ? (ui.theme.dark ? '#1b1d22' : '#e3e5ee') : 'rgba(0,0,0,0)'
  add(
    'navigation',
    navigationBar(ink, navColor, parts.navigation, keyboardShown),
    { ...bounds, top: navTop },
    'com.android.systemui',
  )
  const moving = restless || layers.some((layer) => layer.name !== 'keyboard' && moves(layer.root))
  const changesAt = Math.min(...layers.map((layer) => changeOf(layer.root)))
  return {
    layers,
    active,
    focusedEdit: failure || locked ? null : focusedEdit,
    activityRoot: root,
    moving,
    changesAt,
  }
}
