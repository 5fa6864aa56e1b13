/**
 * Injects the faults of real phones. Available to the holder of the `Phone` object in its process, and through the
 * fault port (`port/`) if the port was enabled. No command, property or file of the phone gives access to the faults.
 * Used by tests.
 */
import { type Android, NORMAL_CELSIUS } from '../android/android.js'
import type { Listening } from '../adbd/listening.js'
import { type LinkFaults } from './link.js'
import { type Leftover, putLeftover } from './leftovers.js'
import { type SlowLimits } from './slow-line.js'
import { scrcpyServers, UI_SERVER } from './state.js'

/** The fault is impossible on this phone. */
export class FaultError extends Error {}

/** Omitted fields stay unchanged. */
interface Cards {
  sim?: boolean | undefined
  /** True if calls to the SIM's number are forwarded. */
  forwards?: boolean | undefined
  /** The number of messages on the SIM. */
  messages?: number | undefined
  esimProfiles?: number | undefined
  memoryCard?: boolean | undefined
}

interface FaultParts {
  android: Android
  link: LinkFaults
  listening: Pick<Listening, 'setPlugged' | 'restart'>
  /** While `stuck`, a restart does not complete. */
  boot: { stuck: boolean }
}

const LOW_BATTERY = 15
const FULL_BATTERY = 100

export class Faults {
  private kept: readonly Leftover[] = []
  /** Makes the next wipe restart the phone and remove nothing. */
  wipeDoesNothing = false
  private thief: NodeJS.Timeout | undefined

  constructor(private readonly parts: FaultParts) {}

  /** Disconnects hosts and closes the port, even across a reboot. */
  unplug(): Promise<void> {
    return this.parts.listening.setPlugged(false)
  }

  /** A phone that is restarting reconnects when it has booted. */
  replug(): Promise<void> {
    return this.parts.listening.setPlugged(true)
  }

  /** Restarts adbd: streams, forwards and reverses end. */
  restartAdbd(): Promise<void> {
    return this.parts.listening.restart()
  }

  /** Hosts connect but receive no response; adb reports `offline`. */
  async setOffline(on: boolean): Promise<void> {
    this.parts.link.silent = on
    await this.restartAdbd()
  }

  /** Revokes all keys and disconnects the hosts: `unauthorized` until a key is allowed. @throws for a phone without `auth` */
  async makeUnauthorized(): Promise<void> {
    const { adbKeys } = this.parts.android
    if (!adbKeys.required) throw new FaultError('This phone was started without auth: it asks for no keys')
    adbKeys.forget()
    await this.restartAdbd()
  }

  /**
   * Accepts every Nth stream of a host and never answers this stream; 1: all, 0: none.
   * @param containing counts only streams whose service (`shell,v2,raw:input tap 1 2`, `sync:`) contains this text
   */
  hangEvery(count: number, containing = ''): void {
    this.parts.link.setHangEvery(count, containing)
  }

  /** Applies to new connections; null ends the fault. Disconnects the hosts, so that they reconnect. */
  async slowLink(limits: SlowLimits | null): Promise<void> {
    this.parts.link.slow = limits
    await this.restartAdbd()
  }

  /** Makes the next restart end in a boot loop, until the fault is turned off. */
  neverComeBack(on: boolean): void {
    this.parts.boot.stuck = on
  }

  /** Makes every write fail with ENOSPC. */
  fullStorage(on: boolean): void {
    this.parts.android.volume.full = on
  }

  /** Kills Appium's UiAutomator2 server. */
  crashUiServer(): void {
    this.parts.android.running.stop(UI_SERVER)
  }

  /** Animates a part of the screen continuously, so that no dump finds the screen idle. */
  neverIdle(on: boolean): void {
    this.parts.android.world.setRestless(on)
  }

  /** Prevents background apps from reading or setting the clipboard, as on Android 10 and later. */
  denyClipboard(on: boolean): void {
    this.parts.android.world.denyClipboard(on)
  }

  /** `ip addr` shows a wlan0 with this address (`192.0.2.7/24`); null removes it. `nc` connects only to `reachable` (`host:port`). */
  joinNetwork(address: string | null, reachable: readonly string[] = []): void {
    this.parts.android.network = address
    this.parts.android.reachable = reachable
  }

  /** Ends each scrcpy server as the low-memory killer does. Returns their number. */
  killScrcpy(): number {
    const servers = scrcpyServers(this.parts.android)
    for (const server of servers) server.kill?.()
    return servers.length
  }

  /** Leaves no room for another process, from the next command of a host that contains this text until the phone restarts. */
  fillProcessTable(from: string): void {
    this.parts.android.processes.fullFrom = from
  }

  lockScreen(): void {
    this.parts.android.world.setLocked(true)
  }

  /** Sets the battery level that the status bar and `dumpsys battery` show; below 15 % the system warns. */
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

  /** Sets the battery state for `dumpsys battery`. */
  setTemperature(celsius: number): void {
    this.parts.android.batteryCelsius = celsius
  }

  /** Makes the phone's clock wrong by this much. */
  setClockOffset(ms: number): void {
    this.parts.android.clock.offsetMs = ms
    this.parts.android.world.setConfiguration({})
  }

  /** Starts an app in the foreground repeatedly; null ends the fault. */
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

  /** Creates data that a user can leave on the phone. A wipe removes this data. */
  async leave(what: readonly Leftover[]): Promise<void> {
    for (const each of what) await putLeftover(this.parts.android, each)
  }

  /**
   * Makes these items remain on the phone after each wipe, even if they were absent before; an empty list
   * ends the fault.
   */
  wipeLeaves(what: readonly Leftover[]): void {
    this.kept = what
  }

  /**
   * Sets cards that a person inserts, or profiles that a carrier's app writes to the eUICC. A wipe does not remove the
   * cards or the profiles.
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

  /** Adds an account; `owner` is the installed app that keeps the account. */
  addAccount(account: { name: string; type: string; owner?: string }): void {
    const { android } = this.parts
    android.userData.accounts = [...android.userData.accounts, account]
    android.changed()
  }

  /**
   * Sets properties of another image or bootloader: `ro.build.fingerprint`, `ro.boot.…`. The properties are kept across
   * restarts.
   */
  setBootProperties(values: Readonly<Record<string, string>>): void {
    const { android } = this.parts
    android.bootProperties = { ...android.bootProperties, ...values }
    for (const [name, value] of Object.entries(values)) android.properties.set(name, value)
  }

  setWipeDoesNothing(on: boolean): void {
    this.wipeDoesNothing = on
  }

  /** Must be called after a wipe, before hosts can connect. */
  async afterWipe(): Promise<void> {
    await this.leave(this.kept)
  }

  /** Ends every lasting fault. A phone in a boot loop, unplugged or with a bad link reconnects soon after. */
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

  /** Clears timers. */
  close(): void {
    this.stealFocus(null)
  }
}
