/**
 * Conditions that block a wipe or remain after it: screen locks, accounts, cards, another image. Runs over
 * adb on a virtual phone.
 */
import type { Part } from '@phonerack/virtual-phone'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CallFailed } from '../../testing/client.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'

let both: PhoneAndHost
let number = 0n

const enroll = () =>
  both.host.control.enroll({ serial: both.phone.serial, fencingNumber: (number += 1n) }, 60_000)
const next = () => session(both.host.control, both.phone.serial, (number += 1n))
const failedOf = (answer: { checks: { name: string; passed: boolean; evidence: string }[] }) =>
  Object.fromEntries(answer.checks.filter(({ passed }) => !passed).map((each) => [each.name, each.evidence]))
const statusOf = () => both.host.agent.registry.statuses().find(({ serial }) => serial === both.phone.serial)
const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.catch((reason: unknown) => reason)
  if (!(error instanceof CallFailed)) throw new Error('it was not refused')
  return error.plain?.message ?? ''
}

/** No obstacle depends on the UI server: without it, a wipe installs one part less. */
async function started(options: { without?: Iterable<Part>; allowSim?: boolean } = {}): Promise<void> {
  both = await startPhoneAndHost({ ...options, without: ['ui-server', ...(options.without ?? [])] })
  await untilLink(both.host, both.phone.serial, 'unenrolled')
}

describe('a phone', () => {
  beforeAll(() => started())
  afterAll(() => both.stop())
  afterEach(() => both.phone.inside.faults.insert({ sim: false, esimProfiles: 0, memoryCard: false }))

  it.each([
    ['removable_storage', { memoryCard: true }, 'disk:179,64'],
    ['sim_cards', { sim: true }, 'slot 0: LOADED'],
    ['esim_profiles', { esimProfiles: 2 }, '2 eSIM profiles'],
  ] as const)('is not enrolled, and not erased, with %s', async (name, cards, evidence) => {
    const { inside } = both.phone
    await inside.faults.leave(['sdcard-file'])
    inside.faults.insert(cards)
    const answer = await enroll()
    expect(answer.verified).toBe(false)
    expect(Object.keys(failedOf(answer))).toEqual([name])
    expect(failedOf(answer)[name]).toContain(evidence)
    expect(inside.counters().wipes).toBe(0)
    expect(statusOf()?.link).toBe('unenrolled')
  })

  it('is enrolled without them, and its image and bootloader are recorded', async () => {
    const answer = await enroll()
    expect(failedOf(answer)).toEqual({})
    const image = answer.checks.find(({ name }) => name === 'system_image')
    expect(image?.evidence).toContain('ro.boot.verifiedbootstate=green')
    expect(image?.evidence).toContain('ro.boot.flash.locked=1')
    expect(image?.evidence).toContain('ro.build.fingerprint=')
  })

  it('fails a wipe after which a card is in it, or another image runs on it', async () => {
    both.phone.inside.faults.insert({ memoryCard: true, esimProfiles: 1 })
    both.phone.inside.faults.setBootProperties({ 'ro.boot.verifiedbootstate': 'orange' })
    const failed = failedOf(await next().wipe())
    expect(Object.keys(failed).toSorted()).toEqual(['esim_profiles', 'removable_storage', 'system_image'])
    expect(failed['system_image']).toBe('ro.boot.verifiedbootstate=orange')
    both.phone.inside.faults.insert({ memoryCard: false, esimProfiles: 0 })
    both.phone.inside.faults.setBootProperties({ 'ro.boot.verifiedbootstate': 'green' })
    expect(failedOf(await next().wipe())).toEqual({})
  })

  it('is wiped although its tenant set a PIN through the API', async () => {
    const tenant = next()
    await tenant.start()
    // The guard may close the screens before a lock is set.
    await tenant.run([
      {
        type: 'open_app',
        package: 'com.android.settings',
        activity: 'com.android.settings.password.ChooseLockPassword',
      },
      { type: 'type', text: '2580', target: { id: 'password_entry' } },
      { type: 'tap', target: { id: 'next_button' } },
      { type: 'type', text: '2580', target: { id: 'password_entry' } },
      { type: 'tap', target: { id: 'next_button' } },
    ])
    expect(failedOf(await next().wipe())).toEqual({})
    expect(statusOf()?.events?.map(({ step }) => step)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^screen_lock_(closed|cleared)$/)]),
    )
  })

  it('that was locked by hand reports the lock while rented, and its wipe names the next step', async () => {
    const tenant = next()
    await tenant.start()
    await both.phone.inside.faults.leave(['lock-credential'])
    // The guard closes the screen that sets a lock, and then reads the lock without a pause.
    await tenant.run([
      {
        type: 'open_app',
        package: 'com.android.settings',
        activity: 'com.android.settings.password.ChooseLockPassword',
      },
    ])
    await expect
      .poll(() => statusOf()?.condition?.lock_credential, { timeout: 60_000, interval: 200 })
      .toBe(true)
    expect(statusOf()?.condition?.warnings.join()).toContain('a screen lock is set')
    expect(await refusalOf(next().wipe())).toContain('Remove the lock in the settings of the phone')
  })
})

describe('a phone that refuses its wipe while an account is on it', () => {
  beforeAll(async () => {
    await started({ without: ['testharness-with-accounts'] })
    expect(failedOf(await enroll())).toEqual({})
  })
  afterAll(() => both.stop())

  it('is wiped after the apps that keep the accounts were uninstalled', async () => {
    await next().start()
    const { faults } = both.phone.inside
    await faults.leave(['package'])
    faults.addAccount({ name: 'tenant', type: 'com.example.login', owner: 'com.example.leftover' })
    expect(failedOf(await next().wipe())).toEqual({})
  })

  it('names the types of accounts, and not their names, when they belong to the system', async () => {
    await next().start()
    await both.phone.inside.faults.leave(['account'])
    const message = await refusalOf(next().wipe())
    expect(message).toContain('com.google')
    expect(message).not.toContain('tenant@example.com')
  })
})

describe('a phone whose operator allows a SIM', () => {
  beforeAll(() => started({ allowSim: true }))
  afterAll(() => both.stop())

  it('is enrolled with the SIM, and each wipe clears its messages and call forwarding', async () => {
    both.phone.inside.faults.insert({ sim: true, forwards: true, messages: 2 })
    const answer = await enroll()
    expect(failedOf(answer)).toEqual({})
    const checks = Object.fromEntries(answer.checks.map(({ name, evidence }) => [name, evidence]))
    expect(checks['sim_cards']).toContain('allowed by the operator')
    expect(checks['sim_messages']).toBe('0 on the phone, 0 on the SIM')
    expect(checks['call_forwarding']).toBe('none')
  })
})
