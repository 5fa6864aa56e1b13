/** A PIN that a person sets in Settings, observed through the shell; and the cards in the phone's slots. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Phone, startPhone } from '../../../phone.js'
import { type Adb, startAdb } from '../../../testing/adb.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-lock-'))
let phone: Phone
let adb: Adb

beforeAll(async () => {
  phone = await startPhone({ port: 0, dataDir: join(folder, 'phone'), pace: 'instant' })
  const serial = `127.0.0.1:${phone.port}`
  adb = await startAdb(serial)
  await adb.run(['connect', serial])
})

afterAll(async () => {
  await adb.close()
  await phone.close()
  rmSync(folder, { recursive: true })
})

async function shell(script: string): Promise<string> {
  const { stdout, stderr } = await adb.run(['shell', script])
  return `${stdout.toString()}${stderr}`
}

/** Taps the middle of the node whose text or ID ends with this text. */
async function tap(name: string): Promise<void> {
  const xml = await shell('uiautomator dump /dev/tty')
  const node = [...xml.matchAll(/<node [^>]*>/g)].find(
    ([tag]) => tag.includes(`text="${name}"`) || tag.includes(`:id/${name}"`),
  )
  const [, left, top, right, bottom] = (
    /bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"/.exec(node?.[0] ?? '') ?? []
  ).map(Number)
  if (left === undefined || top === undefined || right === undefined || bottom === undefined)
    throw new Error(`${name} is not in ${xml}`)
  await shell(`input tap ${(left + right) >> 1} ${(top + bottom) >> 1}`)
}

it('sets a PIN after it was typed twice, and refuses a wipe afterwards', async () => {
  await shell('am start -a android.app.action.SET_NEW_PASSWORD')
  expect(phone.state().focused).toEqual({
    package: 'com.android.settings',
    activity: 'com.android.settings.password.SetNewPasswordActivity',
  })
  await tap('PIN')
  await shell('input text 2580')
  await tap('next_button')
  expect(await shell('dumpsys lock_settings')).toContain('CredentialType: NONE')
  await shell('input text 2580')
  await tap('next_button')
  expect(await shell('dumpsys lock_settings')).toContain('CredentialType: PIN')
  expect(await shell('cmd testharness enable')).toContain('lock screen')
  expect(await shell('locksettings clear --old 1111')).toContain("didn't match")
  expect(await shell('locksettings clear --old 2580')).toBe('Lock credential cleared\n')
})

it('shows the cards in its slots', async () => {
  expect(await shell('sm list-disks; sm list-volumes public; getprop gsm.sim.state')).toBe('ABSENT\n')
  phone.faults.insert({ sim: true, forwards: true, esimProfiles: 1, memoryCard: true })
  expect(await shell('sm list-disks; sm list-volumes public; getprop gsm.sim.state')).toBe(
    'disk:179,64\npublic:179,65 mounted 1A2B-3C4D\nLOADED\n',
  )
  const subscriptions = await shell('dumpsys isub')
  expect(subscriptions).toContain('simSlotIndex=0 portIndex=0 isEmbedded=0')
  expect(subscriptions).toContain('isEmbedded=1')
  expect(await shell('dumpsys telephony.registry')).toContain('mCallForwarding=true')
  await shell('am start -a android.intent.action.CALL -d tel:%23%23002%23')
  expect(await shell('dumpsys telephony.registry')).not.toContain('mCallForwarding=true')
})
