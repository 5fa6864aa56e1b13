/**
 * Makes a phone fail as phones do. Reached only by who holds the `Phone`
 * object in its own process: no port, no command and no file leads here, so
 * that no client can tell a virtual phone by it. Used by tests.
 */
import type { Android } from '../android/android.js'
import { type LinkFaults } from './link.js'
import { type SlowLimits } from './slow-line.js'

export interface FaultParts {
  android: Android
  link: LinkFaults
  adbd: {
    /** Drops every host and stops listening. */
    close: () => Promise<void>
    /** Listens again on the phone's port. */
    listen: () => Promise<void>
  }
  /** Holds back what follows a restart. */
  boot: { stuck: boolean }
}

const UI_SERVER = 'io.appium.uiautomator2.server'
const LOW_BATTERY = 15

export class Faults {
  private plugged = true
  private thief: NodeJS.Timeout | undefined

  constructor(private readonly parts: FaultParts) {}

  /** Hosts lose the phone and find nothing at its port. */
  async unplug(): Promise<void> {
    if (!this.plugged) return
    this.plugged = false
    await this.parts.adbd.close()
  }

  async replug(): Promise<void> {
    if (this.plugged) return
    this.plugged = true
    await this.parts.adbd.listen()
  }

  /** adbd ends and starts again: streams break, forwards and reverses go. */
  async restartAdbd(): Promise<void> {
    await this.unplug()
    await this.replug()
  }

  /** Hosts connect, but hear nothing: `offline` for adb. */
  async setOffline(on: boolean): Promise<void> {
    this.parts.link.silent = on
    await this.restartAdbd()
  }

  /** All keys are forgotten and the hosts dropped: `unauthorized` until somebody allows. @throws for a phone that asks for no keys */
  async makeUnauthorized(): Promise<void> {
    const { adbKeys } = this.parts.android
    if (!adbKeys.required) throw new Error('This phone was started without auth: it asks for no keys')
    adbKeys.forget()
    await this.restartAdbd()
  }

  /** Every Nth stream that a host opens is taken and never answered; 0 ends that. */
  hangEvery(count: number): void {
    this.parts.link.setHangEvery(count)
  }

  /** For connections from now on; null ends that. The hosts are dropped, so that they connect anew. */
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

  /** Apps in the background may not read or set the clipboard: as on Android 10 and later. */
  denyClipboard(on: boolean): void {
    this.parts.android.world.denyClipboard(on)
  }

  /** Ends each scrcpy server as the low-memory killer does. Returns how many. */
  killScrcpy(): number {
    const servers = this.parts.android.processes.list().filter(({ name }) => name === 'app_process')
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

  /** Ends what goes on by itself. */
  close(): void {
    this.stealFocus(null)
  }
}
