/**
 * A control plane that lost a tenant's record assigns that tenant's phone to another:
 * the agent refuses until the phone is wiped. Over adb, on a virtual phone.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CallFailed } from '../testing/client.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../testing/phone.js'

let both: PhoneAndHost
beforeAll(async () => {
  // The phones have no helpers, on which no record of custody depends: without them, a wipe installs nothing.
  both = await startPhoneAndHost({ without: ['scrcpy', 'ui-server'] })
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 60_000)
})
afterAll(() => both.stop())

const of = (phoneId: string, number: bigint) =>
  session(both.host.control, both.phone.serial, number, phoneId, `tenant of ${phoneId}`)
const refusalOf = async (work: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof CallFailed) return error.plain?.details['reason'] ?? error.plain?.code
  return error
}
const filesOf = async (phoneId: string, number: bigint): Promise<string[]> => {
  const { assignment } = of(phoneId, number)
  const { entries } = await both.host.control.call.listFiles({ assignment, path: '/sdcard/Download' })
  return entries.map(({ name }) => name)
}
const custody = () => both.host.agent.registry.statuses()[0]?.custody

it("keeps a tenant's data from the next one for any number that the next one sends", async () => {
  const first = of('ph_a', 2n)
  await first.start()
  const { assignment } = first
  const content = Buffer.from('secret of a')
  await both.host.control.call.writeFile({ assignment, path: '/sdcard/Download/trace.txt', content })
  expect(await filesOf('ph_a', 2n)).toContain('trace.txt')
  expect(custody()).toMatchObject({
    assignment: { phone_id: 'ph_a', fencing_number: 2 },
    dirty: true,
    clean_for: '',
  })

  // The test sends the same number again, as after a restore, and later numbers.
  for (const number of [2n, 3n, 100n]) {
    const expected = number === 2n ? 'number_taken' : 'not_wiped'
    expect(await refusalOf(of('ph_b', number).start())).toBe(expected)
    expect(await refusalOf(of('ph_b', number).park())).toBe(expected)
    const reboot = both.host.control.call.rebootPhone({ assignment: of('ph_b', number).assignment })
    expect(await refusalOf(reboot)).toBe(expected)
  }
  expect(await refusalOf(of('ph_b', 2n).observe())).toBe('not_assigned')
  expect(await refusalOf(filesOf('ph_b', 2n))).toBe('not_assigned')
  expect(await refusalOf(of('ph_b', 2n).run([{ type: 'home' }]))).toBe('not_assigned')
  // The first tenant is not affected.
  expect(await filesOf('ph_a', 2n)).toContain('trace.txt')

  const answer = await of('', 4n).wipe()
  expect(answer).toMatchObject({ verified: true, cleanFor: 'anyone' })
  expect(custody()).toMatchObject({ assignment: null, dirty: false, clean_for: 'anyone' })
  expect(BigInt(custody()?.revision ?? 0)).toBe(answer.revision)
  await of('ph_b', 5n).start()
  expect(await filesOf('ph_b', 5n)).not.toContain('trace.txt')
  expect(await refusalOf(of('ph_a', 5n).observe())).toBe('not_assigned')
})

it('keeps a device from the next tenant when its wipe could not be verified', async () => {
  const { faults } = both.phone.inside
  faults.setWipeDoesNothing(true)
  expect(await of('', 6n).wipe()).toMatchObject({ verified: false, cleanFor: '' })
  faults.setWipeDoesNothing(false)
  expect(await refusalOf(of('ph_c', 7n).start())).toBe('not_wiped')
  expect(await of('', 7n).wipe()).toMatchObject({ verified: true, cleanFor: 'anyone' })
  await of('ph_c', 8n).start()
})

it("assigns no phone a device that was enrolled later, even when the enrolment's wipe failed", async () => {
  const { faults } = both.phone.inside
  faults.setWipeDoesNothing(true)
  const answer = await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 9n }, 60_000)
  expect(answer).toMatchObject({ verified: false, cleanFor: '' })
  faults.setWipeDoesNothing(false)
  expect(custody()).toMatchObject({ assignment: null, dirty: true, clean_for: '' })
  expect(await refusalOf(of('ph_c', 10n).start())).toBe('not_wiped')
  expect(await of('', 10n).wipe()).toMatchObject({ verified: true, cleanFor: 'anyone' })
  await of('ph_d', 11n).start()
})

it('assigns no device to a phone whose data was wiped from it', async () => {
  const { serial } = both.phone
  const [released, its] = [
    of('ph_d', 12n),
    session(both.host.control, serial, 13n, 'ph_d', 'tenant of ph_d', true),
  ]
  expect(await released.wipe()).toMatchObject({ verified: true })
  expect(await refusalOf(its.start())).toBe('data_wiped')
  expect(await refusalOf(its.park())).toBe('data_wiped')
  expect(await refusalOf(both.host.control.call.rebootPhone({ assignment: its.assignment }))).toBe(
    'data_wiped',
  )
  // A reset starts the phone without data.
  await of('ph_d', 13n).start()
  await session(both.host.control, serial, 14n, 'ph_d', 'tenant of ph_d', true).start()
})
