/** The real adb with authorization keys, reconnection, installs and services that a user build refuses. Each test's title is a row of README's table. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Phone, startPhone } from '../phone.js'
import { adbName, type Adb, startAdb } from '../testing/adb.js'
import { makeApk, newSigner } from '../apk-builder/index.js'
import { appiumApks } from '../testing/appium-apks.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-adb-'))
const faults: unknown[] = []
let phone: Phone
let adb: Adb
/** Proxies between adb and the phone, through which a test can cut the connection. */
let wire: Server
const lines = new Set<Socket>()
let serial = ''

const start = (port: number) =>
  startPhone({
    port,
    dataDir: join(folder, 'phone'),
    pace: 'instant',
    auth: true,
    onFault: (error, what) => faults.push([what, error]),
  })

const said = async (...args: string[]) => {
  const { stdout, stderr } = await adb.run(args)
  return stdout.toString() + stderr
}

async function until(state: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if ((await said('devices')).includes(`${serial}\t${state}`)) return
    await delay(50)
  }
  throw new Error(`adb does not see the phone as ${state}: ${await said('devices')}`)
}

/** A phone that is still booting refuses the connection, and adb then forgets it. */
async function reconnect(): Promise<void> {
  await adb.run(['disconnect', serial])
  for (let attempt = 0; attempt < 100; attempt++) {
    await adb.run(['connect', serial])
    if ((await said('devices')).includes(serial)) return
    await delay(50)
  }
}

/** adb reports the state before its key has reached the phone. */
const asked = () =>
  vi.waitFor(() => expect(phone.adbKeys.pending).toEqual([expect.stringMatching(/@|unknown/)]), 60_000)

function cut(): void {
  for (const line of lines) line.destroy()
}

beforeAll(async () => {
  phone = await start(0)
  wire = createServer((near) => {
    const far = connect(phone.port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      lines.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        lines.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  const address = wire.address()
  serial = `127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`
  adb = await startAdb(serial)
})

afterAll(async () => {
  await adb.close()
  cut()
  wire.close()
  await phone.close()
  rmSync(folder, { recursive: true })
})

describe(`${adbName()}, a phone that asks for keys`, () => {
  it('is unauthorized until the key is allowed on the phone', async () => {
    expect(await said('connect', serial)).toContain('failed to authenticate')
    await until('unauthorized')
    expect((await adb.run(['shell', 'echo in'])).code).toBe(1)
    await asked()
    expect(phone.adbKeys.deny()).toBe(1)
    await until('unauthorized')
    await reconnect()
    await asked()
    expect(phone.adbKeys.allow()).toBe(1)
    await until('device')
    expect(await said('shell', 'getprop ro.adb.secure')).toBe('1\n')
  })

  it('keeps the key across a restart of the process and a wipe', async () => {
    await reconnect()
    await until('device')
    await phone.close()
    phone = await start(phone.port)
    await reconnect()
    await until('device')
    await adb.run(['shell', 'cmd testharness enable'])
    // A connection from before the restart ends with the restart, and adb forgets the phone.
    for (let attempt = 0; attempt < 100; attempt++) {
      if ((await said('shell', 'getprop persist.sys.test_harness')) === '1\n') break
      await delay(50)
      await reconnect()
    }
    await until('device')
    expect(phone.adbKeys.pending).toEqual([])
  })

  it("accepts adb's automatic reconnection after the connection was cut", async () => {
    for (let round = 0; round < 2; round++) {
      cut()
      await until('device')
      expect(await said('shell', 'echo back')).toBe('back\n')
    }
    await adb.run(['reconnect', 'device'])
    await until('device')
    expect(await said('shell', 'echo back')).toBe('back\n')
    expect(faults).toEqual([])
  })

  it('installs and removes single and split packages', async () => {
    expect(await said('install', '-g', appiumApks.server)).toContain('Success')
    expect(await said('install', '--no-streaming', '-r', appiumApks.settings)).toContain('Success')
    expect(await said('shell', 'ls /data/local/tmp')).toBe('')
    const signer = await newSigner('split')
    const parts = { 'base.apk': {}, 'en.apk': { split: 'config.en' } }
    const paths = Object.entries(parts).map(([name, part]) => {
      const path = join(folder, name)
      writeFileSync(path, makeApk({ package: 'a.split', versionCode: 2, ...part }, signer))
      return path
    })
    expect(await said('install-multiple', ...paths)).toContain('Success')
    expect(await said('shell', 'pm path a.split | wc -l')).toBe('2\n')
    const old = join(folder, 'old.apk')
    writeFileSync(old, makeApk({ package: 'a.split', versionCode: 1 }, signer))
    expect(await said('install', old)).toContain('INSTALL_FAILED_VERSION_DOWNGRADE')
    expect(await said('uninstall', 'a.split')).toContain('Success')
    expect(await said('uninstall', 'a.split')).toContain('Failure [DELETE_FAILED_INTERNAL_ERROR]')
    const path = (await said('shell', 'pm path io.appium.settings')).trim().replace('package:', '')
    await adb.run(['pull', path, join(folder, 'pulled.apk')])
    expect(readFileSync(join(folder, 'pulled.apk')).equals(readFileSync(appiumApks.settings))).toBe(true)
  })

  it('keeps installed packages across a restart of the process', async () => {
    const before = await said('shell', 'pm list packages -3 -f -U')
    await phone.close()
    phone = await start(phone.port)
    await reconnect()
    await until('device')
    expect(await said('shell', 'pm list packages -3 -f -U')).toBe(before)
    expect(before).toContain('io.appium.settings')
  })

  it('refuses root, remount and unsupported services', async () => {
    expect(await said('root')).toContain('adbd cannot run as root in production builds')
    expect(await said('unroot')).toContain('adbd not running as root')
    expect(await said('remount')).toContain('inaccessible or not found')
    expect(await said('tcpip', '5555')).toContain('cannot change its port')
    expect((await adb.run(['jdwp'])).code).not.toBe(0)
    expect(await said('get-state')).toBe('device\n')
  })

  it('requires authorization again after the keys were revoked', async () => {
    phone.adbKeys.forget()
    await reconnect()
    await until('unauthorized')
    expect(faults).toEqual([])
  })
})
