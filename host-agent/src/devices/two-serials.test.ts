/**
 * One phone under two adb serials, simultaneously and in sequence: no tenant reaches another's
 * data. Over adb, on a virtual phone.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { startPhone, type Phone } from '@phonerack/virtual-phone'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AdbClient } from '../adb/client.js'
import { command } from '../adb/quote.js'
import { adbSocketPath } from '../adb/server.js'
import { startAgent } from '../agent.js'
import { startAdbProxy, type AdbProxy } from '../testing/adb-proxy.js'
import { startTestHost, type TestHost } from '../testing/agent.js'
import { CallFailed } from '../testing/client.js'
import { session, untilLink } from '../testing/phone.js'
import { until } from '../testing/until.js'
import { transportTo } from '../testing/transport.js'
import { recordSchema, type DeviceRecord } from '../custody/records.js'

let folder: string
let phone: Phone
let ways: AdbProxy[]
let host: TestHost
/** The phone's two serials, as adb lists them. */
let usb: string
let net: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phonerack-two-serials-'))
  phone = await startPhone({ port: 0, dataDir: folder, pace: 'instant', onFault: () => undefined })
  ways = [await startAdbProxy(phone.port), await startAdbProxy(phone.port)]
  const serials = ways.map(({ port }) => `127.0.0.1:${port}`)
  usb = serials[0] ?? ''
  net = serials[1] ?? ''
  host = await startTestHost(serials)
})
afterEach(async () => {
  await host.stop()
  for (const way of ways) await way.close()
  await phone.close()
  rmSync(folder, { recursive: true, force: true })
})

const unplug = async (serial: string): Promise<void> => {
  ways[serial === usb ? 0 : 1]?.cut()
  // A failed probe alone does not count as offline: adb itself must report the disconnect.
  const gone = /adb (does not list it|reports it offline)/
  await until(() => gone.test(statusOf(serial)?.reason ?? ''), 60_000, `${serial} is away`)
}
const plug = (serial: string): void => ways[serial === usb ? 0 : 1]?.restore()
const statusOf = (serial: string) => host.agent.registry.statuses().find((status) => status.serial === serial)
const enroll = (serial: string, fencingNumber = 1n) => host.control.enroll({ serial, fencingNumber }, 60_000)
const mustEnroll = async (serial: string): Promise<void> => {
  const { verified, checks } = await enroll(serial)
  expect(checks.filter(({ passed }) => !passed)).toEqual([])
  expect(verified).toBe(true)
}
const of = (phoneId: string, serial: string, number: bigint) =>
  session(host.control, serial, number, phoneId, `tenant of ${phoneId}`)
const untilReason = (serial: string, reason: RegExp) =>
  until(() => reason.test(statusOf(serial)?.reason ?? ''), 60_000, `${serial}: ${reason.source}`)
const failureOf = async (work: Promise<unknown>): Promise<CallFailed['plain']> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof CallFailed) return error.plain
  throw new Error('the call did not fail as it should', { cause: error })
}
const trace = async (phoneId: string, serial: string, number: bigint): Promise<void> => {
  const { assignment } = of(phoneId, serial, number)
  const content = Buffer.from(`secret of ${phoneId}`)
  await host.control.call.writeFile({ assignment, path: '/sdcard/Download/trace.txt', content })
}
const filesOf = async (phoneId: string, serial: string, number: bigint): Promise<string[]> => {
  const { assignment } = of(phoneId, serial, number)
  const { entries } = await host.control.call.listFiles({ assignment, path: '/sdcard/Download' })
  return entries.map(({ name }) => name)
}

const fromBefore = (record: Partial<DeviceRecord>): void => {
  delete record.marks
  delete record.mayLackMark
}

const transportOf = (serial: string) => transportTo(new AdbClient(adbSocketPath(host.config.dataDir)), serial)
const markFolder = '/data/local/tmp/phonerack'
const marks = async (serial = usb): Promise<string[]> => {
  const { stdout } = await transportOf(serial).shell(command('ls', '-A', markFolder), Progress.for(5000))
  return stdout
    .toString()
    .split('\n')
    .filter((name) => name.startsWith('phone-'))
}
const removeMarks = async (serial = usb): Promise<void> => {
  const paths = (await marks(serial)).map((name) => `${markFolder}/${name}`)
  expect(paths).toHaveLength(1)
  await transportOf(serial).shell(command('rm', ...paths), Progress.for(5000))
}

/** Restarts the agent on records that `change` modified. */
async function upgrade(change: (record: DeviceRecord) => void): Promise<void> {
  await host.agent.stop()
  const dir = join(host.config.dataDir, 'devices')
  for (const name of readdirSync(dir)) {
    const record = recordSchema.parse(JSON.parse(readFileSync(join(dir, name), 'utf8')))
    change(record)
    writeFileSync(join(dir, name), JSON.stringify(record))
  }
  const log = createLogger('test')
  log.level = 'silent'
  const port = host.agent.grpcPort
  host.agent = await startAgent({ ...host.config, grpcListen: `127.0.0.1:${port}` }, host.identity, log)
}

it('refuses to enroll the second serial of a connected phone, erases nothing and states the reason', async () => {
  await untilLink(host, usb, 'unenrolled')
  await untilLink(host, net, 'unenrolled')
  await mustEnroll(usb)
  await of('ph_a', usb, 2n).start()
  await trace('ph_a', usb, 2n)
  await untilReason(net, new RegExp(`the same phone is connected and enrolled as ${usb}`))
  const { wipes } = phone.counters()
  const answer = await enroll(net)
  expect(answer.verified).toBe(false)
  expect(answer.checks).toEqual([expect.objectContaining({ name: 'same_phone', passed: false })])
  expect(answer.checks[0]?.evidence).toContain(usb)
  expect(phone.counters().wipes).toBe(wipes)
  expect(await failureOf(of('ph_b', net, 2n).start())).toMatchObject({ code: 'phone_unavailable' })
  expect(await filesOf('ph_a', usb, 2n)).toContain('trace.txt')
})

it('lets only the most recently enrolled serial reach the phone, and neither while a tenant holds it', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  // The first serial's clean record stays while the phone connects under the second.
  await unplug(usb)
  await untilLink(host, net, 'unenrolled')
  await mustEnroll(net)
  await of('ph_b', net, 2n).start()
  await trace('ph_b', net, 2n)
  await unplug(net)

  expect(statusOf(usb)?.custody).toMatchObject({ clean_for: 'anyone' })
  plug(usb)
  await untilReason(usb, /has since been enrolled or wiped under another serial/)
  expect(statusOf(usb)).toMatchObject({ link: 'unenrolled', custody: { dirty: true, clean_for: '' } })
  expect(await failureOf(of('ph_a', usb, 3n).start())).toMatchObject({ code: 'phone_unavailable' })
  expect(await failureOf(of('', usb, 3n).wipe())).toMatchObject({
    message: expect.stringContaining('has since been enrolled or wiped under another serial') as unknown,
  })

  // Both serials are connected.
  plug(net)
  await untilLink(host, net, 'healthy')
  expect(await filesOf('ph_b', net, 2n)).toContain('trace.txt')
  expect(statusOf(usb)?.link).toBe('unenrolled')
})

it('ends the assignment of a phone that was enrolled under another serial', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  await of('ph_a', usb, 2n).start()
  await unplug(usb)
  await untilLink(host, net, 'unenrolled')
  await mustEnroll(net)
  await of('ph_b', net, 2n).start()
  await trace('ph_b', net, 2n)
  plug(usb)
  await untilReason(usb, /has since been enrolled or wiped under another serial/)
  // Its number is current, and its assignment is unchanged.
  await failureOf(filesOf('ph_a', usb, 2n))
  expect(await failureOf(of('ph_a', usb, 2n).start())).toMatchObject({ code: 'phone_unavailable' })
  expect(await filesOf('ph_b', net, 2n)).toEqual(['trace.txt'])
})

it("keeps the assignment over the phone's own restart, a requested restart and an agent restart", async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  const a = of('ph_a', usb, 2n)
  await a.start()
  await trace('ph_a', usb, 2n)
  await host.control.call.rebootPhone({ assignment: a.assignment })
  await a.start()
  await upgrade(() => undefined)
  await untilLink(host, usb, 'healthy')
  await untilReason(net, /the same phone is connected/)
  expect(await filesOf('ph_a', usb, 2n)).toContain('trace.txt')
})

it('reaches a phone without its mark only to wipe it', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  await of('ph_a', usb, 2n).start()
  await removeMarks()
  expect(await failureOf(of('ph_a', usb, 3n).start())).toMatchObject({ code: 'phone_unavailable' })
  await untilReason(usb, /lost this host's mark/)
  expect(statusOf(usb)?.custody).toMatchObject({ dirty: true, clean_for: '' })
  expect(await of('', usb, 4n).wipe()).toMatchObject({ verified: true, cleanFor: 'anyone' })
  await of('ph_b', usb, 5n).start()
})

it('marks the phone of a record made before marks existed, and keeps its tenant', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  await of('ph_a', usb, 2n).start()
  await trace('ph_a', usb, 2n)
  await removeMarks()
  await upgrade(fromBefore)
  await untilLink(host, usb, 'healthy')
  expect(await filesOf('ph_a', usb, 2n)).toContain('trace.txt')
  expect(statusOf(usb)?.custody).toMatchObject({ assignment: { phone_id: 'ph_a' } })
  expect(await marks()).toHaveLength(1)
})

it('wipes the phone of two unmarked records that may describe the same phone', async () => {
  await untilLink(host, usb, 'unenrolled')
  await mustEnroll(usb)
  await unplug(usb)
  await untilLink(host, net, 'unenrolled')
  await mustEnroll(net)
  await of('ph_b', net, 2n).start()
  await trace('ph_b', net, 2n)
  await removeMarks(net)
  await unplug(net)
  plug(usb)
  await upgrade(fromBefore)
  await untilLink(host, usb, 'healthy')
  expect(await failureOf(of('ph_a', usb, 2n).start())).toMatchObject({ details: { reason: 'not_wiped' } })
  // The second serial connects while the first is in use, and stays refused after the first
  // disconnects.
  plug(net)
  await untilReason(net, /the same phone is connected/)
  expect(await of('', usb, 2n).wipe()).toMatchObject({ verified: true })
  await of('ph_a', usb, 3n).start()
  await unplug(usb)
  await untilReason(net, /has since been enrolled or wiped under another serial/)
  expect(await failureOf(of('ph_b', net, 2n).start())).toMatchObject({ code: 'phone_unavailable' })
})
