/** The running Android of one virtual phone: implements `World` by the model, its windows and the input rules. */
import {
  type AppEntry,
  type Display,
  type FocusedWindow,
  type InputMethodState,
  type Intent,
  type KeyAction,
  type StartResult,
  type TouchAction,
  type World,
} from '../../android/world.js'
import { type App, type Configuration, type PhoneFacts } from '../apps/app.js'
import { displayList, type DrawStep } from '../toolkit/display-list.js'
import { setSelection } from '../toolkit/edit-state.js'
import { contains } from '../toolkit/geometry.js'
import { hierarchyXml } from '../toolkit/hierarchy.js'
import { scrollerOf } from '../toolkit/hit.js'
import { type LayoutScale } from '../toolkit/layout.js'
import { encodePng, renderRgba } from '../toolkit/surface.js'
import { walk, type EditBinding, type View } from '../toolkit/view.js'
import { offsetAt, wordAt } from './cursor.js'
import { nextFocus, viewAt, type Direction } from './key-focus.js'
import { editKey, KEY, META, typeText, type EditTarget } from './keys.js'
import { HOME, Model } from './model.js'
import { screenContext } from './screen-context.js'
import { TouchInput } from './touch.js'
import { buildWindows, type Windows } from './windows.js'

const WIDTH = 1080
const HEIGHT = 2400
const DPI = 420
const RECENTS = 'com.android.quickstep.RecentsActivity'
/** Pixels of one mouse wheel notch, Android's 64 dp. */
const WHEEL_DP = 64

export interface WorldOptions {
  apps: readonly App[]
  facts: PhoneFacts
  now: () => Date
}

export class PhoneWorld implements World {
  private readonly model: Model
  private readonly touchInput: TouchInput
  private windows: Windows | null = null
  private png: { minute: number; data: Promise<Buffer> } | null = null
  private readonly changeListeners = new Set<() => void>()
  private readonly clipboardListeners = new Set<(text: string) => void>()

  constructor(private readonly options: WorldOptions) {
    this.model = new Model(options.apps)
    this.touchInput = new TouchInput({
      layers: () => this.layout().layers,
      tap: (v, x, y) => {
        this.tap(v, x, y)
      },
      longPress: (v, x, y) => {
        this.longPress(v, x, y)
      },
      openShade: () => {
        this.model.openShade()
      },
      closeShade: () => {
        this.model.shadeOpen = false
      },
      shadeOpen: () => this.model.shadeOpen,
      changed: () => {
        this.changed()
      },
      density: DPI / 160,
      now: () => performance.now(),
    })
  }

  get display(): Display {
    const turned = this.model.rotation % 2 === 1
    return {
      width: turned ? HEIGHT : WIDTH,
      height: turned ? WIDTH : HEIGHT,
      density: DPI,
      rotation: this.model.rotation,
    }
  }

  get focused(): FocusedWindow {
    return this.model.focused
  }

  get inputMethod(): InputMethodState {
    const edit = this.layout().focusedEdit
    const served = edit !== null
    return {
      shown: this.model.keyboard.shown && served && this.model.awake,
      served,
      inputType: edit?.inputType ?? 0,
    }
  }

  get awake(): boolean {
    return this.model.awake
  }

  private get scale(): LayoutScale {
    return { density: DPI / 160, fontScale: this.model.configuration.fontScale }
  }

  /** The placement of the moment, built again after each change. */
  private layout(): Windows {
    if (this.windows) return this.windows
    const { model, options } = this
    const { width, height } = this.display
    const activity = model.top
    const ui = screenContext(activity, {
      model,
      facts: options.facts,
      now: options.now,
      landscape: width > height,
      onConfigure: (change) => {
        model.configure(change)
      },
    })
    const screen = model.app(activity.package)?.activities[activity.className]
    if (!screen) throw new Error(`${activity.package} has no ${activity.className}`)
    this.windows = buildWindows({
      model,
      ui,
      screen,
      bounds: { left: 0, top: 0, right: width, bottom: height },
      scale: this.scale,
      now: options.now(),
      navigation: {
        back: () => {
          this.back()
        },
        home: () => {
          model.goHome()
        },
        recents: () => {
          this.recents()
        },
      },
      keyboard: {
        type: (text) => {
          this.commitText(text)
        },
        backspace: () => {
          this.pressKey(KEY.del, 0)
        },
        enter: () => {
          this.pressKey(KEY.enter, 0)
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
      dismissDialog: () => {
        model.closeDialog(model.top)
      },
    })
    return this.windows
  }

  private changed(): void {
    this.windows = null
    this.png = null
    for (const listener of this.changeListeners) listener()
  }

  /** The windows of the moment, placed: for tests that compare what is drawn, told and hit. */
  windowsNow(): Windows {
    return this.layout()
  }

  /** What the painter draws, from back to front. */
  drawSteps(): DrawStep[] {
    return this.model.awake
      ? this.layout().layers.flatMap((layer) => displayList(layer.root, this.scale))
      : []
  }

  screenshotRgba(): Promise<Buffer> {
    this.refreshClock()
    const { width, height } = this.display
    return Promise.resolve(renderRgba(width, height, this.drawSteps()))
  }

  screenshotPng(): Promise<Buffer> {
    const minute = this.refreshClock()
    if (this.png) return this.png.data
    const { width, height } = this.display
    const data = encodePng(width, height, renderRgba(width, height, this.drawSteps()))
    this.png = { minute, data }
    return data
  }

  /** The clock has no timer: a picture of another minute is drawn anew when it is asked for. */
  private drawnMinute = 0
  private refreshClock(): number {
    const minute = Math.floor(this.options.now().getTime() / 60_000)
    if (minute !== this.drawnMinute) {
      this.drawnMinute = minute
      this.windows = null
      this.png = null
    }
    return minute
  }

  hierarchyXml(): string {
    this.refreshClock()
    const { active } = this.layout()
    return hierarchyXml(active.dumpRoot, active.package, this.model.rotation)
  }

  touch(action: TouchAction, pointerId: number, x: number, y: number): void {
    if (!this.model.awake) return
    this.touchInput.handle(action, pointerId, x, y)
  }

  private tap(v: View, x: number, y: number): void {
    this.model.top.keyFocus = null
    if (v.edit) {
      const offset = offsetAt(v, x, y, this.scale)
      setSelection(v.edit.state, offset, offset)
      this.model.focusField(v.edit.state, true)
      return
    }
    v.onClick?.()
  }

  private longPress(v: View, x: number, y: number): void {
    if (v.edit) {
      const { start, end } = wordAt(v.edit.state.text, offsetAt(v, x, y, this.scale))
      setSelection(v.edit.state, start, end)
      this.model.focusField(v.edit.state, true)
      return
    }
    v.onLongClick?.()
  }

  key(action: KeyAction, keyCode: number, metaState: number): void {
    if (action !== 'down') return
    this.pressKey(keyCode, metaState)
    this.changed()
  }

  private pressKey(keyCode: number, meta: number): void {
    const { model } = this
    if (keyCode === KEY.power) model.awake = !model.awake
    else if (keyCode === KEY.wakeup) model.awake = true
    else if (keyCode === KEY.sleep || keyCode === KEY.softSleep) this.sleep()
    if (!model.awake) return
    switch (keyCode) {
      case KEY.home:
        model.goHome()
        return
      case KEY.appSwitch:
        this.recents()
        return
      case KEY.back:
      case KEY.escape:
        this.back()
        return
    }
    const target = this.editTarget()
    if (target && editKey(target, keyCode, meta)) {
      this.windows = null
      return
    }
    this.focusKey(keyCode, meta)
  }

  private editTarget(): EditTarget | null {
    const binding = this.focusedEdit()
    if (!binding) return null
    return {
      binding,
      clipboard: this.model.clipboard,
      setClipboard: (text) => {
        this.setClipboard(text)
      },
      changed: () => {
        binding.onChange(binding.state.text)
      },
    }
  }

  private focusedEdit(): EditBinding | null {
    return this.model.shadeOpen ? null : this.layout().focusedEdit
  }

  /** Keys that no field took: the direction focus, click and page scrolling. */
  private focusKey(keyCode: number, meta: number): void {
    const directions: Record<number, Direction> = {
      [KEY.up]: 'up',
      [KEY.down]: 'down',
      [KEY.left]: 'left',
      [KEY.right]: 'right',
      [KEY.tab]: (meta & META.shift) !== 0 ? 'previous' : 'next',
    }
    const root = this.layout().active.dumpRoot
    const activity = this.model.top
    const current = activity.keyFocus === null ? this.fieldView(root) : viewAt(root, activity.keyFocus)
    const direction = directions[keyCode]
    if (direction) {
      const next = nextFocus(root, current, direction)
      if (next?.view.edit) {
        this.model.focusField(next.view.edit.state, this.model.keyboard.shown)
      } else if (next) {
        this.model.focusField(null, false)
        activity.keyFocus = next.place
      } else this.scrollBy(current ?? root, direction === 'up' ? -0.5 : direction === 'down' ? 0.5 : 0)
    } else if (
      keyCode === KEY.center ||
      keyCode === KEY.enter ||
      keyCode === KEY.space ||
      keyCode === KEY.numpadEnter
    ) {
      if (current?.enabled) current.onClick?.()
    } else if (keyCode === KEY.pageUp || keyCode === KEY.pageDown) {
      this.scrollBy(current ?? root, keyCode === KEY.pageUp ? -0.9 : 0.9)
    }
  }

  private fieldView(root: View): View | null {
    for (const v of walk(root)) if (v.edit?.focused) return v
    return null
  }

  /** Scrolls the nearest scroller by a share of its height. */
  private scrollBy(from: View, share: number): void {
    let scroller = scrollerOf(from, 'vertical')
    if (!scroller) for (const v of walk(from)) if (v.scroll && v.scroll.limit > 0) scroller ??= v
    if (!scroller?.scroll) return
    const { scroll, rect } = scroller
    scroll.offset = Math.round(
      Math.max(0, Math.min(scroll.limit, scroll.offset + share * (rect.bottom - rect.top))),
    )
  }

  private back(): void {
    const { model } = this
    const activity = model.top
    if (model.shadeOpen) model.shadeOpen = false
    else if (model.keyboard.shown) model.hideKeyboard()
    else if (activity.dialog) model.closeDialog(activity)
    else if (activity.onBack) activity.onBack()
    else model.finish(activity)
  }

  private recents(): void {
    this.model.start({
      component: { package: HOME, className: RECENTS },
      action: 'open',
      categories: [],
      extras: {},
    })
  }

  scroll(x: number, y: number, horizontal: number, vertical: number): void {
    if (!this.model.awake) return
    const step = WHEEL_DP * this.scale.density
    for (const direction of ['vertical', 'horizontal'] as const) {
      const notches = direction === 'vertical' ? vertical : -horizontal
      const scroller = notches === 0 ? null : this.scrollerAt(x, y, direction)
      if (!scroller) continue
      scroller.offset = Math.round(Math.max(0, Math.min(scroller.limit, scroller.offset - notches * step)))
    }
    this.changed()
  }

  private scrollerAt(x: number, y: number, direction: View['scrollDirection']): View['scroll'] {
    const layer = [...this.layout().layers]
      .reverse()
      .find((l) => l.name !== 'status' && contains(l.root.visible, x, y))
    let found: View['scroll'] = null
    if (layer) {
      for (const v of walk(layer.root)) {
        if (v.scroll && v.scrollDirection === direction && contains(v.visible, x, y)) found = v.scroll
      }
    }
    return found
  }

  commitText(text: string): boolean {
    const target = this.model.awake ? this.editTarget() : null
    if (!target) return false
    typeText(target.binding, text)
    target.changed()
    this.changed()
    return true
  }

  get clipboard(): string {
    return this.model.clipboard
  }

  setClipboard(text: string): void {
    if (text === this.model.clipboard) return
    this.model.clipboard = text
    for (const listener of this.clipboardListeners) listener(text)
  }

  paste(): void {
    this.key('down', KEY.paste, 0)
  }

  onClipboardChange(listener: (text: string) => void): () => void {
    this.clipboardListeners.add(listener)
    return () => this.clipboardListeners.delete(listener)
  }

  startActivity(intent: Intent): StartResult {
    const result = this.model.start(intent)
    this.changed()
    return result
  }

  forceStop(packageName: string): void {
    this.model.forceStop(packageName)
    this.changed()
  }

  clearData(packageName: string): void {
    this.model.clearData(packageName)
    this.changed()
  }

  builtInApps(): readonly AppEntry[] {
    return this.model.builtIn()
  }

  launchableApps(): readonly AppEntry[] {
    return this.model.allApps().filter((app) => app.launcherActivity !== null)
  }

  get configuration(): Readonly<Configuration> {
    return this.model.configuration
  }

  setInstalledApps(apps: readonly AppEntry[]): void {
    this.model.setInstalled(apps)
    this.changed()
  }

  wake(): void {
    this.model.awake = true
    this.changed()
  }

  sleep(): void {
    this.model.awake = false
    this.model.shadeOpen = false
    this.touchInput.reset()
    this.changed()
  }

  setRotation(rotation: number): void {
    this.model.rotation = ((Math.trunc(rotation) % 4) + 4) % 4
    this.touchInput.reset()
    this.changed()
  }

  setConfiguration(change: Partial<Configuration>): void {
    this.model.configure(change)
    this.changed()
  }

  expandNotifications(): void {
    if (!this.model.awake) return
    this.model.openShade()
    this.changed()
  }

  collapsePanels(): void {
    this.model.shadeOpen = false
    this.changed()
  }

  onChange(listener: () => void): () => void {
    this.changeListeners.add(listener)
    return () => this.changeListeners.delete(listener)
  }

  exportState(): unknown {
    return this.model.exportState()
  }

  reboot(state: unknown): void {
    this.touchInput.reset()
    this.model.restore(state)
    this.changed()
  }

  close(): void {
    this.touchInput.reset()
    this.changeListeners.clear()
    this.clipboardListeners.clear()
  }
}
