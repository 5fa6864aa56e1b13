/** A whole phone with the real adb: the operations of the host agent and of a developer. Each test's title is a row of README's table. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Phone, startPhone } from '../phone.js'
import { adbName, type Adb, freePort, startAdb } from '../testing/adb.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-e2e-'))
const dataDir = join(folder, 'phone')
const faults: unknown[] = []
let phone: Phone
let adb: Adb
let serial = ''

const start = (port: number) =>
  startPhone({ port, dataDir, pace: 'instant', onFault: (error, what) => faults.push([what, error]) })

async function shell(command: string, stdin?: Buffer) {
  const result = await adb.run(['shell', command], stdin)
  return { code: result.code, out: result.stdout.toString(), err: result.stderr }
}

async function reconnect(): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    await adb.run(['disconnect', serial])
    await adb.run(['connect', serial])
    if ((await adb.run(['get-state'])).stdout.toString().trim() === 'device') return
    await delay(100)
  }
  throw new Error('the phone did not come back')
}

beforeAll(async () => {
  phone = await start(0)
  serial = `127.0.0.1:${phone.port}`
  adb = await startAdb(serial)
  await adb.run(['connect', serial])
})

afterAll(async () => {
  await adb.close()
  await phone.close()
  rmSync(folder, { recursive: true })
})

describe(adbName(), () => {
  it('is listed with product, model and device', async () => {
    const { stdout } = await adb.run(['devices', '-l'])
    expect(stdout.toString()).toContain(serial)
    expect(stdout.toString()).toContain('device product:virtual_phone model:Virtual_Phone device:vphone')
    expect((await shell('getprop ro.serialno')).out.trim()).toBe(phone.serial)
  })

  it('returns exit code, stdout and stderr separately, and forwards stdin', async () => {
    expect(await shell('echo out; echo err >&2; exit 7')).toEqual({ code: 7, out: 'out\n', err: 'err\n' })
    expect(await shell('nope')).toEqual({
      code: 127,
      out: '',
      err: '/system/bin/sh: nope: inaccessible or not found\n',
    })
    expect((await shell('cat', Buffer.from('in\0\xff'))).out).toBe(Buffer.from('in\0\xff').toString())
    const noPackets = await adb.run(['shell', '-x', 'echo a; echo b >&2'])
    expect(noPackets.stdout.toString()).toBe('a\nb\n')
    expect((await adb.run(['shell', '-tt', 'echo a'])).stdout.toString()).toBe('a\r\n')
    expect((await adb.run(['shell'], Buffer.from('x=3\necho $x\nexit 5\n'))).stdout.toString()).toBe('3\n')
  })

  it('pushes and pulls 30 MB unchanged', async () => {
    const bytes = randomBytes(30_000_000)
    writeFileSync(join(folder, 'big'), bytes)
    expect((await adb.run(['push', join(folder, 'big'), '/sdcard/Download/big'])).code).toBe(0)
    expect((await adb.run(['pull', '/sdcard/Download/big', join(folder, 'back')])).code).toBe(0)
    expect(readFileSync(join(folder, 'back')).equals(bytes)).toBe(true)
    expect((await adb.run(['exec-out', 'cat /sdcard/Download/big'])).stdout.equals(bytes)).toBe(true)
    expect((await shell('stat -c %s /sdcard/Download/big; rm /sdcard/Download/big')).out).toBe('30000000\n')
    expect(readdirSync(join(dataDir, 'blobs'))).not.toContain('big')
    // The host closes the stream before the phone has written all bytes.
    expect((await adb.run(['exec-in', 'cat > /sdcard/in'], bytes.subarray(0, 8_000_000))).code).toBe(0)
    for (let size = ''; size !== '8000000\n'; size = (await shell('stat -c %s /sdcard/in')).out)
      await delay(50)
    expect((await adb.run(['exec-out', 'cat /sdcard/in'])).stdout.equals(bytes.subarray(0, 8_000_000))).toBe(
      true,
    )
  })

  it("pushes folders, and fails with adbd's messages", async () => {
    const tree = join(folder, 'tree')
    const { mkdirSync } = await import('node:fs')
    mkdirSync(join(tree, 'a'), { recursive: true })
    writeFileSync(join(tree, 'a', 'ü b'), 'x')
    expect((await adb.run(['push', tree, '/sdcard/Download/'])).code).toBe(0)
    expect((await shell('cat "/sdcard/Download/tree/a/ü b"')).out).toBe('x')
    const denied = await adb.run(['push', join(tree, 'a', 'ü b'), '/system/x'])
    expect(denied.code).toBe(1)
    expect(denied.stderr + denied.stdout.toString()).toContain(
      "remote couldn't create file: Permission denied",
    )
    const missing = await adb.run(['pull', '/sdcard/none', folder])
    expect(missing.stderr + missing.stdout.toString()).toContain(
      "failed to stat remote object '/sdcard/none': No such file or directory",
    )
    expect((await adb.run(['ls', '/sdcard'])).stdout.toString()).toMatch(/Download\n/)
    expect((await shell('ls /data/data')).err).toBe('ls: /data/data: Permission denied\n')
  })

  it('takes a screenshot', async () => {
    const { stdout } = await adb.run(['exec-out', 'screencap', '-p'])
    expect(stdout.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect([stdout.readUInt32BE(16), stdout.readUInt32BE(20)]).toEqual([1080, 2400])
  })

  it('forwards only to ports of the phone, and reverses to the host', async () => {
    const outside = createServer((socket) => socket.end('outside'))
    const outsidePort = await freePort()
    await new Promise<void>((resolve) => outside.listen(outsidePort, '127.0.0.1', resolve))
    try {
      // A port of the machine does not count as a port of the phone.
      const local = await freePort()
      await adb.run(['forward', `tcp:${local}`, `tcp:${outsidePort}`])
      expect(await readAllFrom(local)).toBe('')
      expect((await adb.run(['reverse', 'localabstract:test', `tcp:${outsidePort}`])).code).toBe(0)
      expect((await adb.run(['reverse', '--list'])).stdout.toString()).toContain(
        `localabstract:test tcp:${outsidePort}`,
      )
      // The bytes go in through the forward, and out through the reverse.
      await adb.run(['forward', `tcp:${local}`, 'localabstract:test'])
      expect(await readAllFrom(local)).toBe('outside')
      expect((await adb.run(['reverse', '--no-rebind', 'localabstract:test', 'tcp:1'])).code).toBe(1)
      expect((await adb.run(['reverse', '--remove', 'localabstract:test'])).code).toBe(0)
      expect((await adb.run(['reverse', '--remove', 'localabstract:test'])).stderr).toContain(
        "listener 'localabstract:test' not found",
      )
      expect(await readAllFrom(local)).toBe('')
    } finally {
      outside.close()
    }
  })

  it('keeps its state across a restart of the process and a reboot', async () => {
    await shell('echo kept > /sdcard/kept; settings put global mine 5; mkdir /data/local/tmp/d')
    await phone.close()
    phone = await start(phone.port)
    await reconnect()
    expect((await shell('cat /sdcard/kept; settings get global mine; ls /data/local/tmp')).out).toBe(
      'kept\n5\nd\n',
    )
    await adb.run(['reboot'])
    await delay(100)
    await reconnect()
    expect((await shell('getprop sys.boot_completed; cat /sdcard/kept')).out).toBe('1\nkept\n')
  })

  it('keeps only its identity after test harness mode', async () => {
    await shell('echo mine > /sdcard/mine; setprop debug.mark 1; settings put secure mine 1')
    await shell('am start -a android.settings.SETTINGS')
    // A command that is still writing when the wipe begins must not write afterwards.
    await shell(
      'while true; do echo x > /sdcard/busy; cp /sdcard/busy /data/local/tmp/busy; done & dd if=/dev/zero of=/sdcard/zero &',
    )
    expect((await shell('cmd testharness enable')).code).toBe(0)
    await delay(150)
    await reconnect()
    const after = await shell(
      'ls /sdcard/mine /sdcard/kept /sdcard/busy /sdcard/zero; getprop debug.mark; settings get secure mine; getprop ro.serialno; getprop sys.boot_completed; ls /data/local/tmp; dumpsys account | grep Accounts:',
    )
    expect(after.out).toBe(`\nnull\n${phone.serial}\n1\n  Accounts: 0\n`)
    expect(after.err).toContain('/sdcard/mine: No such file')
    expect((await shell('dumpsys window | grep mCurrentFocus')).out).toContain('launcher')
    expect(readdirSync(join(dataDir, 'blobs'))).toEqual([])
  })

  it('serves many streams concurrently', async () => {
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => shell(`sleep 0.2; seq 1 2000 | wc -l; echo ${index}`)),
    )
    expect(results.map((result) => result.out)).toEqual(results.map((_, index) => `2000\n${index}\n`))
  })

  it('reported no internal error during these tests', () => {
    expect(faults).toEqual([])
    expect(existsSync(join(dataDir, 'state.json'))).toBe(true)
  })
})

/** Reads all bytes that a connection to this port of the machine receives until its end. */
function readAllFrom(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
  })
}
