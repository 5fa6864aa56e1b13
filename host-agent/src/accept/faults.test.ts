/** Each fault of a virtual phone fails the check whose claim it breaks, with a reason that names the fault. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import type { Leftover, Part } from '@phonerack/virtual-phone'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readJar } from '../scrcpy/jar.js'
import { jarPath } from '../testing/jar.js'
import { startTestPhone, type TestPhone } from '../testing/phone.js'
import { until } from '../testing/until.js'
import type { CheckResult } from './check.js'
import { allChecks } from './checks/index.js'
import { look } from './checks/screen.js'
import { startPhoneUnderTest, type PhoneUnderTest } from './phone.js'
import { runChecks } from './run.js'

const patience = 60_000
const log = createLogger('test')
log.level = 'silent'

interface Both {
  virtual: TestPhone
  phone: PhoneUnderTest
  stop(): Promise<void>
}

async function start(without: Iterable<Part> = []): Promise<Both> {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-accept-faults-'))
  const virtual = await startTestPhone(without)
  const phone = await startPhoneUnderTest({
    ...{ serial: virtual.serial, dir, adbBin: 'adb', isolated: false, simAllowed: false, log },
    ...{ jar: await readJar(await jarPath()), programs: { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' } },
  })
  return {
    virtual,
    phone,
    async stop() {
      await phone.stop()
      await virtual.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Runs one check without those that it needs. @param limitMs its limit; default: its own */
async function run({ phone }: Both, name: string, limitMs?: number): Promise<CheckResult> {
  const check = allChecks.find((each) => each.name === name)
  if (check === undefined) throw new Error(`no check is named ${name}`)
  const [result] = await runChecks({
    checks: [{ ...check, needs: [], limitMs: limitMs ?? check.limitMs }],
    ...{ phone, interrupted: new AbortController().signal },
    onBegin: () => undefined,
    onEnd: () => undefined,
  })
  if (result === undefined) throw new Error('the check has no result')
  return result
}

const passes = async (both: Both, ...names: string[]): Promise<void> => {
  for (const name of names) expect(await run(both, name)).toMatchObject({ verdict: 'passed', reason: null })
}

/** A phone whose connection was lost is listed as healthy for a moment. */
const answers = ({ phone }: Both): Promise<void> =>
  until(
    async () => (await look(phone, Progress.for(patience)).catch(() => null)) !== null,
    patience,
    'an answer',
  )

describe('a phone with a fault', () => {
  let both: Both
  beforeAll(async () => {
    both = await start()
    await passes(both, 'connection', 'enrolment', 'start')
  })
  afterAll(() => both.stop())
  type Faults = TestPhone['inside']['faults']

  it('has a low battery', async () => {
    both.virtual.inside.faults.setBattery(7)
    const warnings = () => both.phone.status()?.condition?.warnings ?? []
    await until(() => warnings().length > 0, patience, 'another reading')
    expect(await run(both, 'condition')).toMatchObject({
      verdict: 'failed',
      reason: expect.stringContaining('the battery is at 7 %') as string,
    })
    both.virtual.inside.faults.setBattery(100)
  })

  const table: [string, (faults: Faults) => void | Promise<void>, string, RegExp, number?][] = [
    ['a wrong clock', (faults) => faults.setClockOffset(3_600_000), 'clock', /the clock is 3\d\d\d s off/],
    ['a clipboard that refuses', (faults) => faults.denyClipboard(true), 'clipboard', /clipboard/],
    ['a full storage', (faults) => faults.fullStorage(true), 'files', /No space left|storage/i],
    ['a full storage', (faults) => faults.fullStorage(true), 'install', /space|storage/i],
    [
      'an app that takes the focus',
      (faults) => faults.stealFocus('com.phonerack.notes', 50),
      'tree',
      /com\.phonerack\.notes|not in front|foreground/,
    ],
    ['a locked screen', (faults) => faults.lockScreen(), 'tree', /lock|systemui|not in front|foreground/i],
    ['hanging screenshots', (faults) => faults.hangEvery(1, 'screencap'), 'start', /took too long/, 4000],
    ['a pulled cable', (faults) => faults.unplug(), 'key', /unavailable|unreachable/],
    ['a silent adbd', (faults) => faults.setOffline(true), 'key', /unavailable|unreachable/],
    [
      'a boot loop',
      (faults) => faults.neverComeBack(true),
      'reboot',
      /the phone did not come back: it is (absent|offline)/,
      8000,
    ],
  ]
  it.each(table)('has %s', async (_fault, inject, name, reason, limitMs) => {
    const { faults } = both.virtual.inside
    await inject(faults)
    const result = await run(both, name, limitMs)
    await faults.heal()
    expect(result.verdict).toBe('failed')
    expect(result.reason).toMatch(reason)
    await answers(both)
  })

  it('recovers from a crash of its helpers and a restart of adbd', async () => {
    const { faults } = both.virtual.inside
    faults.crashUiServer()
    faults.killScrcpy()
    await faults.restartAdbd()
    await answers(both)
    await passes(both, 'tap')
  })

  it('keeps data over a wipe, and each kind is named', async () => {
    const seenBy: Partial<Record<Leftover, string>> = {
      ...{ account: 'accounts', 'sdcard-file': 'shared_storage', package: 'third_party_packages' },
      ...{ clipboard: 'clipboard', locale: 'locale', timezone: 'timezone', vpn: 'vpn' },
      ...{ 'ca-certificate': 'ca_certificates', 'input-method': 'input_methods' },
      ...{ 'accessibility-service': 'accessibility_services', 'device-admin': 'device_admins' },
      ...{ 'second-user': 'users', 'wifi-network': 'wifi_networks', 'tmp-file': 'shell_files' },
    }
    const { faults } = both.virtual.inside
    faults.wipeLeaves(Object.keys(seenBy) as Leftover[])
    faults.setBootProperties({ 'ro.boot.verifiedbootstate': 'orange' })
    const { verdict, reason } = await run(both, 'wipe')
    expect(verdict).toBe('failed')
    for (const name of [...Object.values(seenBy), 'system_image']) expect(reason).toContain(`${name}: `)
    faults.wipeLeaves([])
    faults.setBootProperties({ 'ro.boot.verifiedbootstate': 'green' })
  })

  it('restarts without a wipe', async () => {
    const { faults } = both.virtual.inside
    faults.setWipeDoesNothing(true)
    expect(await run(both, 'wipe')).toMatchObject({
      verdict: 'failed',
      reason: expect.stringMatching(/mark_gone: .*still/) as string,
    })
    faults.setWipeDoesNothing(false)
  })

  it('holds cards, and is not wiped', async () => {
    const { inside } = both.virtual
    const { faults } = inside
    faults.insert({ sim: true, esimProfiles: 1, memoryCard: true })
    const { wipes } = inside.counters()
    const { verdict, reason } = await run(both, 'enrolment')
    expect(verdict).toBe('failed')
    expect(reason).toMatch(/removable_storage: .*; sim_cards: .*; esim_profiles: /)
    expect(inside.counters().wipes).toBe(wipes)
    faults.insert({ sim: false, esimProfiles: 0, memoryCard: false })
  })

  it('has a screen lock that nobody can clear', async () => {
    await both.virtual.inside.faults.leave(['lock-credential'])
    expect(await run(both, 'enrolment')).toMatchObject({
      verdict: 'failed',
      reason: expect.stringContaining('a screen lock is set') as string,
    })
  })
})

const lacking: [Part[], string, RegExp[]][] = [
  [['testharness'], 'enrolment', [/refused to be wiped/]],
  [
    ['scrcpy', 'ui-server', 'settings-app'],
    'capabilities',
    [
      /input works only by input-commands/,
      /video does not work/,
      /ui works only by/,
      /location does not work/,
    ],
  ],
  [['locale', 'clipboard'], 'capabilities', [/locale does not work/, /clipboard works only by unproven/]],
]
it.each(lacking)('names the missing %j', async (parts, name, reasons) => {
  const both = await start(parts)
  await passes(both, 'connection')
  const enrolment = await run(both, 'enrolment')
  const { verdict, reason } = name === 'enrolment' ? enrolment : await run(both, name)
  await both.stop()
  expect(verdict).toBe('failed')
  for (const expected of reasons) expect(reason).toMatch(expected)
})

it('names a phone that adb does not list', async () => {
  const both = await start()
  await both.virtual.inside.faults.unplug()
  const result = await run(both, 'connection', 5000)
  await both.stop()
  expect(result).toMatchObject({
    verdict: 'failed',
    reason: expect.stringMatching(/adb does not list the phone|the phone is (absent|offline)/) as string,
  })
})
