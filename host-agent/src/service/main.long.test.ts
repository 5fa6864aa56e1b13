/** The agent's process: clean stop, kill during a batch, restart, full disk. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findMarked, processIdentity } from '../adb/process-identity.js'
import type { Identity } from './identity.js'
import { makeIdentity } from '../testing/agent.js'
import {
  makeAgentFolder,
  packageDir,
  running,
  type AgentFolder,
  type Started,
} from '../testing/agent-process.js'
import { CallFailed } from '../testing/client.js'
import { createLiveClient } from '../testing/live-client.js'
import { resultsOf, session, startTestPhone, type TestPhone } from '../testing/phone.js'
import { createTestCa, type TestCa } from '../testing/pki.js'
import { until } from '../testing/until.js'

let phone: TestPhone
let ca: TestCa
let identity: Identity
let folder: AgentFolder

beforeAll(async () => {
  // The process runs the compiled code, so the code under test is built first.
  execFileSync(
    process.execPath,
    [join(packageDir, '../node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck'],
    { cwd: packageDir, timeout: 60_000 },
  )
  phone = await startTestPhone()
  ca = await createTestCa()
  identity = await makeIdentity(ca)
})
afterAll(() => phone.stop())

beforeEach(async () => {
  folder = await makeAgentFolder(ca, identity, phone.serial)
})
afterEach(() => folder.remove())

/** Retries while the device is not connected yet. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CallFailed) || error.plain?.code !== 'phone_unavailable' || tries > 50)
        throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

describe('agent process', () => {
  it('stops on SIGTERM immediately when no call runs, and stops its adb servers', async () => {
    const started = folder.startMain()
    await running(started)
    const adb = folder.adbServers()
    expect(adb.length).toBeGreaterThan(0)
    const at = performance.now()
    started.child.kill('SIGTERM')
    expect(await started.ended).toEqual({ code: 0, signal: null })
    // Calls may run for 30 s; none runs.
    expect(performance.now() - at).toBeLessThan(25_000)
    expect(adb.filter((pid) => processIdentity(pid) !== null)).toEqual([])
  })

  it.each(['com.genymobile.scrcpy.Server', 'am instrument'])(
    'survives a phone that sends invalid packets as the output of %s',
    async (service) => {
      const hostile = await startTestPhone()
      hostile.proxy.garble(service)
      const started = folder.startMain({ PHONERACK_ADB_CONNECT: `${hostile.serial},${phone.serial}` })
      await running(started)
      await retried(() => folder.client.enroll({ serial: hostile.serial, fencingNumber: 1n }, 60_000)).catch(
        () => undefined,
      )
      await retried(() => folder.client.enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000))
      await retried(() => session(folder.client, phone.serial, 2n).start())
      expect(hostile.proxy.opened.some((each) => each.includes(service))).toBe(true)
      await session(folder.client, phone.serial, 2n).observe()
      expect(started.logged()).not.toContain('unhandled')
      expect(started.child.exitCode).toBeNull()
      await hostile.stop()
    },
  )

  it('finishes a batch after SIGTERM, refuses later calls without sending them, and ends with 0', async () => {
    const started = folder.startMain()
    await running(started)
    await retried(() => folder.client.enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000))
    await retried(() => session(folder.client, phone.serial, 2n).start())
    let late: Promise<unknown>[] = []
    const phoneSession = session(folder.client, phone.serial, 2n)
    const { assignment, run } = phoneSession
    const grpcPort = Number(folder.env['PHONERACK_GRPC_LISTEN']?.split(':')[1])
    const live = await createLiveClient({ agent: { grpcPort }, ca })
    const view = live.open(assignment, false)
    await until(() => view.seen.length > 0, 60_000, 'a live view')
    const messages = await run(
      [{ type: 'home' }, { type: 'wait', ms: 4000 }, { type: 'back' }],
      undefined,
      ({ event }) => {
        if (event?.$case !== 'started' || event.value.index !== 1) return
        started.child.kill('SIGTERM')
        void until(() => started.logged().includes('the stop waits for running calls')).then(() => {
          late = [phoneSession.observe(), run([{ type: 'home' }]), phoneSession.park()]
          for (const each of late) each.catch(() => undefined)
        })
      },
    )
    expect(resultsOf(messages)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }])
    expect(late).toHaveLength(3)
    const stopping = {
      plain: { code: 'phone_unavailable', retryable: true, details: { host_fault: 'stopping' } },
    }
    for (const each of late) await expect(each).rejects.toMatchObject(stopping)
    await until(() => view.end !== null)
    expect(view.end).toMatchObject(stopping)
    live.close()
    expect(await started.ended).toEqual({ code: 0, signal: null })
  })

  it('receives the rest of a package file after SIGTERM, and ends with 0', async () => {
    const started = folder.startMain()
    await running(started)
    const file = Buffer.alloc(300_000, 'p')
    async function* inTwoParts() {
      yield file.subarray(0, 100_000)
      // The agent has read the beginning of the file before the answer to a later call.
      await folder.client.enroll({ serial: 'unknown', fencingNumber: 1n }, 60_000).catch(() => undefined)
      started.child.kill('SIGTERM')
      await until(() => started.logged().includes('the stop waits for running calls'))
      // The pause is longer than the time that calls get after `PHONERACK_STOP_WITHIN`.
      await new Promise((resolve) => setTimeout(resolve, 4000))
      yield file.subarray(100_000)
    }
    const sha256 = createHash('sha256').update(file).digest('hex')
    await folder.client.putPackageFile({ name: 'base.apk', sha256, size: BigInt(file.length) }, inTwoParts())
    expect(await started.ended).toEqual({ code: 0, signal: null })
  })

  it('ends running calls after PHONERACK_STOP_WITHIN, or at a second signal', async () => {
    for (const [seconds, signals] of [
      ['0', 1],
      ['120', 2],
    ] as const) {
      const started = folder.startMain({ PHONERACK_STOP_WITHIN: seconds })
      await running(started)
      await retried(() =>
        folder.client.enroll({ serial: phone.serial, fencingNumber: BigInt(10 * signals) }, 60_000),
      )
      const { start, run } = session(folder.client, phone.serial, BigInt(10 * signals + 1))
      await retried(start)
      const batch = run([{ type: 'wait', ms: 30_000 }], undefined, ({ event }) => {
        if (event?.$case !== 'started') return
        started.child.kill('SIGTERM')
        if (signals === 2)
          void until(() => started.logged().includes('the stop waits for running calls')).then(() =>
            started.child.kill('SIGTERM'),
          )
      })
      await expect(batch).rejects.toThrow()
      expect(await started.ended).toEqual({ code: 0, signal: null })
    }
  })
})

describe('killed in the middle of a batch', () => {
  it('restores the open writes and the fencing number, and never repeats a batch', async () => {
    mkdirSync(join(folder.dataDir, 'devices'), { recursive: true })
    const first = folder.startMain()
    await running(first)
    await retried(() => folder.client.enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000))
    await retried(() => session(folder.client, phone.serial, 2n).start())
    const leftAdb = folder.adbServers()
    expect(leftAdb.length).toBeGreaterThan(0)
    const batch = session(folder.client, phone.serial, 2n).run(
      [{ type: 'home' }, { type: 'wait', ms: 30_000 }],
      undefined,
      ({ event }) => {
        if (event?.$case === 'started' && event.value.index === 1) first.child.kill('SIGKILL')
      },
    )
    await expect(batch).rejects.toThrow()
    expect((await first.ended).signal).toBe('SIGKILL')
    // The kernel ends the adb servers of a killed agent.
    await until(() => leftAdb.every((pid) => processIdentity(pid) === null))
    expect(readFileSync(join(folder.dataDir, 'journal.jsonl'), 'utf8')).toContain('"kind":"batch"')

    const opened = phone.proxy.opened.length
    const second = folder.startMain()
    await running(second)
    expect(second.logged()).toMatch(/its outcome is unknown/)
    expect(folder.adbServers().filter((pid) => leftAdb.includes(pid))).toEqual([])
    // An older number is refused, and the newest number continues. No action of the old batch runs again.
    await retried(() => session(folder.client, phone.serial, 2n).observe())
    await expect(session(folder.client, phone.serial, 1n).start()).rejects.toMatchObject({
      plain: { code: 'phone_unavailable' },
    })
    expect(resultsOf(await session(folder.client, phone.serial, 2n).run([{ type: 'home' }]))).toMatchObject([
      { ok: true },
    ])
    expect(phone.proxy.opened.length).toBeGreaterThan(opened)
    expect(second.logged().match(/its outcome is unknown/g)).toHaveLength(1)
  })
})

describe('with a full disk', () => {
  /**
   * Starts an agent whose data folder is a disk of 8 MB in a mount namespace, and starts another agent there
   * when the first ends.
   * @returns the folder, as seen from here
   */
  async function startOnSmallDisk() {
    const disk = join(folder.dataDir, 'disk')
    mkdirSync(disk)
    const script =
      'mount -t tmpfs -o size=8m tmpfs "$0" && cp "$0/../identity.json" "$0" && { "$@" & trap "kill $!" TERM; wait; wait; exec "$@"; }'
    const program = [process.execPath, join(packageDir, 'dist/main.js')]
    const own = { PHONERACK_DATA_DIR: disk, PHONERACK_MIN_FREE_BYTES: '1000000' }
    const command = ['unshare', '-rm', 'sh', '-c', script, disk, ...program]
    const started = folder.startCommand(command, { ...folder.env, ...own })
    await running(started)
    return { started, seen: `/proc/${started.child.pid}/root${disk}` }
  }
  const fill = (file: string) =>
    expect(() => {
      for (;;) writeFileSync(file, Buffer.alloc(4096), { flag: 'a' })
    }).toThrow('ENOSPC')
  const endAgent = (seen: string) => process.kill(findMarked(join(seen, 'agent.json')) ?? NaN, 'SIGTERM')
  const count = (started: Started, text: string) => started.logged().split(text).length - 1
  const refused = {
    plain: { code: 'phone_unavailable', retryable: true, details: { host_fault: 'disk_full' } },
  }

  it('refuses work without blaming the phone, and recovers by itself', async () => {
    const { started, seen } = await startOnSmallDisk()
    await retried(() => folder.client.enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000))
    await retried(() => session(folder.client, phone.serial, 2n).start())
    fill(`${seen}/fill`)
    for (let times = 0; times < 6; times += 1)
      await expect(session(folder.client, phone.serial, 3n).start()).rejects.toMatchObject(refused)
    await until(() => started.logged().includes('takes no new work'), 60_000, 'the refusal')
    await expect(session(folder.client, phone.serial, 3n).wipe()).rejects.toMatchObject(refused)
    // Batches run as long as the journal's last block has space.
    const batches = async () => {
      for (let times = 0; times < 100; times += 1)
        await session(folder.client, phone.serial, 2n).run([{ type: 'wait', ms: 1 }])
    }
    await expect(batches()).rejects.toMatchObject(refused)
    await session(folder.client, phone.serial, 2n).observe()
    rmSync(`${seen}/fill`)
    await until(() => started.logged().includes('takes new work again'), 60_000, 'the recovery')
    const batch = await session(folder.client, phone.serial, 2n).run([{ type: 'home' }])
    expect(resultsOf(batch)).toMatchObject([{ ok: true }])
    await session(folder.client, phone.serial, 3n).start()
    expect(started.logged()).not.toMatch(/quarantined|unhandled/)
    endAgent(seen)
    await until(() => count(started, 'the host agent runs') === 2, 60_000, 'the second agent')
    endAgent(seen)
    await started.ended
  })

  it('starts on a full disk, and reports that', async () => {
    const { started, seen } = await startOnSmallDisk()
    await retried(() => folder.client.enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000))
    fill(`${seen}/fill`)
    const first = `"pid":${findMarked(join(seen, 'agent.json'))},`
    endAgent(seen)
    await until(() => count(started, 'the host agent runs') === 2, 60_000, 'the second agent')
    const refusals = started
      .logged()
      .split('\n')
      .filter((line) => line.includes('takes no new work'))
    expect(refusals.filter((line) => !line.includes(first))).toHaveLength(1)
    await expect(session(folder.client, phone.serial, 2n).start()).rejects.toMatchObject(refused)
    rmSync(`${seen}/fill`)
    await retried(() => session(folder.client, phone.serial, 2n).start())
    endAgent(seen)
    await started.ended
  })
})
