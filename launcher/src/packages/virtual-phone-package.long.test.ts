/** The Debian package of the virtual phone: built once, then unpacked and run. Needs a build, and adb. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pickPort } from '../processes/ports.js'
import { buildPackage, packageNamed } from './index.js'

const name = 'phonerack-virtual-phone'
const checkout = path.resolve(import.meta.dirname, '..', '..', '..')
const dir = mkdtempSync(path.join(tmpdir(), `${name}-package-`))
const command = path.join(dir, 'root', 'usr', 'bin', name)

let files: string[]
beforeAll(async () => {
  const options = { root: checkout, out: path.join(dir, 'out'), scrcpyServer: null } as const
  const built = await buildPackage(packageNamed(name), { ...options, compression: 'none', hasTarball: false })
  const [deb = ''] = built
  execFileSync('dpkg-deb', ['-x', deb, path.join(dir, 'root')], { timeout: 60_000 })
  const listed = execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8', timeout: 60_000 })
  files = listed.split('\n').map((line) => line.split(/\s+/)[5] ?? '')
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('contains the phone and its fonts, but no tests and no other part of Phonerack', () => {
  const below = `./usr/lib/${name}`
  expect(files).toContain(`${below}/dist/main.js`)
  expect(files).toContain(`${below}/node_modules/@expo-google-fonts/roboto/500Medium/Roboto_500Medium.ttf`)
  const unwanted = /\.test\.|\.(?:[cm]?ts|map)$|dist\/(?:testing|clients)\/|@phonerack\/|Roboto_900/
  expect(files.filter((file) => unwanted.test(file))).toEqual([])
})

it('is a phone for adb, and draws its screen', async () => {
  expect(spawnSync(command, [], { encoding: 'utf8' })).toMatchObject({ status: 2 })
  const [port, adbPort] = [await pickPort(), await pickPort()]
  const phone = spawn(command, ['--ports', String(port), '--data', path.join(dir, 'data')], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(phone, 'exit')
  const adb = (...words: string[]) =>
    execFileSync('adb', ['-P', String(adbPort), ...words], {
      env: { PATH: process.env['PATH'], HOME: dir, ADB_MDNS_AUTO_CONNECT: '0' },
      timeout: 30_000,
      maxBuffer: 16 << 20,
    })
  try {
    for await (const line of createInterface(phone.stderr)) if (line.includes('phone is on')) break
    adb('connect', `127.0.0.1:${port}`)
    const serial = ['-s', `127.0.0.1:${port}`]
    await expect.poll(() => adb('devices').toString()).toMatch(`127.0.0.1:${port}\tdevice`)
    expect(
      adb(...serial, 'shell', 'getprop', 'ro.build.version.sdk')
        .toString()
        .trim(),
    ).toBe('34')
    expect(
      adb(...serial, 'exec-out', 'screencap', '-p')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
  } finally {
    adb('kill-server')
    phone.kill('SIGTERM')
    await ended
  }
})
