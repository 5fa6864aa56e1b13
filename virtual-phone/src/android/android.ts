/**
 * The running system of one phone, as its shell and adbd see it. `phone.ts`
 * creates it and provides the functions that restart and wipe.
 */
import { AdbKeys } from '../adbd/auth.js'
import { randomBytes, randomUUID } from 'node:crypto'
import { Blobs } from '../fs/blobs.js'
import { shellUser } from '../fs/access.js'
import { FileSystem } from '../fs/file-system.js'
import { buildImage, keptTrees, wipeUserData } from '../fs/layout.js'
import { type SavedVolume, Volume } from '../fs/volume.js'
import { TestProviders } from './test-providers.js'
import { UnicodeIme } from '../helpers/unicode-ime.js'
import type { CommandTable } from '../shell/command.js'
import { Counters } from './counters.js'
import type { Identity } from './identity.js'
import type { ScrcpyServer } from './program.js'
import { entryOf, InstalledApps, type SavedApps } from './installed.js'
import { InstallSessions } from './install/sessions.js'
import { allBuffers, LogBuffers } from './logs/buffers.js'
import { keepSystemLog, logBoot } from './logs/system-log.js'
import type { Part } from './missing.js'
import { systemPackages } from './packages.js'
import { Processes } from './processes.js'
import { Properties } from './properties.js'
import { RunningApps } from './running.js'
import { type Namespace, namespaces, type SavedSettings, Settings } from './settings.js'
import { PhoneSockets } from './sockets.js'
import { generatedFiles } from './system-files.js'
import { noUserData, type UserData, wiped } from './user-data.js'
import type { World } from './world.js'

/** State that survives a restart but not a wipe. */
export interface SavedAndroid {
  settings: SavedSettings
  properties: Record<string, string>
  appOps: Record<string, string>
  lockDisabled: boolean
  files: SavedVolume
  /** Absent in states saved before apps could be installed. */
  apps?: SavedApps
  /** Keys of hosts that are always accepted. A wipe for test harness mode keeps the keys. */
  adbKeys?: string[]
  userData?: UserData
  world: unknown
}

interface AndroidOptions {
  identity: Identity
  world: World
  blobFolder: string
  saved: SavedAndroid | null
  commands: CommandTable
  scrcpyServer: ScrcpyServer
  /** Shared with the world, which shows the time. */
  clock?: { offsetMs: number }
  /** The time that the UI server takes for a tree. */
  uiTreeMs?: () => number
  /**
   * Hosts need an allowed key; `first`: the key of the first host is allowed. Default: false, so every client
   * of the port is accepted.
   */
  adbAuth?: boolean | 'first'
  /** Shared with the wrapper that counts calls to the world. */
  counters?: Counters
  /** Parts that this phone lacks; default: none. */
  missing?: ReadonlySet<Part>
  /** Called when persistent state has changed. */
  onChange: () => void
  /** Starts a restart after the response to the host was sent; `wipe` also empties the phone. */
  onRestart: (wipe: boolean) => void
  onFault: (error: unknown, what: string) => void
}

export const NORMAL_CELSIUS = 25

export class Android {
  readonly identity: Identity
  readonly world: World
  readonly commands: CommandTable
  readonly scrcpyServer: ScrcpyServer
  readonly properties: Properties
  readonly settings: Settings
  /** The error of the phone's clock. */
  readonly clock: { offsetMs: number }
  readonly sockets = new PhoneSockets()
  readonly volume: Volume
  /** With the rights of user `shell`. */
  readonly fs: FileSystem
  readonly adbKeys: AdbKeys
  readonly installed: InstalledApps
  readonly installSessions: InstallSessions
  readonly missing: ReadonlySet<Part>
  readonly counters: Counters
  readonly logs = new LogBuffers(() => this.nowMs)
  processes = new Processes()
  readonly running = new RunningApps(() => this.processes)
  /** The package whose instrumentation owns the phone's only UiAutomation. */
  uiAutomation: string | null = null
  /** The keyboard of io.appium.settings, which buffers uncommitted text. */
  readonly unicodeIme = new UnicodeIme()
  /** `package/OP` → mode. */
  appOps = new Map<string, string>()
  /** Accounts, Wi-Fi networks and similar data. */
  userData = noUserData()
  /** `locksettings set-disabled`. */
  lockDisabled = false
  /** Properties of another image or bootloader that replace the defaults at each start. */
  bootProperties: Readonly<Record<string, string>> = {}
  batteryCelsius = NORMAL_CELSIUS
  /** Address and prefix length of wlan0; null without a network. */
  network: string | null = null
  /** Addresses (`host:port`) to which `nc` connects. */
  reachable: readonly string[] = []
  bootedAtMs = Date.now()
  /** The kernel's boot ID, which is new after each start. */
  bootId: string = randomUUID()
  readonly testProviders = new TestProviders(this)
  private readonly jobs = new Map<number, Promise<number>>()

  constructor(private readonly options: AndroidOptions) {
    const { identity, saved, onChange } = options
    this.identity = identity
    this.world = options.world
    this.clock = options.clock ?? { offsetMs: 0 }
    this.commands = options.commands
    this.missing = options.missing ?? new Set()
    this.counters = options.counters ?? new Counters()
    this.scrcpyServer = options.scrcpyServer
    this.adbKeys = new AdbKeys(Boolean(options.adbAuth), onChange, options.adbAuth === 'first')
    this.properties = new Properties(identity, onChange)
    this.settings = new Settings((namespace, name, value) => {
      this.applySetting(namespace, name, value)
      onChange()
    })
    this.volume = new Volume(new Blobs(options.blobFolder), onChange)
    const kept = saved === null ? null : this.volume.load(saved.files)
    const parts = { commands: Object.keys(options.commands), generated: generatedFiles(this) }
    buildImage(this.volume, parts, kept)
    if (kept === null) this.volume.blobs.keepOnly(new Set())
    this.fs = new FileSystem(this.volume, shellUser)
    this.installed = new InstalledApps(() => {
      this.showInstalled()
      this.dropLostKeyboard()
      this.dropLostAccounts()
      onChange()
    })
    this.installSessions = new InstallSessions(this)
    if (saved !== null) this.take(saved)
    this.applyAll()
    keepSystemLog(this)
    logBoot(this)
    if (this.missing.has('clipboard')) this.world.denyClipboard(true)
    this.world.connectScreenLock({
      isSet: () => this.userData.pin !== null,
      set: (pin) => {
        this.userData.pin = pin
        onChange()
      },
    })
    this.world.onSystemChange(({ table, name, value }) => {
      if (table === 'property') this.properties.set(name, value)
      else if (this.settings.get(table, name) !== value) this.settings.put(table, name, value)
    })
  }

  /** Returns the time that the UI server takes for a tree. */
  uiTreeMs(): number {
    return this.options.uiTreeMs?.() ?? 0
  }

  /** The time of the phone's clock. */
  get nowMs(): number {
    return Date.now() + this.clock.offsetMs
  }

  get uptimeMs(): number {
    return Date.now() - this.bootedAtMs
  }

  get timeZone(): string {
    return this.properties.get('persist.sys.timezone')
  }

  setTimeZone(zone: string): void {
    this.properties.set('persist.sys.timezone', zone)
    this.world.setConfiguration({ timeZone: zone })
  }

  /** Requests a restart. The caller's response is still sent. */
  restart(wipe: boolean): void {
    this.counters.count(wipe ? 'wipes' : 'reboots')
    this.options.onRestart(wipe)
  }

  save(): SavedAndroid {
    return {
      settings: this.settings.save(),
      properties: this.properties.persistent(),
      appOps: Object.fromEntries(this.appOps),
      lockDisabled: this.lockDisabled,
      files: this.volume.save(keptTrees(this.volume)),
      apps: this.installed.save(),
      adbKeys: this.adbKeys.save(),
      userData: this.userData,
      world: this.world.exportState(),
    }
  }

  /** Schedules a save, after a change of state in place. */
  changed(): void {
    this.options.onChange()
  }

  /** Reports an internal error that no host can see. */
  fault(error: unknown, what: string): void {
    this.options.onFault(error, what)
  }

  /** Runs `am force-stop`: ends the app, its services and its instrumentation. */
  forceStop(name: string): void {
    this.running.stop(name)
    this.world.forceStop(name)
  }

  /** Ends everything that runs, as when power is cut. */
  shutDown(): void {
    this.running.clear()
    this.testProviders.clear()
    this.processes.killAll()
    this.installSessions.stop()
    this.sockets.clear()
    this.jobs.clear()
  }

  /** Boots from power on to the launcher. */
  async boot(wipe: boolean): Promise<void> {
    const { world, properties } = this
    this.processes = new Processes()
    this.bootedAtMs = Date.now()
    this.bootId = randomUUID()
    this.logs.clear(allBuffers)
    logBoot(this)
    if (wipe) {
      await wipeUserData(this.volume)
      this.installed.load(null)
      this.settings.load(null)
      this.appOps.clear()
      this.lockDisabled = false
      this.userData = wiped(this.userData)
      properties.restart(this.identity, { 'persist.sys.test_harness': '1', ...this.bootProperties })
      world.reboot(null)
    } else {
      properties.restart(this.identity, { ...properties.persistent(), ...this.bootProperties })
      world.reboot(world.exportState())
    }
    this.showInstalled()
    this.applyAll()
    this.options.onChange()
  }

  markBooted(): void {
    this.installSessions.start().catch((error: unknown) => this.fault(error, 'install sessions'))
    this.properties.set('ro.adb.secure', this.adbKeys.required ? '1' : '0')
    for (const name of ['sys.boot_completed', 'dev.bootcomplete', 'sys.bootstat.first_boot_completed']) {
      this.properties.set(name, '1')
    }
    this.properties.set('init.svc.bootanim', 'stopped')
  }

  /** Runs a command that continues after its shell has answered (`&`). */
  inBackground(job: Promise<number>, pid: number): void {
    const watched = job.catch((error: unknown) => {
      this.options.onFault(error, `background process ${pid}`)
      return 1
    })
    this.jobs.set(pid, watched)
    void watched.then(() => this.jobs.delete(pid))
  }

  backgroundJobs(): [number, Promise<number>][] {
    return [...this.jobs]
  }

  /** Restores the system's keyboard when the app of the current keyboard is gone. */
  private dropLostKeyboard(): void {
    const [owner = ''] = (this.settings.get('secure', 'default_input_method') ?? '').split('/')
    const systems = systemPackages(this).some((app) => app.package === owner)
    if (!systems && this.installed.find(owner) === null)
      this.settings.put('secure', 'default_input_method', 'com.android.inputmethod.latin/.LatinIME')
  }

  /** Removes the accounts of removed apps, as AOSP `AccountManagerService` does. */
  private dropLostAccounts(): void {
    this.userData.accounts = this.userData.accounts.filter(
      ({ owner }) => owner === undefined || this.installed.find(owner) !== null,
    )
  }

  private showInstalled(): void {
    this.world.setInstalledApps(this.installed.list().map(entryOf))
  }

  private take(saved: SavedAndroid): void {
    this.installed.load(saved.apps ?? null)
    this.adbKeys.load(saved.adbKeys ?? [])
    this.settings.load(saved.settings)
    this.properties.restart(this.identity, saved.properties)
    this.appOps = new Map(Object.entries(saved.appOps))
    this.lockDisabled = saved.lockDisabled
    this.userData = { ...noUserData(), ...saved.userData }
  }

  /** Applies settings and properties to the world. */
  private applyAll(): void {
    // A new or wiped phone gets a new ID.
    if (this.settings.get('secure', 'android_id') === null)
      this.settings.put('secure', 'android_id', randomBytes(8).toString('hex'))
    this.world.setConfiguration({
      timeZone: this.timeZone,
      locale: this.properties.get('persist.sys.locale'),
    })
    for (const namespace of namespaces) {
      for (const [name, value] of this.settings.list(namespace)) this.applySetting(namespace, name, value)
    }
  }

  private applySetting(namespace: Namespace, name: string, value: string | null): void {
    const rotationChanged = name === 'user_rotation' || name === 'accelerometer_rotation'
    if (namespace === 'system' && rotationChanged) {
      // The phone does not move, so with the sensor on, it is upright.
      const free = this.settings.get('system', 'accelerometer_rotation') === '1'
      const wanted = free ? 0 : Number(this.settings.get('system', 'user_rotation') ?? '0') & 3
      if (this.world.display.rotation !== wanted) this.world.setRotation(wanted)
    }
    if (namespace === 'system' && name === 'system_locales' && value !== null) {
      this.properties.set('persist.sys.locale', value.split(',')[0] ?? 'en-US')
      this.world.setConfiguration({ locale: value.split(',')[0] ?? 'en-US' })
    }
    this.world.applySetting(namespace, name, value)
  }
}
