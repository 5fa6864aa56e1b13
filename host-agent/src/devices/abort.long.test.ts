/**
 * The adb server of one phone aborts while ten phones of a host work, as Debian's adb 29.0.6 sometimes does.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPhone, type Phone } from '@phonerack/virtual-phone'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findMarked } from '../adb/process-identity.js'
import { adbMarkPath } from '../adb/sockets.js'
import { createLimiter } from '../base/limiter.js'
import { startTestHost, type TestHost } from '../testing/agent.js'
import { resultsOf, session, untilLink } from '../testing/phone.js'
import { runningPid } from '../testing/pids.js'
import { until } from '../testing/until.js'

let folder: string
let host: TestHost
const phones: Phone[] = []
const serials: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phonerack-abort-'))
  for (let at = 0; at < 10; at += 1) {
    const dataDir = join(folder, String(at))
    // The phones have no helpers, since a wipe installs them.
    const phone = await startPhone({
      port: 0,
      dataDir,
      pace: 'instant',
      onFault: () => undefined,
      without: ['scrcpy', 'ui-server'],
    })
    phones.push(phone)
    serials.push(`127.0.0.1:${phone.port}`)
  }
  host = await startTestHost(serials)
  // Enrolling all ten phones at the same time could take longer than an enrolment may.
  const limiter = createLimiter(2)
  const enroll = async (serial: string): Promise<void> => {
    await untilLink(host, serial, 'unenrolled', 60_000)
    expect(await host.control.enroll({ serial, fencingNumber: 1n }, 60_000)).toMatchObject({ verified: true })
    await at(serial).start()
  }
  await Promise.all(serials.map((serial) => limiter(() => enroll(serial))))
})
afterAll(async () => {
  await host.stop()
  for (const phone of phones) await phone.close()
  rmSync(folder, { recursive: true, force: true })
})

const at = (serial: string) => session(host.control, serial, 2n, `ph_${serials.indexOf(serial)}`)
const pidOf = (serial: string): number =>
  runningPid({ pid: findMarked(adbMarkPath(host.config.dataDir, serial)) })
const home = { type: 'home' } as const
const batch = [home, { type: 'wait', ms: 200 }, home, home, { type: 'wait', ms: 200 }, home] as const

it('loses nothing of the other phones, and the phone comes back', async () => {
  const [victim = '', ...others] = serials
  const pids = others.map(pidOf)
  const victimPid = pidOf(victim)
  let began = 0
  const lost: string[] = []
  const run = (serial: string) =>
    at(serial).run(batch, undefined, ({ event }) => {
      if (event?.$case === 'started' && event.value.index === 1) began += 1
    })
  const watching = setInterval(() => {
    for (const { serial, link } of host.agent.registry.statuses())
      if (serial !== victim && link !== 'healthy') lost.push(`${serial} ${link}`)
  }, 1)
  const broken = run(victim).then(resultsOf, () => [])
  const batches = others.map(run)
  await until(() => began === serials.length)
  process.kill(victimPid, 'SIGABRT')
  const results = await Promise.all(batches)
  clearInterval(watching)
  for (const each of results) expect(resultsOf(each)).toMatchObject(batch.map(() => ({ ok: true })))
  expect(lost).toEqual([])
  expect(others.map(pidOf)).toEqual(pids)

  // Only the action that ran may have an unknown outcome.
  expect((await broken).filter(({ ok }) => !ok).length).toBeLessThanOrEqual(1)
  await until(() => findMarked(adbMarkPath(host.config.dataDir, victim)) !== null)
  expect(pidOf(victim)).not.toBe(victimPid)
  await untilLink(host, victim, 'healthy')
  expect(resultsOf(await at(victim).run([home]))).toMatchObject([{ ok: true }])
})
