/** Each fault of a virtual phone fails the check whose claim it breaks, with a reason that names the fault. */
import { readFileSync } from 'node:fs'
import { Progress } from '@phonerack/shared'
import type { Leftover, Part } from '@phonerack/virtual-phone'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import { identityFile } from '../../devices/supervision/phone-identity.js'
import { makeApks } from '../../testing/apks.js'
import {
  again,
  answers,
  named,
  passes,
  runCheck,
  startUnderTest,
  switchable,
  used,
  type Faults,
  type UnderTest,
} from '../../testing/under-test.js'
import { until } from '../../testing/until.js'

const patience = 60_000

/** Faults that fail no check, with the reason. */
const notNamed: Partial<Record<keyof Faults, string>> = {
  heal: 'ends faults',
  replug: 'ends `unplug`; `heal` calls it',
  addAccount: 'an account that the wipe of the enrolment removes; `wipeLeaves` keeps one, which is named',
  fillProcessTable: 'a command of a tenant does it; `shell-full.long` shows the restart that follows',
}
describe('a phone with a fault', () => {
  let both: UnderTest
  beforeAll(async () => {
    both = await startUnderTest()
    await passes(both, 'connection', 'enrolment', 'start')
  })
  afterAll(() => both.stop())

  it('has a low and hot battery', async () => {
    both.faults.setBattery(7)
    both.faults.setTemperature(51)
    const warnings = () => both.phone.status()?.condition?.warnings ?? []
    await until(() => warnings().length === 2, patience, 'another reading')
    expect(await runCheck(both, 'condition')).toMatchObject(
      named(/the battery is at 7 %.*the battery is at 51\.0 °C/),
    )
    await both.faults.heal()
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
    [
      'a screen that never becomes idle',
      (faults) => faults.neverIdle(true),
      'dump',
      /could not get idle state/,
    ],
    ['hanging screenshots', (faults) => faults.hangEvery(1, 'screencap'), 'start', /took too long/, 4000],
    [
      'a guard that cannot close screens',
      (faults) => faults.hangEvery(1, 'am force-stop'),
      'lock_closed',
      /the screen for a new lock stayed open: com\.android\.settings/,
    ],
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
    await inject(both.faults)
    const result = await runCheck(both, name, limitMs)
    await both.faults.heal()
    expect(result).toMatchObject(named(reason))
    await answers(both)
  })

  it('has a slow link', async () => {
    await both.faults.slowLink({ latencyMs: 1, bytesPerSecond: 600_000 })
    await answers(both)
    const result = await runCheck(both, 'files')
    await both.faults.heal()
    expect(result).toMatchObject(named(/the connection is slow: \d+ kB\/s to the phone/))
    await answers(both)
  })

  it('has an app store, in which a guarded key is refused', async () => {
    const apks = await makeApks()
    const { path } = apks.make({ package: 'com.android.vending', activity: 'com.android.vending.Main' })
    await answers(both)
    const transport = await both.phone.transport(Progress.for(patience))
    const temporary = '/data/local/tmp/store.apk'
    await transport.push(temporary, readFileSync(path), 0o644, Progress.for(patience))
    await transport.shell(command('pm', 'install', temporary), Progress.for(patience))
    apks.remove()
    expect(await runCheck(both, 'guard')).toMatchObject({
      verdict: 'passed',
      reason: null,
      evidence: ['com.android.vending: a touch is refused'],
    })
  })

  it('has a key that apps can read', async () => {
    const transport = await both.phone.transport(Progress.for(patience))
    await transport.shell(command('chmod', '644', identityFile), Progress.for(patience))
    const result = await runCheck(both, 'identity')
    await transport.shell(command('chmod', '600', identityFile), Progress.for(patience))
    expect(result).toMatchObject(named(/the file of the key is -rw-r--r-- of shell/))
    await passes(both, 'identity')
  })

  it('recovers from a crash of its helpers and a restart of adbd', async () => {
    both.faults.crashUiServer()
    both.faults.killScrcpy()
    await both.faults.restartAdbd()
    await answers(both)
    await passes(both, 'tap')
  })

  it('kills its helpers again and again', async () => {
    const crashing = again(() => both.faults.crashUiServer())
    const crashed = await runCheck(both, 'ui_recovery', 8000)
    crashing.end()
    expect(crashed).toMatchObject(named(/the UI server did not come back/))
    const killing = again(() => both.faults.killScrcpy())
    const killed = await runCheck(both, 'spare_video', 4000)
    killing.end()
    expect(killed).toMatchObject(named(/scrcpy servers? run on the phone instead of/))
    await answers(both)
  })

  it('keeps data over a wipe, and each kind is named', async () => {
    const seenBy: Partial<Record<Leftover, string>> = {
      account: 'accounts',
      'sdcard-file': 'shared_storage',
      package: 'third_party_packages',
      clipboard: 'clipboard',
      locale: 'locale',
      timezone: 'timezone',
      vpn: 'vpn',
      'ca-certificate': 'ca_certificates',
      'input-method': 'input_methods',
      'accessibility-service': 'accessibility_services',
      'device-admin': 'device_admins',
      'second-user': 'users',
      'wifi-network': 'wifi_networks',
      'tmp-file': 'shell_files',
    }
    both.faults.wipeLeaves(Object.keys(seenBy) as Leftover[])
    both.faults.setBootProperties({ 'ro.boot.verifiedbootstate': 'orange' })
    const { verdict, reason } = await runCheck(both, 'wipe')
    expect(verdict).toBe('failed')
    for (const name of [...Object.values(seenBy), 'system_image']) expect(reason).toContain(`${name}: `)
    both.faults.wipeLeaves([])
    both.faults.setBootProperties({ 'ro.boot.verifiedbootstate': 'green' })
  })

  it('restarts without a wipe', async () => {
    both.faults.setWipeDoesNothing(true)
    expect(await runCheck(both, 'wipe')).toMatchObject(named(/mark_gone: .*still/))
    both.faults.setWipeDoesNothing(false)
  })

  it('holds cards, and is not wiped', async () => {
    both.faults.insert({ sim: true, esimProfiles: 1, memoryCard: true })
    const { wipes } = both.virtual.inside.counters()
    expect(await runCheck(both, 'enrolment')).toMatchObject(
      named(/removable_storage: .*; sim_cards: .*; esim_profiles: /),
    )
    expect(both.virtual.inside.counters().wipes).toBe(wipes)
    both.faults.insert({ sim: false, esimProfiles: 0, memoryCard: false })
  })

  it('has a screen lock that nobody can clear', async () => {
    await both.faults.leave(['lock-credential'])
    expect(await runCheck(both, 'enrolment')).toMatchObject(named(/a screen lock is set/))
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
it.each(lacking)('names the missing %j', async (without, name, reasons) => {
  const both = await startUnderTest({ without })
  await passes(both, 'connection')
  const enrolment = await runCheck(both, 'enrolment')
  const { verdict, reason } = name === 'enrolment' ? enrolment : await runCheck(both, name)
  await both.stop()
  expect(verdict).toBe('failed')
  for (const expected of reasons) expect(reason).toMatch(expected)
})

it('names the network of a phone that apps and other phones could reach', async () => {
  const both = await startUnderTest()
  both.faults.joinNetwork('192.0.2.7/24')
  await passes(both, 'connection', 'enrolment')
  const result = await runCheck(both, 'capabilities')
  await both.stop()
  expect(result).toMatchObject(
    named(/ui works only by uiautomator-tty: .*the phone is on a network: wlan0 has 192\.0\.2\.7\/24/),
  )
})

it('clears an allowed SIM, and shows what it found', async () => {
  const both = await startUnderTest({ simAllowed: true })
  both.faults.insert({ sim: true, forwards: true, messages: 2 })
  await passes(both, 'connection')
  const result = await runCheck(both, 'enrolment')
  await both.stop()
  expect(result).toMatchObject({ verdict: 'passed', reason: null })
  expect(result.evidence.filter((line) => /sim_messages|call_forwarding/.test(line))).toEqual([
    'ok sim_messages: 0 on the phone, 0 on the SIM',
    'ok call_forwarding: none',
  ])
})

it('names a phone that adb does not list', async () => {
  const both = await startUnderTest()
  await both.faults.unplug()
  const result = await runCheck(both, 'connection', 5000)
  await both.stop()
  expect(result).toMatchObject(named(/adb does not list the phone|the phone is (absent|offline)/))
})

it('names a phone that has not accepted the key', async () => {
  const both = await startUnderTest({ auth: true })
  await both.faults.makeUnauthorized()
  const result = await runCheck(both, 'connection', 5000)
  await both.stop()
  expect(result).toMatchObject(named(/the phone is unauthorized: .*has not accepted this host's ADB key/))
})

it('switches on every fault of a virtual phone, or gives a reason', () => {
  const missing = switchable.filter((name) => !used.has(name) && !Object.hasOwn(notNamed, name))
  expect(missing).toEqual([])
})
