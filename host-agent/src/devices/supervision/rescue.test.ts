/** A phone whose calls hang, through the real adb: the order of the steps, and the calls that count. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createLogger, Progress, type DeviceEvent } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findMarked } from '../../adb/process-identity.js'
import { startAdbServer, type AdbServer } from '../../adb/server.js'
import { command } from '../../adb/quote.js'
import { isDisconnect } from '../../base/device-gone.js'
import { readAdbServers } from '../../service/doctor/programs.js'
import { bootId } from '../../phone/shell/boot-id.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { until } from '../../testing/until.js'
import { transportTo } from '../../testing/transport.js'
import { createRescue } from './rescue.js'

const log = createLogger('test')
log.level = 'silent'

let plugged: PluggedIn
beforeAll(async () => {
  plugged = await plugIn()
})
afterAll(() => plugged.stop())

describe('a hanging phone', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'phonerack-second-adb-'))
  let events: readonly DeviceEvent[] = []
  /** The server of another program, which is connected to the same phone. */
  let second: AdbServer
  beforeAll(async () => {
    const { serial } = plugged.phone
    second = await startAdbServer({ bin: 'adb', dataDir, log })
    const progress = Progress.for(20_000)
    await second.client.connect(serial, progress)
    await until(async () =>
      (await second.client.devices(progress)).some((device) => device.serial === serial),
    )
  })
  afterAll(async () => {
    await second.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('is reconnected, restarted, and taken out of service, and each step is recorded [39.3]', async () => {
    const { client, phone } = plugged
    const given: string[] = []
    const rescue = createRescue({
      serial: phone.serial,
      client,
      transport: transportTo(client, phone.serial),
      isNetwork: true,
      log,
      mayReboot: () => true,
      counts: () => true,
      events: { get: () => events, set: (next) => void (events = next) },
      giveUp: (reason) => given.push(reason),
    })
    const { reboots } = phone.inside.counters()
    const boot = () => bootId(plugged.transport, Progress.for(20_000))
    const before = await boot()
    /** Makes three calls hang, and returns the events after them. */
    const hang = async (expected: string[]) => {
      for (let call = 0; call < 3; call += 1) rescue.recordOutcome('hung')
      await until(() => events.length >= expected.length)
      expect(events.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual(expected)
    }
    await hang(['reconnect done'])
    expect(rescue.reconnecting).toBe(true)
    await plugged.reconnect()
    await hang(['reconnect done', 'port_reset skipped', 'reboot done'])
    expect(events[1]?.reason).toContain('over the network')
    await until(async () => {
      await plugged.reconnect()
      try {
        return (await boot()) !== before
      } catch (error) {
        // The restart disconnects the phone.
        if (isDisconnect(error)) return false
        throw error
      }
    })
    expect(phone.inside.counters().reboots).toBe(reboots + 1)
    expect(given).toEqual([])
    await hang(['reconnect done', 'port_reset skipped', 'reboot done', 'quarantine done'])
    await until(() => given.length > 0)
    expect(given).toEqual(['three calls in a row timed out'])
  })

  it('names a second adb server in the reason of each step, as `doctor` does', async () => {
    // The reason has space for the newest servers; other tests run adb servers too.
    const named = /other adb servers run on this machine \(process \d[\d, ]*\), see `doctor`/
    for (const at of [0, 2, 3]) expect(events[at]?.reason).toMatch(named)
    const own = dirname(plugged.client.path)
    const found = await readAdbServers('/proc', own)
    const pids = 'value' in found ? found.value.map(({ pid }) => pid) : []
    expect(pids).toContain(second.pid)
    expect(pids).not.toContain(findMarked(join(own, 'server.json')))
  })
})

/** A transport that reports how each call ended. */
function watched() {
  const seen: string[] = []
  const { client, phone } = plugged
  return { seen, transport: transportTo(client, phone.serial, (how) => seen.push(how)) }
}

describe('a call', () => {
  it('counts as hung when it times out without an answer, but not when its deadline is short, or when it is aborted or answered', async () => {
    const { seen, transport } = watched()
    const echo = (progress: Progress) => transport.shell(command('echo', 'x'), progress)
    await echo(Progress.for(60_000))
    expect(seen).toEqual(['answered'])
    plugged.phone.inside.faults.hangEvery(1, 'shell')
    seen.length = 0
    await expect(echo(Progress.for(300))).rejects.toThrow('took too long')
    const giveUp = new AbortController()
    const given = echo(Progress.for(5000, giveUp.signal))
    giveUp.abort()
    await expect(given).rejects.toThrow('took too long')
    expect(seen).toEqual([])
    await expect(echo(Progress.for(1600))).rejects.toThrow('took too long')
    expect(seen).toEqual(['hung'])
    plugged.phone.inside.faults.hangEvery(0)
  })

  it('counts as answered after a process pause', async () => {
    const { seen, transport } = watched()
    const answer = transport.shell(command('echo', 'there'), Progress.for(1600))
    // Simulates a pause of the machine: no code of this process runs, and no answer is read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
    expect((await answer).stdout.toString()).toBe('there\n')
    expect(seen).toEqual(['answered'])
  })
})
