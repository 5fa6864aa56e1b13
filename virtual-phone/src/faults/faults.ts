/**
 * Injects the faults of real phones. Available to the holder of the `Phone` object in its process, and
 * through the fault port (`port/`) where it was requested: no command, property or file of the phone leads
 * here. Used by tests.
 */
import { type Android, NORMAL_CELSIUS } from '../android/android.js'
import type { Listening } from '../adbd/listening.js'
import { type LinkFaults } from './link.js'
import { type Leftover, putLeftover } from './leftovers.js'
import { type SlowLimits } from './slow-line.js'
import { scrcpyServers, UI_SERVER } from './state.js'

/** This phone cannot have that fault. */
export class FaultError extends Error {}

/** Omitted fields stay unchanged. */
export interface Cards {
  sim?: boolean | undefined
  /** Calls to the SIM's number go to another one. */
  forwards?: boolean | undefined
  /** State that the SIM stores. */
  messages?: number | undefined
  esimProfiles?: number | undefined
  memoryCard?: boolean | undefined
}

export interface FaultParts {
  android: Android
  link: LinkFaults
  listening: Pick<Listening, 'setPlugged' | 'restart'>
  /** Holds back what follows a restart. */
  boot: { stuck: boolean }
}

const LOW_BATTERY = 15
const FULL_BATTERY = 100

export class Faults {
  private kept: readonly Leftover[] = []
  /** The next wipe restarts the phone and removes nothing. */
  wipeDoesNothing = false
  private thief: NodeJS.Timeout | undefined

  constructor(private readonly parts: FaultParts) {}

  /** Hosts lose the phone and find nothing at its port, even after a reboot. */
  unplug(): Promise<void> {
    return this.parts.listening.setPlugged(false)
  }

  /** A phone that is restarting comes back when it has. */
  replug(): Promise<void> {
    return this.parts.listening.setPlugged(true)
  }

  /** adbd ends and starts again: streams break, forwards and reverses go. */
  restartAdbd(): Promise<void> {
    return this.parts.listening.restart()
  }

  /** Hosts connect, but hear nothing: `offline` for adb. */
  async setOffline(on: boolean): Promise<void> {
    this.parts.link.silent = on
    await this.restartAdbd()
  }

  /** All keys are forgotten and the hosts dropped: `unauthorized` until somebody allows. @throws for a phone that asks for no keys */
  async makeUnauthorized(): Promise<void> {
    const { adbKeys } = this.parts.android
    if (!adbKeys.required) throw new FaultError('This phone was started without auth: it asks for no keys')
    adbKeys.forget()
    await this.restartAdbd()
  }

  /**
   * Every Nth stream that a host opens is taken and never answered; 1: all, 0 ends that.
   * @param containing counts only streams whose service (`shell,v2,raw:input tap 1 2`, `sync:`) holds this
   */
  hangEvery(count: number, containing = ''): void {
    this.parts.link.setHangEvery(count, containing)
  }

  /** For connections from now on; null ends the fault. Hosts are disconnected, so that they reconnect. */
  async slowLink(limits: SlowLimits | null): Promise<void> {
    this.parts.link.slow = limits
    await this.restartAdbd()
  }

  /** The next restart ends in a boot loop, until this is switched off. */
  neverComeBack(on: boolean): void {
    this.parts.boot.stuck = on
  }

  /** Nothing more can be written: ENOSPC. */
  fullStorage(on: boolean): void {
    this.parts.android.volume.full = on
  }

  /** Appium's UiAutomator2 server dies in the middle of it. */
  crashUiServer(): void {
    this.parts.android.running.stop(UI_SERVER)
  }

  /** Something on the screen moves without end: no dump finds it idle. */
  neverIdle(on: boolean): void {
    this.parts.android.world.setRestless(on)
  }

  /** Background apps cannot read or set the clipboard: as on Android 10 and later. */
  denyClipboard(on: boolean): void {
    this.parts.android.world.denyClipboard(on)
  }

  /** `ip addr` shows a wlan0 with this address (`192.0.2.7/24`); null ends that. Nothing is reachable there: it has no network. */
  joinNetwork(address: string | null): void {
    this.parts.android.network = address
  }

  /** Ends each scrcpy server as the low-memory killer does. Returns how many. */
  killScrcpy(): number {
    const servers = scrcpyServers(this.parts.android)
    for (const server of servers) server.kill?.()
    return servers.length
  }

  lockScreen(): void {
    this.parts.android.world.setLocked(true)
  }

  /** The status bar and `dumpsys battery` tell it; below 15 % the system warns. */
  setBattery(percent: number): void {
    const { world } = this.parts.android
    world.setBattery(percent)
    const [name, id] = ['com.android.systemui', 'battery']
    if (percent > LOW_BATTERY) world.cancelNotification(name, id)
    else {
      const text = `${percent}% remaining`
      world.notify({ package: name, id, title: 'Battery is low', text, whenMs: this.parts.android.nowMs })
    }
  }

  /** Battery state for `dumpsys battery`. */
  setTemperature(celsius: number): void {
    this.parts.android.batteryCelsius = celsius
  }

  /** The phone's clock is wrong by this much. */
  setClockOffset(ms: number): void {
    this.parts.android.clock.offsetMs = ms
    this.parts.android.world.setConfiguration({})
  }

  /** An app comes in front again and again; null ends that. */
  stealFocus(packageName: string | null, everyMs = 500): void {
    clearInterval(this.thief)
    this.thief = undefined
    if (packageName === null) return
    const steal = (): void => {
      this.parts.android.world.startActivity({
        action: 'android.intent.action.MAIN',
        package: packageName,
        categories: ['android.intent.category.LAUNCHER'],
        extras: {},
      })
    }
    steal()
    this.thief = setInterval(steal, everyMs)
  }

  /** Puts on the phone what its user could have left there; a wipe removes it. */
  async leave(what: readonly Leftover[]): Promise<void> {
    for (const each of what) await putLeftover(this.parts.android, each)
  }

  /** These are on the phone after each wipe, whether or not they were there before; none ends that. */
  wipeLeaves(what: readonly Leftover[]): void {
    this.kept = what
  }

  /**
   * Cards that a person inserts, or profiles that a carrier's app writes to the eUICC; no wipe removes them.
   */
  insert(cards: Cards): void {
    const { android } = this.parts
    const { sim, forwards = false, messages = 0, esimProfiles, memoryCard } = cards
    const { userData } = android
    if (sim !== undefined) userData.sim = sim ? { forwards, messages } : null
    if (esimProfiles !== undefined) userData.esimProfiles = esimProfiles
    if (memoryCard !== undefined) userData.memoryCard = memoryCard
    this.setBootProperties({ 'gsm.sim.state': userData.sim === null ? 'ABSENT' : 'LOADED' })
    android.changed()
  }

  /** Signs in; `owner` is the installed app that keeps the account. */
  addAccount(account: { name: string; type: string; owner?: string }): void {
    const { android } = this.parts
    android.userData.accounts = [...android.userData.accounts, account]
    android.changed()
  }

  /** Another image or bootloader is on the phone: `ro.build.fingerprint`, `ro.boot.…`. Survives restarts. */
  setBootProperties(values: Readonly<Record<string, string>>): void {
    const { android } = this.parts
    android.bootProperties = { ...android.bootProperties, ...values }
    for (const [name, value] of Object.entries(values)) android.properties.set(name, value)
  }

  setWipeDoesNothing(on: boolean): void {
    this.wipeDoesNothing = on
  }

  /** Called after a wipe, before hosts can look. */
  async afterWipe(): Promise<void> {
    await this.leave(this.kept)
  }

  /** Ends every fault that lasts. A phone in a boot loop, unplugged or with a bad link comes back soon after. */
  async heal(): Promise<void> {
    const { android, link, boot } = this.parts
    const badLink = link.silent || link.slow !== null || link.hangEvery !== 0
    link.silent = false
    link.slow = null
    this.hangEvery(0)
    boot.stuck = false
    this.fullStorage(false)
    this.neverIdle(false)
    this.joinNetwork(null)
    this.denyClipboard(android.missing.has('clipboard'))
    android.world.setLocked(false)
    this.setBattery(FULL_BATTERY)
    this.setTemperature(NORMAL_CELSIUS)
    this.setClockOffset(0)
    this.stealFocus(null)
    this.wipeLeaves([])
    this.setWipeDoesNothing(false)
    if (badLink) await this.restartAdbd()
    await this.replug()
  }

  /** Ends what goes on by itself. */
  close(): void {
    this.stealFocus(null)
  }
}
