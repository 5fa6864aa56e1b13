/** The running Android of one virtual phone: implements `World` with the model, its windows and the input rules. */
import { type AccessibilityWindow } from '../../android/accessibility.js'
import {
  type AppEntry,
  type Display,
  type FocusedWindow,
  type GeoPoint,
  type Incident,
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
import { type Configuration } from '../apps/app.js'
import { permissionsOf, setPermission } from './app-permissions.js'
import { type Frames } from './frames.js'
import { type HeadsUp } from './heads-up.js'
import { type KeyInput } from './key-input.js'
import { KEY } from './keys.js'
import { listen, Listeners } from './listeners.js'
import { type Minutes } from './minutes.js'
import { type Model } from './model.js'
import { type Pointer } from './pointer.js'
import { type ScreenSource } from './screen-source.js'
import { type SystemDialog } from './system-state.js'
import { applyShown, ShownSettings } from './system-settings.js'
import { type TouchInput } from './touch.js'
import { type Windows } from './windows.js'
import { createParts, DPI, type WorldOptions } from './world-parts.js'

const WIDTH = 1080
const HEIGHT = 2400

export class PhoneWorld implements World {
  private readonly model: Model
  private readonly touchInput: TouchInput
  private readonly keyInput: KeyInput
  private readonly screen: ScreenSource
  private readonly pointer: Pointer
  private readonly listeners = new Listeners()
  private clipboardDenied = false
  private readonly settings: ShownSettings
  private readonly frames: Frames
  private readonly minutes: Minutes
  private readonly headsUp: HeadsUp

  constructor(options: WorldOptions) {
    const parts = createParts(options, {
      display: () => this.display,
      idle: () => this.idle,
      watched: () => this.listeners.change.size > 0,
      moved: () => this.listeners.changed(),
      changed: () => {
        this.changed()
      },
      setClipboard: (text) => {
        this.setClipboard(text)
      },
    })
    this.model = parts.model
    this.model.report = (incident) => {
      for (const listener of this.listeners.incident) listener(incident)
    }
    this.settings = new ShownSettings(this.model)
    this.screen = parts.screen
    this.frames = parts.frames
    this.minutes = parts.minutes
    this.headsUp = parts.headsUp
    this.keyInput = parts.keyInput
    this.touchInput = parts.touchInput
    this.pointer = parts.pointer
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
    this.notifyListeners()
  }

  private fieldChanged(): void {
    this.screen.fieldChanged()
    this.notifyListeners()
  }

  private notifyListeners(): void {
    for (const change of this.settings.changes()) {
      for (const listener of this.listeners.system) listener(change)
    }
    this.listeners.changed()
    for (const listener of this.listeners.state) listener()
    if (this.listeners.change.size > 0) this.frames.start()
    this.headsUp.watch()
  }

  /** Returns the current layout, for tests that compare drawing, tree and touch. */
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

  key(action: KeyAction, keyCode: number, metaState: number): void {
    if (action !== 'down') return
    const onlyField = this.keyInput.press(keyCode, metaState)
    if (!this.model.awake) this.touchInput.reset()
    if (onlyField) this.fieldChanged()
    else this.changed()
  }

  scroll(x: number, y: number, horizontal: number, vertical: number): void {
    if (!this.model.awake) return
    this.pointer.scroll(x, y, horizontal, vertical)
    this.changed()
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
    for (const listener of this.listeners.clipboard) listener(text)
  }

  paste(): void {
    this.key('down', KEY.paste, 0)
  }

  onClipboardChange(listener: (text: string) => void): () => void {
    return listen(this.listeners.clipboard, listener)
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
    return listen(this.listeners.system, listener)
  }

  permissionsOf(packageName: string): ReadonlyMap<string, boolean> {
    return permissionsOf(this.model, packageName)
  }

  setPermission(packageName: string, name: string, granted: boolean): void {
    setPermission(this.model, packageName, name, granted)
    this.changed()
  }

  onIncident(listener: (incident: Incident) => void): () => void {
    return listen(this.listeners.incident, listener)
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
    this.model.notResponding(packageName)
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
    this.listeners.change.add(listener)
    this.frames.start()
    this.minutes.start()
    return () => {
      this.listeners.change.delete(listener)
      if (this.listeners.change.size === 0) this.minutes.stop()
    }
  }

  onStateChange(listener: () => void): () => void {
    return listen(this.listeners.state, listener)
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
    this.listeners.clear()
  }
}
