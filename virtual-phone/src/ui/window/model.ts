/**
 * The running system's state without any drawing: tasks, apps, saved data,
 * configuration, focus and keyboard. The window manager builds views from it
 * and input changes it.
 */
import {
  type AppEntry,
  type FocusedWindow,
  type Incident,
  type Intent,
  type PhoneNotification,
  type ScreenLock,
  type StartResult,
} from '../../android/world.js'
import { type App, type Configuration } from '../apps/app.js'
import { type SettingsData } from '../apps/settings/data.js'
import { plainApp } from '../apps/plain.js'
import { type EditState } from '../toolkit/edit-state.js'
import { knownLocale, knownTimeZone } from './known-values.js'
import { newSystemState, SYSTEM_KEYBOARD, withNotification, type SystemState } from './system-state.js'
import { newActivity, type Activity, type DialogRecord, type TaskRecord } from './activity.js'

export const HOME = 'com.android.launcher3'
const DEFAULTS: Configuration = { locale: 'en-US', timeZone: 'UTC', night: false, fontScale: 1 }

export interface KeyboardState {
  shown: boolean
  page: 'letters' | 'symbols' | 'more'
  shift: 'off' | 'once' | 'lock'
}

export class Model {
  tasks: TaskRecord[] = []
  configuration: Configuration = { ...DEFAULTS }
  clipboard = ''
  awake = true
  rotation = 0
  shadeOpen = false
  brightness = 0.6
  system: SystemState = newSystemState()
  keyboard: KeyboardState = { shown: false, page: 'letters', shift: 'off' }
  screenLock: ScreenLock = { isSet: () => false, set: () => undefined }
  /** Called for each incident; set by `world.ts`. */
  report: (incident: Incident) => void = () => undefined
  private data = new Map<string, object>()
  private installed: readonly AppEntry[] = []
  private nextTask = 1

  constructor(private readonly apps: readonly App[]) {
    this.goHome()
  }

  builtIn(): AppEntry[] {
    return this.apps.map((app) => ({
      package: app.package,
      label: app.label,
      versionName: app.versionName,
      versionCode: app.versionCode,
      system: true,
      launcherActivity: app.launcherActivity,
      uid: app.uid,
    }))
  }

  allApps(): AppEntry[] {
    return [...this.builtIn(), ...this.installed]
  }

  /** Returns the app's screens; an installed app has one plain screen. */
  app(packageName: string): App | undefined {
    const known = this.apps.find((app) => app.package === packageName)
    if (known) return known
    const entry = this.installed.find((app) => app.package === packageName)
    return entry ? plainApp(entry) : undefined
  }

  setInstalled(apps: readonly AppEntry[]): void {
    const gone = this.installed.filter((old) => !apps.some((app) => app.package === old.package))
    this.installed = apps
    for (const app of gone) this.clearData(app.package)
  }

  /** The top activity of the front task. */
  get top(): Activity {
    const activity = this.tasks[0]?.stack.at(-1)
    if (!activity) throw new Error('No activity is in front')
    return activity
  }

  get focused(): FocusedWindow {
    return { package: this.top.package, activity: this.top.className }
  }

  get focusedField(): EditState | null {
    return this.top.focusedField
  }

  /** Returns the saved data of an app, which is created on first use. */
  dataOf(packageName: string): object {
    let data = this.data.get(packageName)
    if (!data) {
      data = this.app(packageName)?.initialData() ?? {}
      this.data.set(packageName, data)
    }
    return data
  }

  /** Switches of the Settings app that the system itself displays. */
  private switches(): Record<string, boolean> {
    return (this.dataOf('com.android.settings') as SettingsData).switches
  }

  isSwitchOn(key: string): boolean {
    return this.switches()[key] ?? false
  }

  toggleSwitch(key: string): void {
    this.switches()[key] = !this.isSwitchOn(key)
  }

  notify(notification: PhoneNotification): void {
    const isUpdate = this.system.notifications.some(
      ({ package: name, id }) => name === notification.package && id === notification.id,
    )
    this.system.notifications = withNotification(this.system.notifications, notification)
    const seen = this.awake && !this.system.locked && !this.shadeOpen && !this.isSwitchOn('do_not_disturb')
    this.system.headsUp = seen ? notification : null
    this.report({ kind: 'posted', notification, isUpdate })
  }

  cancelNotification(packageName: string, id: string): void {
    this.system.notifications = this.system.notifications.filter(
      (n) => n.package !== packageName || n.id !== id,
    )
    const { headsUp } = this.system
    if (headsUp?.package === packageName && headsUp.id === id) this.hideHeadsUp()
    this.report({ kind: 'cancelled', package: packageName, id })
  }

  /** Opens the app of a notification, and removes the notification. */
  openNotification(notification: PhoneNotification): void {
    this.cancelNotification(notification.package, notification.id)
    const { package: name, id } = notification
    this.start({ package: name, action: 'android.intent.action.MAIN', categories: [], extras: {} })
    const opened = this.app(name)?.notificationActivity
    if (!opened) return
    const component = { package: name, className: opened.className }
    this.start({ component, action: 'open', categories: [], extras: { [opened.extra]: id } })
  }

  /** The notification stays in the shade. */
  hideHeadsUp(): void {
    this.system.headsUp = null
  }

  /** Ends the app and shows the system's dialog. */
  crash(packageName: string): void {
    this.report({ kind: 'crash', package: packageName })
    this.forceStop(packageName)
    this.system.dialogs.push({ kind: 'crash', package: packageName })
  }

  /** The app stays; the system's dialog appears in front. */
  notResponding(packageName: string): void {
    this.report({ kind: 'not_responding', package: packageName })
    this.system.dialogs.push({ kind: 'not_responding', package: packageName })
  }

  closeSystemDialog(): void {
    this.system.dialogs.pop()
  }

  /** Replaces a locale or time zone unknown to the formatter by the default. */
  configure(change: Partial<Configuration>): void {
    const next = { ...this.configuration, ...change }
    next.locale = knownLocale(next.locale) ?? DEFAULTS.locale
    next.timeZone = knownTimeZone(next.timeZone) ?? DEFAULTS.timeZone
    this.configuration = next
  }

  sleep(): void {
    this.awake = false
    this.shadeOpen = false
    this.hideHeadsUp()
  }

  openShade(): void {
    this.hideKeyboard()
    this.hideHeadsUp()
    this.shadeOpen = true
  }

  /** Returns the resolved component of an intent. */
  private resolve(intent: Intent): { package: string; className: string } | null {
    if (intent.component) {
      const { package: name, className } = intent.component
      return this.app(name)?.activities[className] ? { package: name, className } : null
    }
    const action = intent.action ?? 'android.intent.action.MAIN'
    if (
      action === 'android.intent.action.MAIN' &&
      intent.categories.includes('android.intent.category.HOME')
    ) {
      return { package: HOME, className: this.app(HOME)?.launcherActivity ?? '' }
    }
    if (action === 'android.intent.action.MAIN' && intent.package) {
      const className = this.app(intent.package)?.launcherActivity
      return className ? { package: intent.package, className } : null
    }
    const web = action !== 'android.intent.action.VIEW' || /^https?:/i.test(intent.data ?? '')
    for (const app of this.apps) {
      const className = app.actions[action]
      if (className && web && (!intent.package || intent.package === app.package))
        return { package: app.package, className }
    }
    return null
  }

  start(intent: Intent): StartResult {
    const target = this.resolve(intent)
    if (!target) return { kind: 'not_found' }
    this.leaveFront()
    if (target.package === HOME && target.className === this.app(HOME)?.launcherActivity) this.goHome()
    else {
      const known = this.tasks.find((task) => task.package === target.package)
      const front = this.tasks[0] === known
      const plain =
        (intent.action ?? 'android.intent.action.MAIN') === 'android.intent.action.MAIN' && !intent.data
      if (known && plain && target.className === this.app(target.package)?.launcherActivity) {
        this.bringToFront(known)
        return { kind: front ? 'delivered' : 'started', window: this.focused }
      }
      const task = known ?? { id: this.nextTask++, package: target.package, stack: [] }
      this.bringToFront(task)
      const top = task.stack.at(-1)
      if (top?.className === target.className && front) {
        task.stack[task.stack.length - 1] = newActivity(target.package, target.className, intent)
        return { kind: 'delivered', window: this.focused }
      }
      task.stack.push(newActivity(target.package, target.className, intent))
      this.report({ kind: 'started', package: target.package, className: target.className })
    }
    return { kind: 'started', window: this.focused }
  }

  private bringToFront(task: TaskRecord): void {
    this.tasks = [task, ...this.tasks.filter((other) => other !== task)]
  }

  /** Closes the keyboard and the shade when another window comes in front. */
  private leaveFront(): void {
    this.hideKeyboard()
    this.shadeOpen = false
  }

  goHome(): void {
    this.leaveFront()
    const className = this.app(HOME)?.launcherActivity
    if (!className) throw new Error('The launcher has no activity')
    const home = this.tasks.find((task) => task.package === HOME) ?? {
      id: this.nextTask++,
      package: HOME,
      stack: [],
    }
    const first = home.stack[0] ?? newActivity(HOME, className, { categories: [], extras: {} })
    this.closeDialog(first)
    home.stack = [first]
    this.bringToFront(home)
  }

  finish(activity: Activity): void {
    const task = this.tasks.find((candidate) => candidate.stack.includes(activity))
    if (!task || activity.className === this.app(HOME)?.launcherActivity) return
    task.stack = task.stack.filter((other) => other !== activity)
    this.hideKeyboard()
    if (task.stack.length > 0) return
    const front = this.tasks[0] === task
    this.tasks = this.tasks.filter((other) => other !== task)
    if (front) this.goHome()
  }

  switchTo(taskId: number): void {
    const task = this.tasks.find((candidate) => candidate.id === taskId)
    if (!task) return
    this.leaveFront()
    this.bringToFront(task)
  }

  /** Returns the app tasks, most recent first, as the overview lists them. */
  recentTasks(): TaskRecord[] {
    return this.tasks.filter((task) => task.package !== HOME)
  }

  closeTasks(): void {
    this.tasks = this.tasks.filter((task) => task.package === HOME)
  }

  forceStop(packageName: string): void {
    const front = this.tasks[0]?.package === packageName
    this.tasks = this.tasks.filter((task) => task.package !== packageName)
    if (front) this.goHome()
  }

  clearData(packageName: string): void {
    this.forceStop(packageName)
    this.data.delete(packageName)
    this.system.notifications = this.system.notifications.filter((n) => n.package !== packageName)
    if (this.system.headsUp?.package === packageName) this.hideHeadsUp()
  }

  focusField(field: EditState | null, showKeyboard: boolean): void {
    this.top.focusedField = field
    this.top.keyFocus = null
    if (!field) this.hideKeyboard()
    else if (showKeyboard && !this.keyboard.shown)
      this.keyboard = { shown: true, page: 'letters', shift: 'off' }
  }

  openDialog(activity: Activity, build: DialogRecord['build']): void {
    const focusBefore = activity.dialog ? activity.dialog.focusBefore : activity.focusedField
    activity.dialog = { build, focusBefore }
    activity.focusedField = null
    activity.keyFocus = null
    this.hideKeyboard()
  }

  closeDialog(activity: Activity): void {
    if (!activity.dialog) return
    activity.focusedField = activity.dialog.focusBefore
    activity.dialog = null
    activity.keyFocus = null
    this.hideKeyboard()
  }

  /** The keyboard's view is on the screen if the focused field needs it. */
  get keyboardShown(): boolean {
    return this.keyboard.shown && this.system.inputMethod === SYSTEM_KEYBOARD
  }

  hideKeyboard(): void {
    this.keyboard = { shown: false, page: 'letters', shift: 'off' }
  }

  exportState(): unknown {
    return structuredClone({
      configuration: this.configuration,
      brightness: this.brightness,
      location: this.system.location,
      data: Object.fromEntries(this.data),
    })
  }

  /** Loads the state of `exportState`; any other value means a wiped phone. */
  restore(state: unknown): void {
    const saved = (typeof state === 'object' && state !== null ? structuredClone(state) : {}) as {
      configuration?: Partial<Configuration>
      brightness?: number
      location?: SystemState['location']
      data?: Record<string, object>
    }
    this.configuration = { ...DEFAULTS }
    this.configure(saved.configuration ?? {})
    this.brightness = saved.brightness ?? 0.6
    this.data = new Map(Object.entries(saved.data ?? {}))
    if (Object.keys(saved).length === 0) this.installed = []
    this.system = newSystemState()
    if (saved.location !== undefined) this.system.location = saved.location
    this.clipboard = ''
    this.awake = true
    this.rotation = 0
    this.tasks = []
    this.goHome()
  }
}
