/** The running Android of one virtual phone: implements `World` by the model, its windows and the input rules. */
import { type AccessibilityWindow } from '../../android/accessibility.js'
import {
  type AppEntry,
  type Display,
  type FocusedWindow,
  type GeoPoint,
  type InputMethodState,
  type Intent,
  type KeyAction,
  type PhoneNotification,
  type ScreenLock,
  type StartResult,
  type SystemChange,
  type TouchAction,
  type World,
} from '../../android/world.js'
import { type App, type Configuration, type PhoneFacts } from '../apps/app.js'
import { setSelection } from '../toolkit/edit-state.js'
import { contains } from '../toolkit/geometry.js'
import { walk, type View } from '../toolkit/view.js'
import { offsetAt, wordAt } from './cursor.js'
import { Frames } from './frames.js'
import { HeadsUp } from './heads-up.js'
import { KeyInput } from './key-input.js'
import { KEY } from './keys.js'
import { Minutes } from './minutes.js'
import { Model } from './model.js'
import { ScreenSource } from './screen-source.js'
import { type SystemDialog } from './system-state.js'
import { applyShown, ShownSettings } from './system-settings.js'
import { TouchInput } from './touch.js'
import { type Windows } from './windows.js'

const WIDTH = 1080
const HEIGHT = 2400
const DPI = 420
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
  private readonly keyInput: KeyInput
  private readonly screen: ScreenSource
  private readonly changeListeners = new Set<() => void>()
  private clipboardDenied = false
  private readonly stateListeners = new Set<() => void>()
  private readonly systemListeners = new Set<(change: SystemChange) => void>()
  private readonly settings: ShownSettings
  private readonly frames: Frames
  private readonly minutes: Minutes
  private readonly headsUp: HeadsUp
  private readonly clipboardListeners = new Set<(text: string) => void>()

  constructor(options: WorldOptions) {
    this.model = new Model(options.apps)
    this.settings = new ShownSettings(this.model)
    this.frames = new Frames({
      moving: () => this.changeListeners.size > 0 && this.model.awake && !this.idle,
      frame: () => {
        this.screen.invalidate()
        for (const listener of this.changeListeners) listener()
      },
    })
    this.minutes = new Minutes({
      watched: () => this.changeListeners.size > 0,
      now: options.now,
      minute: () => {
        for (const listener of this.changeListeners) listener()
      },
    })
    this.headsUp = new HeadsUp({
      headsUp: () => this.model.system.headsUp,
      hide: () => {
        this.model.hideHeadsUp()
        this.changed()
      },
    })
    this.keyInput = new KeyInput({
      model: this.model,
      windows: () => this.screen.windows(),
      focusedEdit: () => this.screen.focusedEdit,
      setClipboard: (text) => {
        this.setClipboard(text)
      },
    })
    this.screen = new ScreenSource({
      ...options,
      model: this.model,
      display: () => this.display,
      density: DPI / 160,
      keys: this.keyInput,
    })
    this.touchInput = new TouchInput({
      layers: () => this.screen.windows().layers,
      tap: (v, x, y) => {
        this.tap(v, x, y)
      },
      longPress: (v, x, y) => {
        this.longPress(v, x, y)
      },
      rtl: () => this.screen.scale.rtl ?? false,
      locked: () => this.model.system.locked,
      unlock: () => {
        this.model.system.locked = false
      },
      openShade: () => {
        this.model.openShade()
      },
      closeShade: () => {
        this.model.shadeOpen = false
      },
      shadeOpen: () => this.model.shadeOpen,
      hideHeadsUp: () => {
        this.model.hideHeadsUp()
      },
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

  get secure(): boolean {
    return this.screen.windows().layers.some(({ secure }) => secure)
  }

  get focused(): FocusedWindow {
    return this.model.focused
  }

  get systemDialog(): SystemDialog | null {
    return this.model.system.dialogs.at(-1) ?? null
  }

  get inputMethod(): InputMethodState {
    const edit = this.screen.focusedEdit
    const served = edit !== null
    return {
      shown: this.model.keyboardShown && served && this.model.awake,
      served,
      inputType: edit?.inputType ?? 0,
    }
  }

  get awake(): boolean {
    return this.model.awake
  }

  private changed(): void {
    this.screen.invalidate()
    this.tell()
  }

  private fieldChanged(): void {
    this.screen.fieldChanged()
    this.tell()
  }

  private tell(): void {
    for (const change of this.settings.changes()) {
      for (const listener of this.systemListeners) listener(change)
    }
    for (const listener of this.changeListeners) listener()
    for (const listener of this.stateListeners) listener()
    if (this.changeListeners.size > 0) this.frames.start()
    this.headsUp.watch()
  }

  /** The windows of the moment, placed: for tests that compare what is drawn, told and hit. */
  windowsNow(): Windows {
    return this.screen.windows()
  }

  screenshotRgba(size?: { width: number; height: number }): Promise<Buffer> {
    return Promise.resolve(this.screen.rgba(size))
  }

  screenshotPng(): Promise<Buffer> {
    return this.screen.png()
  }

  hierarchyXml(): string {
    return this.screen.hierarchy()
  }

  accessibilityWindows(): readonly AccessibilityWindow[] {
    return this.model.awake ? this.screen.accessibilityWindows(() => this.changed()) : []
  }

  touch(action: TouchAction, pointerId: number, x: number, y: number): void {
    if (!this.model.awake) return
    this.touchInput.handle(action, pointerId, x, y)
  }

  private tap(v: View, x: number, y: number): void {
    this.model.top.keyFocus = null
    if (v.edit) {
      const offset = offsetAt(v, x, y, this.screen.scale)
      setSelection(v.edit.state, offset, offset)
      this.model.focusField(v.edit.state, true)
      return
    }
    v.onClick?.()
  }

  private longPress(v: View, x: number, y: number): void {
    if (v.edit) {
      const { start, end } = wordAt(v.edit.state.text, offsetAt(v, x, y, this.screen.scale))
      setSelection(v.edit.state, start, end)
      this.model.focusField(v.edit.state, true)
      return
    }
    v.onLongClick?.()
  }

  key(action: KeyAction, keyCode: number, metaState: number): void {
    if (action !== 'down') return
    const onlyField = this.keyInput.press(keyCode, metaState)
    if (!this.model.awake) this.touchInput.reset()
    if (onlyField) this.fieldChanged()
    else this.changed()
  }

  scroll(x: number, y: number, horizontal: number, vertical: number): void {
    if (!this.model.awake) return
    const step = WHEEL_DP * this.screen.scale.density
    for (const direction of ['vertical', 'horizontal'] as const) {
      const notches = direction === 'vertical' ? vertical : -horizontal
      const scroller = notches === 0 ? null : this.scrollerAt(x, y, direction)
      if (!scroller) continue
      scroller.offset = Math.round(Math.max(0, Math.min(scroller.limit, scroller.offset - notches * step)))
    }
    this.changed()
  }

  private scrollerAt(x: number, y: number, direction: View['scrollDirection']): View['scroll'] {
    const layer = [...this.screen.windows().layers]
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
    if (!this.model.awake || !this.keyInput.type(text)) return false
    this.fieldChanged()
    return true
  }

  get clipboard(): string {
    return this.clipboardDenied ? '' : this.model.clipboard
  }

  setClipboard(text: string): void {
    if (this.clipboardDenied || text === this.model.clipboard) return
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

  runningApps(): readonly string[] {
    return this.model.tasks.map((task) => task.package)
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
    this.model.sleep()
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
    this.settings.forget()
    this.changed()
  }

  applySetting(table: 'system' | 'secure' | 'global', name: string, value: string | null): void {
    if (!applyShown(this.model, table, name, value)) return
    this.settings.forget()
    this.changed()
  }

  onSystemChange(listener: (change: SystemChange) => void): () => void {
    this.systemListeners.add(listener)
    return () => this.systemListeners.delete(listener)
  }

  connectScreenLock(lock: ScreenLock): void {
    this.model.screenLock = lock
  }

  get location(): GeoPoint | null {
    return this.model.system.location
  }

  setLocation(point: GeoPoint | null): void {
    this.model.system.location = point
    this.changed()
  }

  get batteryPercent(): number {
    return this.model.system.batteryPercent
  }

  setBattery(percent: number): void {
    this.model.system.batteryPercent = Math.max(0, Math.min(100, Math.round(percent)))
    this.changed()
  }

  get notifications(): readonly PhoneNotification[] {
    return this.model.system.notifications
  }

  notify(notification: PhoneNotification): void {
    this.model.notify(notification)
    this.changed()
  }

  cancelNotification(packageName: string, id: string): void {
    this.model.cancelNotification(packageName, id)
    this.changed()
  }

  showCrash(packageName: string): void {
    this.model.crash(packageName)
    this.changed()
  }

  showNotResponding(packageName: string): void {
    this.model.system.dialogs.push({ kind: 'not_responding', package: packageName })
    this.changed()
  }

  get locked(): boolean {
    return this.model.system.locked
  }

  setLocked(locked: boolean): void {
    this.model.system.locked = locked
    this.touchInput.reset()
    this.changed()
  }

  get idle(): boolean {
    return !this.screen.windows().moving
  }

  setRestless(on: boolean): void {
    this.model.system.restless = on
    this.changed()
  }

  denyClipboard(on: boolean): void {
    this.clipboardDenied = on
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
    this.frames.start()
    this.minutes.start()
    return () => {
      this.changeListeners.delete(listener)
      if (this.changeListeners.size === 0) this.minutes.stop()
    }
  }

  onStateChange(listener: () => void): () => void {
    this.stateListeners.add(listener)
    return () => this.stateListeners.delete(listener)
  }

  exportState(): unknown {
    return this.model.exportState()
  }

  reboot(state: unknown): void {
    this.touchInput.reset()
    this.model.restore(state)
    this.settings.forget()
    this.changed()
  }

  close(): void {
    this.touchInput.reset()
    this.frames.stop()
    this.minutes.stop()
    this.headsUp.stop()
    this.changeListeners.clear()
    this.stateListeners.clear()
    this.systemListeners.clear()
    this.clipboardListeners.clear()
  }
}
