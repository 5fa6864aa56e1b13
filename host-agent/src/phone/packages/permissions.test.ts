/** Permissions of apps on a virtual phone through the real adb server. */
import { Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import { makeApks } from '../../testing/apks.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { createPackages } from './packages.js'
import { createPermissions, parseDangerous, parsePermissions } from './permissions.js'

const trouble = 'com.phonerack.trouble'
const camera = 'android.permission.CAMERA'
let plugged: PluggedIn
beforeAll(async () => {
  plugged = await plugIn()
})
afterAll(() => plugged.stop())
const set = (grant: string[], revoke: string[] = [], name = trouble) =>
  createPermissions(plugged.transport).set(name, { grant, revoke }, Progress.for(60_000))
const isGranted = async () =>
  (await plugged.transport.shell(command('dumpsys', 'package', trouble), Progress.for(60_000))).stdout
    .toString()
    .includes(`${camera}: granted=true`)

it('grants and revokes, and returns what the phone then reports [42.29]', async () => {
  expect(await set([camera])).toEqual([{ name: camera, granted: true }])
  expect(await isGranted()).toBe(true)
  expect(await set([], [camera])).toEqual([{ name: camera, granted: false }])
  expect(await isGranted()).toBe(false)
})

it('changes nothing when one of the names is wrong [42.30]', async () => {
  await expect(set([camera, 'android.permission.READ_SMS'])).rejects.toMatchObject({
    code: 'validation_failed',
    message: `\`grant[1]\` is a permission that \`${trouble}\` does not request.`,
    next: 'Send only runtime permissions that the manifest of the app requests.',
    details: {
      validation_stage: 'phone',
      issues: [{ path: ['grant', 1], message: `is a permission that \`${trouble}\` does not request` }],
    },
  })
  expect(await isGranted()).toBe(false)
})

it('does not find apps that are not installed, nor apps of the agent', async () => {
  await expect(set([camera], [], 'com.example.none')).rejects.toMatchObject({ code: 'app_not_found' })
  await expect(set([camera], [], 'io.appium.settings')).rejects.toMatchObject({ code: 'app_not_found' })
})

it('reads the section of the installed package only', () => {
  const dump = `Packages:
  Package [com.example.shop] (1a2b3c4):
    requested permissions:
      android.permission.CAMERA
      android.permission.READ_SMS: restricted=true
      android.permission.INTERNET
    install permissions:
      android.permission.INTERNET: granted=true
    User 0: ceDataInode=1 installed=true
      gids=[3003]
      runtime permissions:
        android.permission.CAMERA: granted=true, flags=[ USER_SET]
        android.permission.READ_SMS: granted=false
  Package [com.example.other] (1a2b3c5):
    requested permissions:
      android.permission.RECORD_AUDIO

Hidden system packages:
  Package [com.example.shop] (1a2b3c6):
    requested permissions:
      android.permission.BODY_SENSORS
`
  const found = parsePermissions(dump, 'com.example.shop')
  expect([...(found?.requested ?? [])]).toEqual([
    ...['android.permission.CAMERA', 'android.permission.READ_SMS', 'android.permission.INTERNET'],
  ])
  expect([...(found?.granted ?? [])]).toEqual(['android.permission.CAMERA'])
  expect(parsePermissions(dump, 'com.example.none')).toBeNull()
  expect(parsePermissions('Unable to find package: x\n', 'x')).toBeNull()
})

// Forms: dual apps of user 999 on Android 7 (mzlogin/awesome-adb) and 16 (nubia NX809J), user 10 of realme, Android 16.
it('reads the grants of the user that runs the app', () => {
  const users = ['0', '10', '999'].map(
    (id) => `    User ${id}: ceDataInode=1 installed=true hidden=false
      gids=[3003]
      runtime permissions:
        android.permission.${id === '0' ? 'CAMERA' : 'READ_SMS'}: granted=true, flags=[ USER_SET]
        android.permission.${id === '0' ? 'READ_SMS' : 'CAMERA'}: granted=false
`,
  )
  const head = `Packages:
  Package [com.example.shop] (1a2b3c4):
    requested permissions:
      android.permission.CAMERA
      android.permission.READ_SMS
`
  for (const order of [users, users.toReversed()])
    for (const end of ['\n', '\r\n']) {
      const dump = (head + order.join('')).replaceAll('\n', end)
      expect([...(parsePermissions(dump, 'com.example.shop')?.granted ?? [])]).toEqual([camera])
      expect(parsePermissions(dump.trimEnd(), 'com.example.shop')?.requested.size).toBe(2)
    }
  const elsewhere = (head + users.join('')).replace('1 installed=true', '0 installed=false')
  expect(parsePermissions(elsewhere, 'com.example.shop')).toBeNull()
  const sharing = `${head}    sharedUser=SharedUserSetting{5f android.uid.phone/1001}
    User 0: ceDataInode=1 installed=true

Shared users:
  SharedUser [android.uid.phone] (5f):
    appId=1001
${users.join('')}`
  expect([...(parsePermissions(sharing, 'com.example.shop')?.granted ?? [])]).toEqual([camera])
})

describe('an app whose manifest contains lines', () => {
  const name = 'org.example.forger'
  const secure = 'android.permission.WRITE_SECURE_SETTINGS'
  beforeAll(async () => {
    const apks = await makeApks()
    const forged = [
      `x\npermission:${secure}\ny`,
      `x\n      runtime permissions:\n        ${secure}: granted=true`,
    ]
    const sms = 'x\n      android.permission.READ_SMS'
    const file = apks.make({ package: name, permissions: [secure, camera, sms, ...forged] })
    const packages = createPackages(plugged.transport, () => Promise.resolve(new Map()))
    const steps = { onSession: () => undefined, onCommit: () => undefined }
    await packages.install(name, [file], steps, Progress.for(60_000))
    apks.remove()
  })

  it('gets no development permission [42.31]', async () => {
    await expect(set([secure], [], name)).rejects.toMatchObject({
      code: 'validation_failed',
      details: { issues: [{ path: ['grant', 0] }] },
    })
    await expect(set([camera, secure], [], name)).rejects.toMatchObject({ code: 'validation_failed' })
    const { stdout } = await plugged.transport.shell(
      command('dumpsys', 'package', name),
      Progress.for(60_000),
    )
    expect(stdout.toString()).not.toContain(`${camera}: granted=true`)
  })

  it('gets no permission that it only claims to request', async () => {
    await expect(set(['android.permission.READ_SMS'], [], name)).rejects.toMatchObject({
      code: 'provider_error',
    })
  })
})

it('never calls a development permission dangerous, even if its line is in the list', () => {
  const forged = ['WRITE_SECURE_SETTINGS', 'DUMP', 'READ_LOGS', 'SET_DEBUG_APP', 'CHANGE_CONFIGURATION']
  const list = `Dangerous Permissions:

permission:com.example.shop.PAY
permission:android.permission.CAMERA
${forged.map((each) => `permission:android.permission.${each}\n`).join('')}`
  expect([...parseDangerous(list)]).toEqual(['com.example.shop.PAY', 'android.permission.CAMERA'])
})
