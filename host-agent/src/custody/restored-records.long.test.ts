/**
 * The agent's folder is restored from an older backup: no tenant reaches another's
 * data. Over adb, on a virtual phone.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@phonerack/shared'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startAgent } from '../service/agent.js'
import { startTestHost, type TestHost } from '../testing/agent.js'
import { session, startTestPhone, untilLink, type TestPhone } from '../testing/phone.js'

let backup: string
let phone: TestPhone
let host: TestHost

beforeEach(async () => {
  backup = mkdtempSync(join(tmpdir(), 'phonerack-backup-'))
  // The phones have no helpers, on which no record of custody depends: without them, a wipe installs nothing.
  phone = await startTestPhone(['scrcpy', 'ui-server'])
  host = await startTestHost([phone.serial])
  await untilLink(host, phone.serial, 'unenrolled')
  const { verified } = await host.control.enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000)
  expect(verified).toBe(true)
})
afterEach(async () => {
  await host.stop()
  await phone.stop()
  rmSync(backup, { recursive: true, force: true })
})

const devices = () => join(host.config.dataDir, 'devices')
const of = (phoneId: string, number: bigint) =>
  session(host.control, phone.serial, number, phoneId, `tenant of ${phoneId}`)
const status = () => host.agent.registry.statuses().find(({ serial }) => serial === phone.serial)

async function restore(): Promise<void> {
  await host.agent.stop()
  rmSync(devices(), { recursive: true })
  cpSync(backup, devices(), { recursive: true })
  const log = createLogger('test')
  log.level = 'silent'
  const grpcListen = `127.0.0.1:${host.agent.grpcPort}`
  host.agent = await startAgent({ ...host.config, grpcListen }, host.identity, log)
}

it('lets a tenant continue when the backup was made under its assignment', async () => {
  await of('ph_a', 2n).start()
  cpSync(devices(), backup, { recursive: true })
  await of('ph_a', 3n).start()
  await restore()
  await untilLink(host, phone.serial, 'healthy')
  await of('ph_a', 3n).start()
})

it('reports a lost record with a newer revision than the record had', async () => {
  await of('ph_a', 2n).start()
  const { revision } = status()?.custody ?? {}
  await restore()
  await untilLink(host, phone.serial, 'unenrolled')
  expect(status()?.custody).toMatchObject({ assignment: null, dirty: true, clean_for: '' })
  expect(status()?.custody?.revision).toBeGreaterThan(revision ?? Infinity)
})
