/**
 * Injects faults into the virtual phones of a running system, like `phone.faults` in the phone's process:
 * typed calls of the fault port (virtual-phone/README.md). The system must be started with `faultPort: true`.
 */
import type { Counts, Leftover, State } from '@phonerack/virtual-phone'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { operatorOf } from './tenant.js'
import type { System } from './system.js'

const timeoutMs = 30_000

const devicesSchema = z.object({
  data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
})
const phonesSchema = z.object({
  phones: z.array(z.object({ port: z.int(), serial: z.string(), without: z.array(z.string()) })),
})

export type SystemFaults = Awaited<ReturnType<typeof faultsOf>>
export type PhoneFaults = ReturnType<typeof phoneFaults>

type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>

export async function faultsOf(system: System) {
  const { faultPort } = system
  if (faultPort === null) throw new Error('This system was started without faultPort: true')
  const token = (await readFile(path.join(system.dir, 'virtual-phones/fault-token'), 'utf8')).trim()
  const ask: Ask = async (method, url, body) => {
    const response = await fetch(`http://127.0.0.1:${faultPort}${url}`, {
      method,
      // The port closes an idle connection after a while, possibly as the next request arrives.
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
    return JSON.parse(text) as unknown
  }
  return {
    /** The virtual phones: adb port, `ro.serialno`, and the missing parts of each. */
    phones: async () => phonesSchema.parse(await ask('GET', '/phones')).phones,
    /** A virtual phone by its adb port or `ro.serialno`. */
    on: (phone: number | string) => phoneFaults(ask, `/phones/${phone}`),
    /** The virtual phone that now serves a tenant's phone (`ph_…`). */
    async ofPhone(phoneId: string): Promise<PhoneFaults> {
      const { data } = devicesSchema.parse((await operatorOf(system).get('/operator/v1/devices')).body)
      const device = data.find((each) => each.phone_id === phoneId)
      if (device === undefined) throw new Error(`No device serves ${phoneId}`)
      return phoneFaults(ask, `/phones/${device.serial.split(':')[1] ?? ''}`)
    },
  }
}

/** Each call resolves once the phone has the fault. */
function phoneFaults(ask: Ask, base: string) {
  const fault = async (name: string, body: object = {}): Promise<void> => {
    await ask('POST', `${base}/faults/${name}`, body)
  }
  return {
    /** Ends all lasting faults. */
    heal: async (): Promise<void> => {
      await ask('DELETE', `${base}/faults`)
    },
    unplug: () => fault('unplug'),
    replug: () => fault('replug'),
    restartAdbd: () => fault('restart-adbd'),
    setOffline: (on: boolean) => fault('offline', { on }),
    makeUnauthorized: () => fault('unauthorized'),
    /** Makes every Nth stream whose service contains `containing` hang; 1: all streams; 0 ends the fault. */
    hangEvery: (every: number, containing = '') => fault('hang', { every, containing }),
    slowLink: (limits: { latencyMs: number; bytesPerSecond: number } | null) =>
      fault('slow-link', { limits }),
    neverComeBack: (on: boolean) => fault('never-come-back', { on }),
    fullStorage: (on: boolean) => fault('full-storage', { on }),
    crashUiServer: () => fault('crash-ui-server'),
    neverIdle: (on: boolean) => fault('never-idle', { on }),
    denyClipboard: (on: boolean) => fault('deny-clipboard', { on }),
    killScrcpy: () => fault('kill-scrcpy'),
    lockScreen: () => fault('lock-screen'),
    setBattery: (percent: number, celsius?: number) =>
      fault('battery', { percent, ...(celsius === undefined ? {} : { celsius }) }),
    setClockOffset: (ms: number) => fault('clock-offset', { ms }),
    stealFocus: (packageName: string | null, everyMs = 500) =>
      fault('steal-focus', { package: packageName, everyMs }),
    /** Leaves data on the phone, as a tenant could. */
    leave: (...what: Leftover[]) => fault('leave', { what }),
    /** Makes this data remain on the phone after each wipe, until the process ends. */
    wipeLeaves: (...what: Leftover[]) => fault('wipe-leaves', { what }),
    /** Makes wipes restart the phone and remove nothing. */
    setWipeDoesNothing: (on: boolean) => fault('wipe-does-nothing', { on }),
    /**
     * The counts of received calls since the phone's process started. Tests compare the values before and
     * after.
     */
    counters: async () => (await ask('GET', `${base}/counters`)) as Counts,
    /** The picture on the phone's screen. */
    state: async () => (await ask('GET', `${base}/state`)) as State,
  }
}
