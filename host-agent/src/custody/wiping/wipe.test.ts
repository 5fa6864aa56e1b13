/**
 * A wipe removes all traces that a tenant can leave on a phone, and its checks detect remaining traces. Runs
 * over adb on a virtual phone.
 */
import type { Leftover } from '@phonerack/virtual-phone'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CallFailed } from '../../testing/client.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'

let both: PhoneAndHost
let number = 1n
beforeAll(async () => {
  // No trace of a tenant depends on the UI server: without it, a wipe installs one part less.
  both = await startPhoneAndHost({ without: ['ui-server'] })
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  const answer = await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: number }, 60_000)
  expect(answer.checks.filter(({ passed }) => !passed)).toEqual([])
})
afterAll(() => both.stop())

const wipe = () => session(both.host.control, both.phone.serial, (number += 1n)).wipe()

/** The check that must detect each trace. */
const seenBy: Record<Exclude<Leftover, 'lock-credential'>, string> = {
  account: 'accounts',
  'sdcard-file': 'shared_storage',
  package: 'third_party_packages',
  clipboard: 'clipboard',
  locale: 'locale',
  timezone: 'timezone',
  'ca-certificate': 'ca_certificates',
  vpn: 'vpn',
  'input-method': 'input_methods',
  'accessibility-service': 'accessibility_services',
  'device-admin': 'device_admins',
  'second-user': 'users',
  'wifi-network': 'wifi_networks',
  'tmp-file': 'shell_files',
  'log-lines': 'log_buffers',
  'crash-report': 'crash_reports',
}
const all = Object.keys(seenBy) as Leftover[]

it('removes every trace that a tenant can leave', async () => {
  await both.phone.inside.faults.leave(all)
  const answer = await wipe()
  expect(answer.checks.filter(({ passed }) => !passed)).toEqual([])
  expect(answer.verified).toBe(true)
  expect(answer.checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining([...new Set(Object.values(seenBy)), 'mark_gone', 'lock_credential', 'settings']),
  )
})

it('detects each trace that a wipe leaves [42.10]', async () => {
  both.phone.inside.faults.wipeLeaves(all)
  const answer = await wipe()
  expect(answer.verified).toBe(false)
  const failed = answer.checks.filter(({ passed }) => !passed)
  expect(failed.map(({ name }) => name).toSorted()).toEqual(
    [...new Set([...Object.values(seenBy), 'vpn'])].toSorted(),
  )
  for (const { evidence } of failed) expect(evidence).not.toBe('')
})

it('detects that no data was wiped', async () => {
  const { faults } = both.phone.inside
  faults.wipeLeaves([])
  faults.setWipeDoesNothing(true)
  const answer = await wipe()
  expect(answer.checks.find(({ name }) => name === 'mark_gone')?.passed).toBe(false)
  faults.setWipeDoesNothing(false)
  expect((await wipe()).verified).toBe(true)
})

it('reports a lock credential, with which the phone refuses to be wiped', async () => {
  both.phone.inside.faults.wipeLeaves(['lock-credential'])
  const answer = await wipe()
  expect(answer.checks.filter(({ passed }) => !passed).map(({ name }) => name)).toEqual(['lock_credential'])
  const refused: unknown = await wipe().catch((error: unknown) => error)
  expect(refused instanceof CallFailed && refused.plain?.code).toBe('provider_error')
})
