/** For tests: one phone under two adb serials, and the agent that knows both. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { startPhone, type Phone } from '@phonerack/virtual-phone'
import { afterEach, beforeEach, expect } from 'vitest'
import { AdbClient } from '../adb/client.js'
import { command } from '../adb/quote.js'
import { adbSocketPath } from '../adb/sockets.js'
import { startAgent } from '../service/agent.js'
import { startAdbProxy, type AdbProxy } from './adb-proxy.js'
import { startTestHost, type TestHost } from './agent.js'
import { CallFailed } from './client.js'
import { session } from './phone.js'
import { until } from './until.js'
import { transportTo } from './transport.js'
import { recordSchema, type DeviceRecord } from '../custody/records.js'

const times = { unenrolled: 1000, reconnect: 500 }
let folder: string
export let phone: Phone
let links: AdbProxy[]
export let host: TestHost
/** The phone's two serials, as adb lists them. */
export let usb: string
export let net: string

/** Starts one phone with two serials, and an agent, for each test of the file. */
export function withTwoSerials(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'phonerack-two-serials-'))
    phone = await startPhone({
      port: 0,
      dataDir: folder,
      pace: 'instant',
      onFault: () => undefined,
      // The phone has no helpers, on which no record of custody depends: without them, a wipe installs
      // nothing.
      without: ['scrcpy', 'ui-server'],
    })
    links = [await startAdbProxy(phone.port), await startAdbProxy(phone.port)]
    const serials = links.map(({ port }) => `127.0.0.1:${port}`)
    usb = serials[0] ?? ''
    net = serials[1] ?? ''
    host = await startTestHost(serials, [], times)
  })
  afterEach(async () => {
    await host.stop()
    for (const link of links) await link.close()
    await phone.close()
    rmSync(folder, { recursive: true, force: true })
  })
}

export const unplug = async (serial: string): Promise<void> => {
  links[serial === usb ? 0 : 1]?.cut()
  // A failed probe alone does not count as offline: adb itself must report the disconnect.
  const gone = /adb (does not list the device|reports the device as offline)/
  await until(() => gone.test(statusOf(serial)?.reason ?? ''), 60_000, `${serial} is away`)
}
export const plug = (serial: string): void => links[serial === usb ? 0 : 1]?.restore()
export const statusOf = (serial: string) =>
  host.agent.registry.statuses().find((status) => status.serial === serial)
export const enroll = (serial: string, fencingNumber = 1n) =>
  host.control.enroll({ serial, fencingNumber }, 60_000)
export const mustEnroll = async (serial: string): Promise<void> => {
  const { verified, checks } = await enroll(serial)
  expect(checks.filter(({ passed }) => !passed)).toEqual([])
  expect(verified).toBe(true)
}
export const of = (phoneId: string, serial: string, number: bigint) =>
  session(host.control, serial, number, phoneId, `tenant of ${phoneId}`)
export const untilReason = (serial: string, reason: RegExp) =>
  until(() => reason.test(statusOf(serial)?.reason ?? ''), 60_000, `${serial}: ${reason.source}`)
export const failureOf = async (work: Promise<unknown>): Promise<CallFailed['plain']> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof CallFailed) return error.plain
  throw new Error('the call did not fail as it should', { cause: error })
}
export const trace = async (phoneId: string, serial: string, number: bigint): Promise<void> => {
  const { assignment } = of(phoneId, serial, number)
  const content = Buffer.from(`secret of ${phoneId}`)
  await host.control.call.writeFile({ assignment, path: '/sdcard/Download/trace.txt', content })
}
export const filesOf = async (phoneId: string, serial: string, number: bigint): Promise<string[]> => {
  const { assignment } = of(phoneId, serial, number)
  const { entries } = await host.control.call.listFiles({ assignment, path: '/sdcard/Download' })
  return entries.map(({ name }) => name)
}

export const fromBefore = (record: Partial<DeviceRecord>): void => {
  delete record.marks
  delete record.mayLackMark
}

const transportOf = (serial: string) =>
  transportTo(new AdbClient(adbSocketPath(host.config.dataDir, serial)), serial)
const markFolder = '/data/local/tmp/phonerack'
export const marks = async (serial = usb): Promise<string[]> => {
  const { stdout } = await transportOf(serial).shell(command('ls', '-A', markFolder), Progress.for(5000))
  return stdout
    .toString()
    .split('\n')
    .filter((name) => name.startsWith('phone-'))
}
export const removeMarks = async (serial = usb): Promise<void> => {
  const paths = (await marks(serial)).map((name) => `${markFolder}/${name}`)
  expect(paths).toHaveLength(1)
  await transportOf(serial).shell(command('rm', ...paths), Progress.for(5000))
}

/** Restarts the agent on records that `change` modified. */
export async function upgrade(change: (record: DeviceRecord) => void): Promise<void> {
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
  host.agent = await startAgent(
    { ...host.config, grpcListen: `127.0.0.1:${port}` },
    host.identity,
    log,
    times,
  )
}
