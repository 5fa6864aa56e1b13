/** Caches the current layout and creates pictures and the tree from it on request. */
import { type AccessibilityWindow } from '../../android/accessibility.js'
import { type Display } from '../../android/world.js'
import { type PhoneFacts } from '../apps/app.js'
import { displayList, type DrawStep } from '../toolkit/display-list.js'
import { hierarchyXml } from '../toolkit/hierarchy.js'
import { type LayoutScale } from '../toolkit/layout.js'
import { encodePng, renderRgba } from '../toolkit/surface.js'
import { type EditBinding } from '../toolkit/view.js'
import { type Activity, type DialogRecord } from './activity.js'
import { accessibilityWindows } from './accessibility.js'
import { type KeyInput } from './key-input.js'
import { KEY } from './keys.js'
import { type Model } from './model.js'
import { screenContext } from './screen-context.js'
import { buildWindows, type Layer, type Windows } from './windows.js'

/** The interval between two frames of a moving screen. */
const FRAME_MS = 16

interface ScreenParts {
  model: Model
  facts: PhoneFacts
  now: () => Date
  display: () => Display
  /** The pixels of one dp. */
  density: number
  /** The size without the navigation bar and the keyboard. */
  keys: KeyInput
}

export class ScreenSource {
  private placed: Windows | null = null
  private encoded: Promise<Buffer> | null = null
  private drawnMinute = 0
  private placedAt = 0
  private readonly windowIds = new WeakMap<object, number>()
  private nextWindowId = 10
  private typing: { edit: EditBinding; activity: Activity; dialog: DialogRecord | null } | null = null

  constructor(private readonly parts: ScreenParts) {}

  /** Discards the layout: the next read builds all windows again. */
  invalidate(): void {
    this.placed = null
    this.typing = null
    this.encoded = null
  }

  /**
   * Like `invalidate`, after only the text or cursor of the focused field has changed. The field stays known,
   * so that a long text that is typed letter by letter is laid out once, at the next read.
   */
  fieldChanged(): void {
    const { model } = this.parts
    const edit = this.focusedEdit
    const keeps = edit !== null && model.focusedField === edit.state
    const typing = keeps ? { edit, activity: model.top, dialog: model.top.dialog } : null
    this.invalidate()
    this.typing = typing
  }

  /** The focused field of the active window. */
  get focusedEdit(): EditBinding | null {
    const { typing } = this
    const { model } = this.parts
    const stands =
      typing !== null &&
      !model.shadeOpen &&
      model.top === typing.activity &&
      model.top.dialog === typing.dialog &&
      model.focusedField === typing.edit.state
    return stands ? typing.edit : this.windows().focusedEdit
  }

  get scale(): LayoutScale {
    return { density: this.parts.density, fontScale: this.parts.model.configuration.fontScale }
  }

  /** Returns the current layout, built again after each change. */
  windows(): Windows {
    if (this.placed) return this.placed
    this.typing = null
    this.placedAt = performance.now()
    const { model, facts, now, keys } = this.parts
    const { width, height } = this.parts.display()
    const activity = model.top
    const ui = screenContext(activity, {
      model,
      facts,
      now,
      landscape: width > height,
      onConfigure: (change) => {
        model.configure(change)
      },
    })
    const screen = model.app(activity.package)?.activities[activity.className]
    if (!screen) throw new Error(`${activity.package} has no ${activity.className}`)
    this.placed = buildWindows({
      model,
      ui,
      screen,
      bounds: { left: 0, top: 0, right: width, bottom: height },
      scale: this.scale,
      now: now(),
      navigation: {
        back: () => {
          keys.back()
        },
        home: () => {
          model.goHome()
        },
        recents: () => {
          keys.recents()
        },
      },
      keyboard: {
        type: (text) => {
          keys.type(text)
        },
        backspace: () => {
          keys.press(KEY.del, 0)
        },
        enter: () => {
          keys.press(KEY.enter, 0)
        },
      },
      setBrightness: (value) => {
        model.brightness = value
      },
      toggleNight: () => {
        model.configure({ night: !model.configuration.night })
      },
      openSettings: () => {
        model.start({ action: 'android.settings.SETTINGS', categories: [], extras: {} })
      },
      openNotification: (notification) => {
        model.openNotification(notification)
      },
      removeNotification: (notification) => {
        model.cancelNotification(notification.package, notification.id)
      },
      dismissDialog: () => {
        model.closeDialog(model.top)
      },
    })
    return this.placed
  }

  /**
   * Returns the windows as accessibility services see them.
   * @param changed is called after an action on a node
   */
  accessibilityWindows(changed: () => void): AccessibilityWindow[] {
    this.refreshClock()
    return accessibilityWindows({ windows: this.windows(), id: (layer) => this.windowId(layer), changed })
  }

  /** A window of the system keeps its ID. An activity or a dialog gets an ID for its lifetime. */
  private windowId(layer: Layer): number {
    const system = ['status', 'navigation', 'shade', 'keyboard', 'heads_up'].indexOf(layer.name)
    if (system !== -1) return system + 1
    const activity = this.parts.model.top
    const owner = layer.name === 'dialog' ? (activity.dialog ?? activity) : activity
    const id = this.windowIds.get(owner) ?? this.nextWindowId++
    this.windowIds.set(owner, id)
    return id
  }

  /** Returns the picture for `screencap` and scrcpy, in which a secure window is black. */
  private drawSteps(): DrawStep[] {
    if (!this.parts.model.awake) return []
    return this.windows().layers.flatMap((layer): DrawStep[] => {
      if (!layer.secure) return displayList(layer.root, this.scale)
      const { rect } = layer.root
      return [{ kind: 'fill', rect, clip: rect, opacity: 1, color: '#000000' }]
    })
  }

  /** @param size the size of the picture; default: the size of the display */
  rgba(size?: { width: number; height: number }): Buffer {
    this.refreshClock()
    const { width, height } = this.parts.display()
    return renderRgba(width, height, this.drawSteps(), size)
  }

  png(): Promise<Buffer> {
    this.refreshClock()
    if (this.encoded) return this.encoded
    const { width, height } = this.parts.display()
    this.encoded = encodePng(width, height, renderRgba(width, height, this.drawSteps()))
    return this.encoded
  }

  /** Discards a picture that time alone has outdated, since no timer runs for such changes. */
  private refreshClock(): void {
    if (this.placed?.moving === true && performance.now() - this.placedAt > FRAME_MS) this.invalidate()
    if (this.placed && this.placed.changesAt <= this.parts.now().getTime()) this.invalidate()
    const minute = Math.floor(this.parts.now().getTime() / 60_000)
    if (minute === this.drawnMinute) return
    this.drawnMinute = minute
    this.invalidate()
  }

  hierarchy(): string {
    this.refreshClock()
    const { active } = this.windows()
    return hierarchyXml(active.dumpRoot, active.package, this.parts.model.rotation)
  }
}
