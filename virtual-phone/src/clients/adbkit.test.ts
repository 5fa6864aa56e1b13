/** The virtual phone driven by adbkit, through a real adb server. Each test's title is a row of README's table. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, connect, type Server } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Adb, type DeviceClient } from '@devicefarmer/adbkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../testing/adb.js'
import { makeApk, newSigner } from '../apk-builder/index.js'
import { nameOf, startClientPhone, type ClientPhone } from '../testing/client-phone.js'

let host: ClientPhone
let client: ReturnType<typeof Adb.createClient>
let device: DeviceClient

beforeAll(async () => {
  host = await startClientPhone()
  client = Adb.createClient({ host: '127.0.0.1', port: host.adb.port })
  device = client.getDevice(host.serial)
})
afterEach(() => {
  expect(host.faults).toEqual([])
})
afterAll(async () => {
  await host.close()
})

async function all(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

describe(nameOf('@devicefarmer/adbkit'), () => {
  it('lists the phone', async () => {
    expect(await client.listDevices()).toEqual([{ id: host.serial, type: 'device' }])
  })

  it('tracks the phone disconnecting and reconnecting', async () => {
    const tracker = await client.trackDevices()
    const seen: string[] = []
    // adbkit also reports the end of tracking as an error.
    tracker.on('error', () => seen.push('end'))
    tracker.on('remove', () => seen.push('gone'))
    // adbkit does not always report a phone that was connected before tracking started.
    const gone = new Promise((resolve) => tracker.once('remove', resolve))
    await client.disconnect('127.0.0.1', host.phone.port)
    await gone
    const back = new Promise((resolve) => tracker.once('add', resolve))
    await client.connect('127.0.0.1', host.phone.port)
    expect(await back).toMatchObject({ id: host.serial })
    expect(seen).toEqual(['gone'])
    tracker.end()
    await device.waitForDevice()
  })

  it('reads properties and features', async () => {
    expect((await device.getProperties())['ro.build.version.sdk']).toBe('34')
    expect(await device.getFeatures()).toMatchObject({ 'android.hardware.touchscreen': true })
    expect(await device.getState()).toBe('device')
  })

  it('runs shell commands', async () => {
    expect((await all(await device.shell('echo out; echo err >&2'))).toString()).toBe('out\nerr\n')
    expect((await all(await device.shell(['echo', "it's", '$HOME']))).toString()).toBe("it's $HOME\n")
  })

  it('pushes, stats, lists and pulls files', async () => {
    const bytes = randomBytes(3_000_000)
    const path = join(host.folder, 'kit')
    writeFileSync(path, bytes)
    const push = await device.push(path, '/sdcard/Download/kit', 0o644)
    await new Promise((resolve, reject) => push.on('end', resolve).on('error', reject))
    const stats = await device.stat('/sdcard/Download/kit')
    expect([stats.size, stats.isFile()]).toEqual([3_000_000, true])
    expect((await device.readdir('/sdcard/Download')).map((entry: { name: string }) => entry.name)).toContain(
      'kit',
    )
    expect((await all(await device.pull('/sdcard/Download/kit'))).equals(bytes)).toBe(true)
  })

  it('fails to push to a path without write permission', async () => {
    const push = await device.push(Readable.from([Buffer.from('x')]), '/system/x')
    await expect(
      new Promise((resolve, reject) => push.on('end', resolve).on('error', reject)),
    ).rejects.toThrow('Permission denied')
  })

  it('reverses and forwards ports', async () => {
    const outside = await listen()
    const local = await freePort()
    try {
      await device.reverse('localabstract:kit', `tcp:${outside.port}`)
      expect(await device.listReverses()).toMatchObject([{ remote: 'localabstract:kit' }])
      await device.forward(`tcp:${local}`, 'localabstract:kit')
      expect(await device.listForwards()).toContainEqual({
        serial: host.serial,
        local: `tcp:${local}`,
        remote: 'localabstract:kit',
      })
      expect((await all(connect(local, '127.0.0.1'))).toString()).toBe('outside')
      expect((await all(await device.openLocal('localabstract:kit'))).toString()).toBe('outside')
    } finally {
      outside.server.close()
    }
  })

  it('takes a screenshot', async () => {
    const png = await all(await device.screencap())
    expect([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
      'PNG',
      1080,
      2400,
    ])
  })

  it("reads the framebuffer's pixels, but parses its Android 9 header as an older version", async () => {
    // The clock of the status bar can change between two pictures.
    const areEqual = async (): Promise<boolean> => {
      const stream = await device.framebuffer('raw')
      const pixels = (await all(stream)).subarray(-1080 * 2400 * 4)
      const { stdout } = await host.adb.run(['exec-out', 'screencap'])
      return pixels.equals(stdout.subarray(-pixels.length))
    }
    await expect.poll(areEqual).toBe(true)
  })

  it('starts activities', async () => {
    await device.startActivity({ component: 'com.phonerack.notes/.MainActivity', wait: true })
    expect(await host.shell('dumpsys window | grep mCurrentFocus')).toContain('com.phonerack.notes')
    await device.startActivity({ action: 'android.settings.SETTINGS' })
    expect(await host.shell('dumpsys window | grep mCurrentFocus')).toContain('com.android.settings')
  })

  it('lists packages and clears a package', async () => {
    expect(await device.getPackages()).toContain('com.phonerack.notes')
    expect(await device.isInstalled('com.phonerack.notes')).toBe(true)
    expect(await device.isInstalled('com.example.nope')).toBe(false)
    expect(await device.clear('com.phonerack.notes')).toBe(true)
  })

  it('installs and uninstalls an APK, and reports the reason for a refusal', async () => {
    const signer = await newSigner('kit')
    const apk = (versionCode: number): string => {
      const path = join(host.folder, `kit-${versionCode}.apk`)
      const settings = { package: 'com.example.kit', versionCode, label: 'Kit', activity: '.Main' }
      writeFileSync(path, makeApk(settings, signer))
      return path
    }
    expect(await device.install(apk(2))).toBe(true)
    expect(await device.isInstalled('com.example.kit')).toBe(true)
    expect(await host.shell('dumpsys package com.example.kit | grep versionCode')).toContain('versionCode=2')
    await expect(device.install(apk(1))).rejects.toThrow('INSTALL_FAILED_VERSION_DOWNGRADE')
    expect(await device.uninstall('com.example.kit')).toBe(true)
    expect(await device.isInstalled('com.example.kit')).toBe(false)
  })

  it('waits for the end of a boot', async () => {
    expect(await device.waitBootComplete()).toBe(true)
  })

  it('cannot restart adbd as root', async () => {
    await expect(device.root()).rejects.toThrow('adbd cannot run as root in production builds')
  })

  it('reboots the phone and finds it again', async () => {
    await host.shell('echo kept > /sdcard/kept')
    await device.reboot()
    for (let tries = 0; tries < 100; tries++) {
      await client.disconnect('127.0.0.1', host.phone.port).catch(ignoreGone)
      await client.connect('127.0.0.1', host.phone.port).catch(ignoreGone)
      if ((await client.listDevices()).some((found: { type: string }) => found.type === 'device')) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect((await all(await device.shell('cat /sdcard/kept'))).toString()).toBe('kept\n')
    expect(host.faults).toEqual([])
  })
})

/** Both commands fail while the phone is disconnected. */
function ignoreGone(error: unknown): void {
  if (!/127\.0\.0\.1/.test(String(error))) throw error
}

async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.end('outside'))
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { server, port }
}
