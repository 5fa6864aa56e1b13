/** Tests each fault with the real adb. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Phone, startPhone } from '../phone.js'
import { type Adb, startAdb } from '../testing/adb.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-faults-'))
const NOTES = 'com.phonerack.notes'
let phone: Phone
let adb: Adb
let serial = ''

const text = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await adb.run(args)
  return stdout.toString() + stderr
}
const shell = (command: string): Promise<string> => text('shell', command)
const state = async (): Promise<string> => (await text('get-state')).trim()

async function reconnect(): Promise<void> {
  await expect
    .poll(
      async () => {
        await adb.run(['disconnect', serial])
        await adb.run(['connect', serial])
        return state()
      },
      { timeout: 20_000 },
    )
    .toBe('device')
}

beforeAll(async () => {
  phone = await startPhone({ port: 0, dataDir: join(folder, 'phone'), pace: 'instant' })
  serial = `127.0.0.1:${phone.port}`
  adb = await startAdb(serial)
  await adb.run(['connect', serial])
})

afterAll(async () => {
  await adb.close()
  await phone.close()
  rmSync(folder, { recursive: true })
})

describe('the link', () => {
  it('disconnects when unplugged, and reconnects', async () => {
    await phone.faults.unplug()
    await adb.run(['disconnect', serial])
    expect(await text('connect', serial)).toMatch(/refused|failed/)
    await phone.faults.replug()
    await reconnect()
  })

  it('ends running commands when adbd restarts', async () => {
    const sleeping = adb.run(['shell', 'sleep 10; echo done'])
    await expect.poll(async () => shell('ps -A'), { timeout: 10_000 }).toContain('sleep')
    await phone.faults.restartAdbd()
    // adb 29 exits with 0 when its phone disconnects.
    expect((await sleeping).stdout.toString()).toBe('')
    await reconnect()
  })

  it('is offline when adbd does not answer', async () => {
    await phone.faults.setOffline(true)
    await adb.run(['disconnect', serial])
    // adb waits some seconds for the handshake before it answers.
    const connecting = adb.run(['connect', serial])
    await expect.poll(() => text('devices'), { timeout: 12_000 }).toContain(`${serial}\toffline`)
    await phone.faults.setOffline(false)
    await connecting
    await reconnect()
  })

  it('hangs each third command', async () => {
    phone.faults.hangEvery(3)
    expect(await shell('echo 1')).toBe('1\n')
    expect(await shell('echo 2')).toBe('2\n')
    const third = adb.run(['shell', 'echo 3'])
    const first = await Promise.race([third.then(() => 'answered'), delay(700).then(() => 'hangs')])
    expect(first).toBe('hangs')
    expect(await shell('echo 4')).toBe('4\n')
    phone.faults.hangEvery(0)
    await phone.faults.restartAdbd()
    await third
    await reconnect()
  })

  it('is slow', async () => {
    await phone.faults.slowLink({ latencyMs: 40, bytesPerSecond: 200_000 })
    await reconnect()
    const start = performance.now()
    const { stdout } = await adb.run(['exec-out', 'head -c 100000 /dev/zero'])
    expect(stdout.length).toBe(100_000)
    expect(performance.now() - start).toBeGreaterThan(450)
    await phone.faults.slowLink(null)
    await reconnect()
  })

  it('is unauthorized until the key is allowed, on a phone with `auth`', async () => {
    const asking = await startPhone({ port: 0, dataDir: join(folder, 'asking'), pace: 'instant', auth: true })
    const its = `127.0.0.1:${asking.port}`
    const stateOf = async (): Promise<string> => {
      await adb.run(['disconnect', its])
      await adb.run(['connect', its])
      return (await text('devices')).split('\n').find((line) => line.startsWith(its)) ?? ''
    }
    try {
      await stateOf()
      await expect.poll(() => asking.adbKeys.allow(), { timeout: 10_000 }).toBe(1)
      await expect.poll(stateOf, { timeout: 10_000 }).toBe(`${its}\tdevice`)
      await asking.faults.makeUnauthorized()
      await expect.poll(stateOf, { timeout: 10_000 }).toBe(`${its}\tunauthorized`)
    } finally {
      await adb.run(['disconnect', its])
      await asking.close()
    }
    await expect(phone.faults.makeUnauthorized()).rejects.toThrow('asks for no keys')
  })

  it('stays in a boot loop until the fault ends', async () => {
    phone.faults.neverComeBack(true)
    await adb.run(['reboot'])
    await expect.poll(state, { timeout: 10_000 }).not.toBe('device')
    await delay(600)
    await adb.run(['disconnect', serial])
    expect(await text('connect', serial)).toMatch(/refused|failed/)
    phone.faults.neverComeBack(false)
    await reconnect()
    expect(await shell('getprop sys.boot_completed')).toBe('1\n')
  })
})

describe('the phone', () => {
  it('reports full storage', async () => {
    phone.faults.fullStorage(true)
    expect(await shell('echo x > /sdcard/full.txt')).toContain('No space left on device')
    expect(await shell('df /data')).toContain('100%')
    phone.faults.fullStorage(false)
    expect(await shell('echo x > /sdcard/full.txt; cat /sdcard/full.txt')).toBe('x\n')
  })

  it('never becomes idle', async () => {
    phone.faults.neverIdle(true)
    expect(await shell('uiautomator dump /dev/tty')).toBe('ERROR: could not get idle state.\n')
    phone.faults.neverIdle(false)
    expect(await shell('uiautomator dump /dev/tty')).toContain('<hierarchy')
  })

  it('has no network but loopback, until it joins a network', async () => {
    expect(await shell('ip -o addr show')).toMatch(
      /^1: lo {4}inet 127\.0\.0\.1\/8 scope host lo.*\n1: lo {4}inet6 ::1\/128 scope host.*\n$/,
    )
    expect(await shell('nc -w 2 192.0.2.9 5555 2>&1; echo $?')).toBe(
      'nc: connect: Network is unreachable\n1\n',
    )
    phone.faults.joinNetwork('192.0.2.7/24', ['192.0.2.9:5555'])
    expect(await shell('ip -o addr show')).toContain('2: wlan0    inet 192.0.2.7/24 scope global wlan0')
    expect(await shell('nc -w 2 -q 1 192.0.2.9 5555 </dev/null; echo $?')).toBe('0\n')
    expect(await shell('nc -q 0 192.0.2.9 5555 2>&1')).toContain('-q < 1')
    phone.faults.joinNetwork(null)
    expect(await shell('ip addr')).not.toContain('wlan0')
  })

  it('is locked, and unlocks with a swipe', async () => {
    phone.faults.lockScreen()
    expect(await shell('uiautomator dump /dev/tty')).toContain('keyguard_root_view')
    expect(await shell('dumpsys window | grep mCurrentFocus')).toMatch(/ u0 NotificationShade\}$/m)
    await shell('input swipe 540 1800 540 500 100')
    expect(await shell('uiautomator dump /dev/tty')).not.toContain('keyguard_root_view')
  })

  it('warns of a low battery', async () => {
    phone.faults.setBattery(9)
    expect(await shell('dumpsys battery')).toContain('level: 9')
    await shell('cmd statusbar expand-notifications')
    expect(await shell('uiautomator dump /dev/tty')).toContain('9% remaining')
    await shell('cmd statusbar collapse')
    phone.faults.setBattery(100)
  })

  it('has a wrong clock', async () => {
    phone.faults.setClockOffset(-400 * 24 * 3_600_000)
    const year = new Date(Date.now() - 400 * 24 * 3_600_000).getUTCFullYear()
    expect(await shell('date +%Y')).toBe(`${year}\n`)
    phone.faults.setClockOffset(0)
    expect(Math.abs(Number(await shell('date +%s')) - Date.now() / 1000)).toBeLessThan(60)
  })

  it('has an app that steals the focus', async () => {
    phone.faults.stealFocus(NOTES, 30)
    for (let i = 0; i < 3; i++) {
      await shell('input keyevent HOME')
      await expect
        .poll(() => shell('dumpsys window | grep mCurrentFocus'), { timeout: 10_000 })
        .toContain(NOTES)
    }
    phone.faults.stealFocus(null)
    await shell('input keyevent HOME')
    expect(await shell('dumpsys window | grep mCurrentFocus')).not.toContain(NOTES)
  })
})
