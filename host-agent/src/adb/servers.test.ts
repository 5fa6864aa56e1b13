/**
 * The agent's adb servers, with the real `adb` program: which phone has which server, and the effects of a
 * server's end.
 */
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { startPhone, type Phone } from '@phonerack/virtual-phone'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runningPid } from '../testing/pids.js'
import { until } from '../testing/until.js'
import { AdbClient } from './client.js'
import type { ListedDevice } from './device-list.js'
import { ensureAdbKey } from './key.js'
import { findMarked, markProcess, processIdentity } from './process-identity.js'
import { startAdbServers, type AdbServers, type AdbServersOptions } from './servers.js'
import { adbMarkPath, adbSocketPath } from './sockets.js'

let dir: string
let dataDir: string
let lines: string
const running: AdbServers[] = []
const phones: Phone[] = []

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-adb-'))
  dataDir = join(dir, 'data')
  lines = ''
})
afterEach(async () => {
  for (const servers of running.splice(0)) await servers.stop()
  for (const phone of phones.splice(0)) await phone.close()
  rmSync(dir, { recursive: true, force: true })
})

const log = createLogger('test', { write: (line: string) => void (lines += line) })
const logged = (text: string): number => lines.split('\n').filter((line) => line.includes(text)).length

async function start(options: Partial<AdbServersOptions> = {}): Promise<AdbServers> {
  const servers = await startAdbServers({ bin: older(), dataDir, connect: [], log, ...options })
  running.push(servers)
  return servers
}

/** @returns the phone's address */
async function virtualPhone(): Promise<string> {
  const phone = await startPhone({ port: 0, dataDir: join(dir, `phone-${phones.length}`), pace: 'instant' })
  phones.push(phone)
  return `127.0.0.1:${phone.port}`
}

/** The latest list of all servers. */
function followed(servers: AdbServers): () => readonly ListedDevice[] {
  let latest: readonly ListedDevice[] = []
  servers.follow((devices) => (latest = devices))
  return () => latest
}
const online = (devices: readonly ListedDevice[], serial: string): boolean =>
  devices.some((device) => device.serial === serial && device.state === 'device')
const pidOf = (serial: string | null): number | null => findMarked(adbMarkPath(dataDir, serial))
const program = (name: string, ...script: string[]): string => {
  const file = join(dir, name)
  writeFileSync(file, ['#!/bin/sh', ...script, ''].join('\n'), { mode: 0o755 })
  return file
}
/** A program that behaves like Debian 12's adb; any version may be installed. */
const older = (): string =>
  program('older-adb', `[ "$1" = help ] && adb help | grep -v one-device && exit`, 'exec adb "$@"')

describe('network phones', () => {
  it('have one adb server each: the abort of a server disconnects only its phone, which comes back', async () => {
    const [one, two] = [await virtualPhone(), await virtualPhone()]
    const servers = await start({ connect: [one, two] })
    const devices = followed(servers)
    await until(() => online(devices(), one) && online(devices(), two))
    const first = runningPid({ pid: pidOf(one) })
    const other = runningPid({ pid: pidOf(two) })
    expect(first).not.toBe(other)
    const lost: (readonly ListedDevice[])[] = []
    servers.follow((listed) => {
      if (!online(listed, two)) lost.push(listed)
    })
    process.kill(first, 'SIGABRT')
    await until(() => servers.troubleOf(one) !== null)
    expect(servers.troubleOf(two)).toBeNull()
    expect(servers.trouble).toBeNull()
    expect(lost).toEqual([])
    const again = followed(servers)
    await until(() => online(again(), one))
    expect(pidOf(one)).not.toBe(first)
    expect([pidOf(two), servers.troubleOf(one)]).toEqual([other, null])
  })

  it('are a fault of the host only when no server runs', async () => {
    const [one, two] = ['127.0.0.1:1', '127.0.0.1:2']
    const bin = program(
      'adb',
      `[ -e ${dir}/broken ] && exit 4`,
      `case "$*" in *phone-${one}.sock*) echo "no luck"; exit 3;; esac`,
      `exec ${older()} "$@"`,
    )
    const servers = await start({ bin, connect: [one, two] })
    expect(servers.troubleOf(one)).toBe('ended with code 3: no luck')
    expect([servers.troubleOf(two), servers.trouble]).toEqual([null, null])
    writeFileSync(join(dir, 'broken'), '')
    for (const serial of [two, null]) process.kill(runningPid({ pid: pidOf(serial) }), 'SIGKILL')
    await until(() => servers.trouble !== null)
  })

  it('cannot be imitated by a phone on USB that uses their address as its serial', async () => {
    const address = await virtualPhone()
    const other = await virtualPhone()
    const servers = await start({ connect: [address] })
    const devices = followed(servers)
    await until(() => online(devices(), address))
    const [own] = devices()
    // The server of all phones on USB lists both.
    const shared = new AdbClient(adbSocketPath(dataDir, null))
    for (const serial of [address, other]) await shared.connect(serial, Progress.for(5000))
    await until(() => online(devices(), other))
    expect(devices().filter(({ serial }) => serial === address)).toEqual([own])
  })
})

describe('phones on USB', () => {
  it('share one server when adb does not know --one-device, and the log contains that once', async () => {
    const servers = await start()
    expect(readdirSync(join(dataDir, 'adb')).filter((name) => name.endsWith('.sock'))).toEqual([
      'server.sock',
    ])
    expect(logged('all phones on USB share one adb server')).toBe(1)
    expect(servers.clientOf('A').path).toBe(adbSocketPath(dataDir, null))
  })

  /**
   * An adb that supports `--one-device`; any version may be installed. The program stores the serial and
   * omits the option.
   */
  const newer = (): string =>
    program(
      'adb',
      `[ "$1" = help ] && adb help && echo " --one-device SERIAL|USB  only with 'server nodaemon'" && exit`,
      `[ "$3" = --one-device ] || exec adb "$@"`,
      `echo "$4" >> ${dir}/served`,
      'exec adb "$1" "$2" "$5" "$6"',
    )
  const sys = () => join(dir, 'bus')
  function write(file: string, value: string): void {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, value)
  }
  /** Linux lists links to the devices, and ends each file with a line end. */
  function plugIn(port: string, devnum: number, serial: string | null): void {
    const device = join(dir, 'devices/pci0000:00/0000:00:14.0/usb1', port)
    const facts = {
      busnum: '1',
      devnum: String(devnum),
      speed: '480',
      product: 'Pixel 8',
      manufacturer: 'Google',
    }
    for (const [name, value] of Object.entries(facts)) write(join(device, name), `${value}\n`)
    if (serial !== null) write(join(device, 'serial'), `${serial}\n`)
    const interfaces = { '1.0': ['06', '01', '01'], '1.1': ['ff', '42', '01'] }
    mkdirSync(sys(), { recursive: true })
    for (const [name, [type = '', sub = '', protocol = '']] of Object.entries(interfaces)) {
      const folder = join(device, `${port}:${name}`)
      write(join(folder, 'bInterfaceClass'), `${type}\n`)
      write(join(folder, 'bInterfaceSubClass'), `${sub}\n`)
      write(join(folder, 'bInterfaceProtocol'), `${protocol}\n`)
      symlinkSync(folder, join(sys(), `${port}:${name}`))
    }
    symlinkSync(device, join(sys(), port))
  }
  function unplug(port: string): void {
    for (const name of [port, `${port}:1.0`, `${port}:1.1`]) rmSync(join(sys(), name))
    rmSync(join(dir, 'devices/pci0000:00/0000:00:14.0/usb1', port), { recursive: true })
  }
  const started = (): string[] => readFileSync(join(dir, 'served'), 'utf8').trim().split('\n')

  it('have one server each, while the phone is connected', async () => {
    const serial = await virtualPhone()
    plugIn('1-4.1', 7, serial)
    plugIn('1-4.2', 8, '1A2B3C4D5E6F')
    const servers = await start({ bin: newer(), usb: { sys: sys(), everyMs: 20 } })
    const devices = followed(servers)
    expect(started().toSorted()).toEqual([serial, '1A2B3C4D5E6F'].toSorted())
    expect(pidOf(null)).toBeNull()
    // Only in this way can a virtual phone get into the list of its server.
    await servers.clientOf(serial).connect(serial, Progress.for(5000))
    await until(() => online(devices(), serial))
    expect(await servers.clientOf('1A2B3C4D5E6F').devices(Progress.for(5000))).toEqual([])

    const first = runningPid({ pid: pidOf(serial) })
    unplug('1-4.1')
    await until(() => pidOf(serial) === null)
    expect(processIdentity(first)).toBeNull()
    expect([devices(), servers.troubleOf(serial)]).toEqual([[], null])
    expect(pidOf('1A2B3C4D5E6F')).not.toBeNull()
    plugIn('1-4.1', 9, serial)
    // The mark of the server's process is written before the server answers.
    await until(() => pidOf(serial) !== null && servers.troubleOf(serial) === null)
  })

  it('get no server for a serial that adb cannot list, or that names the place of another phone', async () => {
    const address = await virtualPhone()
    for (const [at, serial] of [
      null,
      '',
      'two words',
      '\u001b[31mred',
      'é',
      '?????',
      'x'.repeat(300),
      address,
      'usb:1-4',
      '1-4',
      '2-6.1',
      '/dev/bus/usb/001/002',
      '-L',
      'SAME',
      'SAME',
    ].entries())
      plugIn(`1-${at + 1}`, at + 1, serial)
    const servers = await start({ bin: newer(), connect: [address], usb: { sys: sys(), everyMs: 20 } })
    expect(started().toSorted()).toEqual(['-L', 'SAME'])
    expect([servers.troubleOf('-L'), servers.troubleOf('SAME'), servers.troubleOf(address)]).toEqual([
      null,
      null,
      null,
    ])
  })
})

it('uses the hash of a serial that is not a plain name as the name of its files', () => {
  for (const serial of ['../../x', 'a/b', '.', '-L', '=0123', 'x'.repeat(25), '[::1]:5555'])
    expect(adbSocketPath('/data', serial)).toMatch(/^\/data\/adb\/phone-=[\da-f]{16}\.sock$/)
  expect(adbSocketPath('/data', '192.0.2.20:5555')).toBe('/data/adb/phone-192.0.2.20:5555.sock')
  expect(adbSocketPath('/data', 'server')).not.toBe(adbSocketPath('/data', null))
})

it('creates one key, before servers that start together could each create a key', async () => {
  const home = join(dataDir, 'adb')
  const connect = Array.from({ length: 6 }, (_, at) => `127.0.0.1:${at + 1}`)
  const calls = join(dir, 'keygen')
  const bin = program('adb', `[ "$1" = keygen ] && echo "$2" >> ${calls}`, 'exec adb "$@"')
  await start({ bin, connect })
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1)
  expect(readdirSync(join(home, '.android')).toSorted()).toEqual(['adbkey', 'adbkey.pub'])
  const key = readFileSync(join(home, '.android/adbkey'), 'utf8')
  await ensureAdbKey(bin, home)
  expect(readFileSync(join(home, '.android/adbkey'), 'utf8')).toBe(key)
})

it('ends the servers of a crashed agent, even of a phone that was removed from the configuration', async () => {
  const removed = '127.0.0.1:1'
  const home = join(dataDir, 'adb')
  mkdirSync(home, { recursive: true })
  const left = [removed, null].map((serial) => {
    const path = adbSocketPath(dataDir, serial)
    const child = spawn('adb', ['-L', `localfilesystem:${path}`, 'nodaemon', 'server'], {
      env: { ...process.env, HOME: home, ADB_USB: '0', ADB_MDNS: '0', ADB_EMU: '0' },
    })
    return { serial, path, child }
  })
  for (const { serial, path, child } of left) {
    await until(() => existsSync(path))
    markProcess(adbMarkPath(dataDir, serial), runningPid(child))
  }
  const servers = await start()
  expect(servers.trouble).toBeNull()
  for (const { child } of left) await until(() => child.signalCode !== null || child.exitCode !== null)
  expect(readdirSync(home).filter((name) => /\.(sock|json)$/.test(name))).toEqual([
    'server.json',
    'server.sock',
  ])
})

it('never kills a process that reuses the process ID of its server', async () => {
  const bystander = spawn('sleep', ['30'])
  mkdirSync(join(dataDir, 'adb'), { recursive: true })
  writeFileSync(adbMarkPath(dataDir, null), JSON.stringify({ pid: bystander.pid, identity: '1 adb' }))
  await start()
  expect(processIdentity(runningPid(bystander))).not.toBeNull()
  bystander.kill('SIGKILL')
})
