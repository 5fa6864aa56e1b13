/** A phone whose calls hang, through the real adb: each step in order, visible in the status. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdbClient } from '../adb/client.js'
import { findMarked } from '../adb/process-identity.js'
import { adbSocketPath, startAdbServer, type AdbServer } from '../adb/server.js'
import { command } from '../adb/quote.js'
import { DeviceGone } from '../base/device-gone.js'
import { readAdbServers } from '../doctor/programs.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'
import { until } from '../testing/until.js'
import { transportTo } from '../testing/transport.js'

let both: PhoneAndHost
beforeAll(async () => {
  both = await startPhoneAndHost()
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 60_000)
  await session(both.host.control, both.phone.serial, 2n).start()
})
afterAll(() => both.stop())

const status = () => both.host.agent.registry.statuses()[0]
const steps = () => status()?.events?.map(({ step, outcome }) => `${step} ${outcome}`) ?? []

describe('a hanging phone', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'phonerack-second-adb-'))
  /** Another program's server, connected to the same phone. */
  let second: AdbServer
  beforeAll(async () => {
    const log = createLogger('test')
    log.level = 'silent'
    second = await startAdbServer({ bin: 'adb', dataDir, log })
    const progress = Progress.for(20_000)
    await second.client.connect(both.phone.serial, progress)
    await until(async () =>
      (await second.client.devices(progress)).some(({ serial }) => serial === both.phone.serial),
    )
  })
  afterAll(async () => {
    await second.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it(
    'is reconnected, restarted, and taken out of service, and each step is recorded',
    { timeout: 90_000 },
    async () => {
      const { faults } = both.phone.inside
      const restarts = both.phone.inside.counters().reboots
      faults.hangEvery(1, 'shell')
      await until(() => steps().includes('quarantine done'))
      expect(steps()).toEqual(['reconnect done', 'port_reset skipped', 'reboot done', 'quarantine done'])
      expect(both.phone.inside.counters().reboots).toBe(restarts + 1)
      expect(status()).toMatchObject({
        link: 'offline',
        reason: expect.stringContaining('not used after') as string,
      })
      expect(status()?.events?.[1]?.reason).toContain('over the network')
    },
  )

  it('names a second adb server in the reason of each step, as `doctor` does', async () => {
    const named = new RegExp(`other adb servers run .*\\b${second.pid}\\b.*\`doctor\``)
    for (const at of [0, 2, 3]) expect(status()?.events?.[at]?.reason).toMatch(named)
    expect(status()?.reason).not.toContain('adb server')
    const found = await readAdbServers('/proc', adbSocketPath(both.host.config.dataDir))
    const pids = 'value' in found ? found.value.map(({ pid }) => pid) : []
    expect(pids).toContain(second.pid)
    expect(pids).not.toContain(findMarked(join(both.host.config.dataDir, 'adb', 'server.json')))
  })
})

/** The recovered phone, through a transport that reports how each call ended. */
async function watched() {
  await both.phone.inside.faults.heal()
  const seen: string[] = []
  const client = new AdbClient(adbSocketPath(both.host.config.dataDir))
  return { seen, transport: transportTo(client, both.phone.serial, (how) => seen.push(how)) }
}

describe('a call', () => {
  it('counts as hung when it times out without an answer, but not with a short deadline, when aborted, or answered', async () => {
    const { seen, transport } = await watched()
    await until(() => both.host.agent.registry.statuses()[0]?.link !== 'absent')
    const echo = (progress: Progress) => transport.shell(command('echo', 'x'), progress)
    await until(async () => (await echo(Progress.for(2000)).catch(() => null)) !== null)
    expect(seen.at(-1)).toBe('answered')
    both.phone.inside.faults.hangEvery(1, 'shell')
    seen.length = 0
    await expect(echo(Progress.for(300))).rejects.toThrow('took too long')
    const giveUp = new AbortController()
    const given = echo(Progress.for(5000, giveUp.signal))
    giveUp.abort()
    await expect(given).rejects.toThrow('took too long')
    expect(seen).toEqual([])
    await expect(echo(Progress.for(1600))).rejects.toThrow('took too long')
    expect(seen).toEqual(['hung'])
  })

  it('counts as answered after a process pause', async () => {
    const { seen, transport } = await watched()
    const echo = () => transport.shell(command('echo', 'there'), Progress.for(1600))
    await until(async () => {
      seen.length = 0
      const answer = echo().catch((error: unknown) => {
        // The agent reconnects the phone after the faults of the test before.
        if (error instanceof DeviceGone) return null
        throw error
      })
      // Simulates a pause of the machine: nothing in this process runs, and no answer is
      // read.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)
      return (await answer)?.stdout.toString() === 'there\n'
    })
    expect(seen).toEqual(['answered'])
  })
})
