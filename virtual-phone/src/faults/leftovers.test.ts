/**
 * A user's data on a phone: the command that shows the data, the data that a wipe removes, and the data that
 * an incomplete wipe keeps.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Phone, startPhone } from '../phone.js'
import { type Adb, startAdb } from '../testing/adb.js'
import { type Leftover, leftovers } from './leftovers.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-leftovers-'))
const open = () => startPhone({ port: 0, dataDir: join(folder, 'phone'), pace: 'instant' })
let phone: Phone
let adb: Adb
let serial = ''

beforeAll(async () => {
  phone = await open()
  serial = `127.0.0.1:${phone.port}`
  adb = await startAdb(serial)
  await adb.run(['connect', serial])
})

afterAll(async () => {
  await adb.close()
  await phone.close()
  rmSync(folder, { recursive: true })
})

/** Output, error and exit code of a script. */
async function shell(script: string): Promise<string> {
  const { code, stdout, stderr } = await adb.run(['shell', script])
  return `${stdout.toString()}${stderr}${code === 0 ? '' : `exit ${code}`}`
}

/** Disconnects adb while the phone restarts, because adb would wait for seconds. */
async function wipe(): Promise<void> {
  expect(await shell('cmd testharness enable')).toBe('')
  const booted = () => phone.state().booted
  await expect.poll(booted, { interval: 10, timeout: 10_000 }).toBe(false)
  await adb.run(['disconnect', serial])
  await expect.poll(booted, { interval: 10, timeout: 10_000 }).toBe(true)
  await connect()
}

const connect = () =>
  expect
    .poll(async () => (await adb.run(['connect', serial])).stdout.toString(), { timeout: 10_000 })
    .toContain('connected')

/** The command, its output without the leftover, and its output with it. */
const seen: Record<Leftover, readonly [string, string, string]> = {
  account: [
    'dumpsys account | grep -A1 Accounts:',
    '  Accounts: 0\n\n',
    '  Accounts: 1\n    Account {name=tenant@example.com, type=com.google}\n',
  ],
  'sdcard-file': ['find /sdcard/Download -type f', '', '/sdcard/Download/leftover.txt\n'],
  package: ['pm list packages -3', '', 'package:com.example.leftover\n'],
  // The shell cannot read this data; see the test below.
  clipboard: ['true', '', ''],
  locale: ['getprop persist.sys.locale', 'en-US\n', 'de-DE\n'],
  timezone: ['getprop persist.sys.timezone', 'GMT\n', 'Asia/Tokyo\n'],
  'ca-certificate': [
    'ls /data/misc/user/0/cacerts-added',
    'ls: /data/misc/user/0/cacerts-added: No such file or directory\nexit 1',
    '9a5ba575.0\n',
  ],
  vpn: [
    'settings get secure always_on_vpn_app; dumpsys vpn_management | grep type; dumpsys connectivity | grep -c VPN',
    'null\n    Active vpn type: -1\n0\nexit 1',
    'com.example.vpn\n    Active vpn type: 1\n1\n',
  ],
  'input-method': [
    'settings get secure default_input_method; ime list -s',
    'com.android.inputmethod.latin/.LatinIME\ncom.android.inputmethod.latin/.LatinIME\n',
    'com.android.inputmethod.pinyin/.PinyinIME\ncom.android.inputmethod.latin/.LatinIME\ncom.android.inputmethod.pinyin/.PinyinIME\n',
  ],
  'accessibility-service': [
    'settings get secure accessibility_enabled; dumpsys accessibility | grep "Enabled services"',
    '0\n     Enabled services:{}\n',
    '1\n     Enabled services:{{com.google.android.marvin.talkback/com.google.android.marvin.talkback.TalkBackService}}\n',
  ],
  'device-admin': [
    'dumpsys device_policy | grep -A1 "Enabled Device Admins"',
    '  Enabled Device Admins (User 0, provisioningState: 0):\n\n',
    '  Enabled Device Admins (User 0, provisioningState: 0):\n    com.google.android.gms/.mdm.receivers.MdmDeviceAdminReceiver:\n',
  ],
  'second-user': [
    'pm list users',
    'Users:\n\tUserInfo{0:Owner:4c13} running\n',
    'Users:\n\tUserInfo{0:Owner:4c13} running\n\tUserInfo{10:Second:410}\n',
  ],
  'wifi-network': [
    'cmd wifi list-networks',
    'No networks\n',
    'Network Id      SSID                         Security type\n0            Tenant Home                      wpa2-psk\n',
  ],
  'lock-credential': [
    'locksettings verify',
    'Lock credential verified successfully\n',
    "Old password '' didn't match\nexit 255",
  ],
  'log-lines': ['logcat -d -v raw -s phonerack', '', '--------- beginning of main\nwipe-leftover\n'],
  'crash-report': [
    'dumpsys dropbox data_app_crash | tail -n 1',
    '(No entries found.)\n',
    '    Process: com.example.gone//left by the last tenant\n',
  ],
  'tmp-file': ['ls /data/local/tmp', '', 'leftover.txt\n'],
}

async function expectAll(found: 1 | 2): Promise<void> {
  for (const [what, row] of Object.entries(seen)) expect(await shell(row[0]), what).toBe(row[found])
  expect(phone.state().clipboard).toBe(found === 1 ? '' : 'left by the last tenant')
}

it('finds no leftover on a new phone', () => expectAll(1))

it('finds each leftover, but not after a wipe', async () => {
  await phone.faults.leave(leftovers.filter((what) => what !== 'lock-credential'))
  await phone.faults.leave(['package'])
  const { 'lock-credential': pin, ...others } = seen
  for (const [what, row] of Object.entries(others)) expect(await shell(row[0]), what).toBe(row[2])
  expect(await shell(pin[0])).toBe(pin[1])
  await wipe()
  await expectAll(1)
})

it('finds each leftover after an incomplete wipe and a restart of the phone', async () => {
  phone.faults.wipeLeaves(leftovers)
  await wipe()
  await expectAll(2)
  await adb.run(['disconnect', serial])
  await phone.close()
  phone = await startPhone({ port: phone.port, dataDir: join(folder, 'phone'), pace: 'instant' })
  await connect()
  expect(await shell('cmd wifi list-networks')).toBe(seen['wifi-network'][2])
  expect(await shell('dumpsys account')).toContain('Accounts: 1\n')
})

it('refuses a wipe until the lock credential is cleared', async () => {
  expect(await shell('cmd testharness enable')).toBe(
    'Test Harness Mode cannot be enabled if there is a lock screen\nexit 2',
  )
  expect(await shell('locksettings get-disabled')).toBe('false\n')
  expect(await shell('locksettings clear --old 1235')).toBe("Old password '1235' didn't match\nexit 255")
  expect(await shell('locksettings clear --old 1234')).toBe('Lock credential cleared\n')
  expect(await shell('locksettings verify')).toBe('Lock credential verified successfully\n')
})

it('lets the host remove users, networks and packages', async () => {
  expect(await shell('pm remove-user 10; pm remove-user 10')).toBe(
    "Success: removed user\nError: couldn't remove user id 10\nexit 1",
  )
  expect(await shell('cmd wifi forget-network 0; cmd wifi list-networks')).toBe(
    'Forget successful\nNo networks\n',
  )
  expect(await shell('pm uninstall com.example.leftover; pm list packages -3')).toBe('Success\n')
})

it('restarts and keeps everything when a wipe does nothing', async () => {
  phone.faults.setWipeDoesNothing(true)
  await shell('touch /data/local/tmp/mark')
  await wipe()
  expect(await shell('ls /data/local/tmp')).toBe('leftover.txt\nmark\n')
  await phone.faults.heal()
  await wipe()
  await expectAll(1)
})
