/**
 * A virtual phone that moves from the adb server of one agent to the adb server of another agent, with its
 * tenant's data. The new agent proves the phone's identity and takes the phone over, and the earlier agent no
 * longer accepts the phone.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isProven, newNonce, Progress } from '@phonerack/shared'
import { startPhone, type Phone } from '@phonerack/virtual-phone'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AdbClient } from '../adb/client.js'
import { command } from '../adb/quote.js'
import { adbSocketPath } from '../adb/sockets.js'
import { startAdbProxy, type AdbProxy } from '../testing/adb-proxy.js'
import { hostId, startTestHost, type TestHost } from '../testing/agent.js'
import { CallFailed } from '../testing/client.js'
import { session, untilLink } from '../testing/phone.js'
import { until } from '../testing/until.js'
import { transportTo } from '../testing/transport.js'

interface Place {
  host: TestHost
  way: AdbProxy
  serial: string
}

let folder: string
let phone: Phone
let first: Place
let second: Place
/** The answer of the enrolment, as the control plane stores it. */
let identity: string
let profile: string

async function place(): Promise<Place> {
  const way = await startAdbProxy(phone.port)
  const serial = `127.0.0.1:${way.port}`
  return { way, serial, host: await startTestHost([serial]) }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'phonerack-two-hosts-'))
  phone = await startPhone({ port: 0, dataDir: folder, pace: 'instant', onFault: () => undefined })
  first = await place()
  second = await place()
  second.way.cut()
  await untilLink(first.host, first.serial, 'unenrolled')
  const enrolled = await first.host.control.enroll({ serial: first.serial, fencingNumber: 1n }, 60_000)
  expect(enrolled.verified).toBe(true)
  identity = enrolled.identity
  profile = enrolled.profileJson
  const tenant = of(first, 'ph_a', 2n, false)
  await tenant.start()
  const content = Buffer.from('kept')
  await first.host.control.call.writeFile({
    assignment: tenant.assignment,
    path: '/sdcard/Download/a.txt',
    content,
  })
})
afterAll(async () => {
  for (const { host, way } of [first, second]) {
    await host.stop()
    await way.close()
  }
  await phone.close()
  rmSync(folder, { recursive: true, force: true })
})

const of = ({ host, serial }: Place, phoneId: string, number: bigint, hasData = true) =>
  session(host.control, serial, number, phoneId, `tenant of ${phoneId}`, hasData)
const statusAt = ({ host, serial }: Place) =>
  host.agent.registry.statuses().find((status) => status.serial === serial)
const failureOf = async (work: Promise<unknown>): Promise<CallFailed['plain']> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof CallFailed) return error.plain
  throw new Error('the call did not fail as it should', { cause: error })
}
const reasonOf = async (work: Promise<unknown>): Promise<unknown> =>
  (await failureOf(work))?.details['reason']

async function carry(from: Place, to: Place): Promise<void> {
  from.way.cut()
  await until(() => statusAt(from)?.link !== 'healthy', 60_000, 'the phone is disconnected')
  to.way.restore()
  await until(() => statusAt(to)?.identity !== undefined, 60_000, 'the phone claims its identity')
}

const adopt = (to: Place, number: bigint, expected: string, phoneId = 'ph_a') =>
  to.host.control.call.adoptDevice(
    {
      serial: to.serial,
      fencingNumber: number,
      identity: expected,
      phoneId,
      tenant: phoneId === '' ? '' : `tenant of ${phoneId}`,
      profileJson: profile,
    },
    60_000,
  )

it('writes the key of the phone into a file that only the shell user can read', async () => {
  const client = new AdbClient(adbSocketPath(first.host.config.dataDir, first.serial))
  const shell = transportTo(client, first.serial)
  const listed = await shell.shell(
    command('ls', '-l', '/data/local/tmp/phonerack/identity'),
    Progress.for(20_000),
  )
  expect(listed.stdout.toString()).toMatch(/^-rw------- 1 shell /)
  expect(identity).not.toBe('')
})

it('proves its identity at the second host, which only reads it and cannot use it', async () => {
  await carry(first, second)
  expect(statusAt(second)).toMatchObject({ link: 'unenrolled', identity })
  const { serial } = second
  const nonce = newNonce()
  const answer = await second.host.control.call.proveDevice({ serial, nonce })
  expect(answer.identity).toBe(identity)
  expect(isProven({ nonce, hostId, serial, identity }, answer.signature)).toBe(true)
  expect(isProven({ nonce: newNonce(), hostId, serial, identity }, answer.signature)).toBe(false)
  expect(isProven({ nonce, hostId, serial: first.serial, identity }, answer.signature)).toBe(false)
  for (const service of second.way.opened)
    expect(service).toMatch(/^shell,v2,raw:(getprop |cat \/data\/local\/tmp\/phonerack\/identity$)/)
  expect((await failureOf(of(second, 'ph_a', 3n).start()))?.code).toBe('phone_unavailable')
})

it('is not taken over with an identity that it does not carry', async () => {
  expect(await reasonOf(adopt(second, 3n, 'A'.repeat(43)))).toBe('other_identity')
  expect(statusAt(second)).toMatchObject({ link: 'unenrolled', identity })
})

it('continues at the second host with the data of its tenant only, under a new identity', async () => {
  const adopted = await adopt(second, 4n, identity)
  expect(adopted.identity).not.toBe(identity)
  // The answer may be lost.
  expect((await adopt(second, 4n, identity)).identity).toBe(adopted.identity)
  await untilLink(second.host, second.serial, 'healthy', 60_000)
  expect(await reasonOf(of(second, 'ph_b', 5n).start())).toBe('not_wiped')
  const tenant = of(second, 'ph_a', 5n)
  await tenant.start()
  const { assignment } = tenant
  const { entries } = await second.host.control.call.listFiles({ assignment, path: '/sdcard/Download' })
  expect(entries.map(({ name }) => name)).toContain('a.txt')
  expect(adopted.identity).toBe(second.host.agent.registry.gate(second.serial).record.identity?.key)
  identity = adopted.identity
})

it('is no longer the phone of the first host when it is connected there again', async () => {
  await carry(second, first)
  expect(statusAt(first)).toMatchObject({ link: 'unenrolled', identity })
  expect((await failureOf(of(first, 'ph_a', 3n).start()))?.code).toBe('phone_unavailable')
  expect((await failureOf(of(first, 'ph_a', 6n).start()))?.code).toBe('phone_unavailable')
})

it('is taken over again when its tenant deleted it before the answer arrived', async () => {
  const { identity: written } = await adopt(first, 7n, identity)
  const { identity: kept } = await adopt(first, 8n, identity, '')
  expect(kept).toBe(written)
  expect(first.host.agent.registry.gate(first.serial).record.assignment).toBeNull()
  expect(await reasonOf(adopt(first, 9n, 'A'.repeat(43), ''))).toBe('other_identity')
})

it('gets a new identity with its next wipe', async () => {
  const { identity: taken } = await adopt(first, 10n, identity, '')
  const { verified, checks, ...wiped } = await of(first, '', 10n).wipe()
  expect(checks.filter(({ passed }) => !passed)).toEqual([])
  expect(verified).toBe(true)
  expect(wiped.identity).not.toBe(taken)
  await untilLink(first.host, first.serial, 'healthy', 60_000)
  // The order to take the phone over is from before its wipe.
  expect(await reasonOf(adopt(first, 11n, identity, ''))).toBe('other_identity')
})
