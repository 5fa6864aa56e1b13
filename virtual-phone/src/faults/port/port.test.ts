/** The fault port, through which other processes inject faults: each fault requested through it and observed with the real adb. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Counts, type Phone, startPhone } from '../../phone.js'
import { type Adb, startAdb } from '../../testing/adb.js'
import { appiumApks } from '../../testing/appium-apks.js'
import { scrcpyJar } from '../../testing/scrcpy-jar.js'
import { instrumentation } from '../../testing/uia2-client.js'
import { type FaultPort, startFaultPort } from './port.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-port-'))
const token = 'a token of some length'
const bugs: unknown[] = []
let phone: Phone
let port: FaultPort
let adb: Adb
let serial = ''

interface Answer {
  status: number
  body: unknown
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  authorization = `Bearer ${token}`,
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port.port}${path}`, {
    method,
    headers: { authorization },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

async function fault(name: string, body: object = {}): Promise<unknown> {
  const answer = await ask('POST', `/phones/${phone.port}/faults/${name}`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

const text = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await adb.run(args)
  return stdout.toString() + stderr
}
const shell = (command: string): Promise<string> => text('shell', command)
const dump = (): Promise<string> => shell('uiautomator dump /dev/tty')

async function reconnect(): Promise<void> {
  await expect
    .poll(
      async () => {
        await adb.run(['disconnect', serial])
        await adb.run(['connect', serial])
        return (await text('get-state')).trim()
      },
      { timeout: 15_000 },
    )
    .toBe('device')
}

beforeAll(async () => {
  phone = await startPhone({ port: 0, dataDir: join(folder, 'phone'), pace: 'instant' })
  port = await startFaultPort({ port: 0, token, phones: [phone], onFault: (error) => bugs.push(error) })
  serial = `127.0.0.1:${phone.port}`
  adb = await startAdb(serial)
  await adb.run(['connect', serial])
})

afterAll(async () => {
  await adb.close()
  await port.close()
  await phone.close()
  rmSync(folder, { recursive: true })
  expect(bugs).toEqual([])
})

describe('a request', () => {
  it('needs the token', async () => {
    for (const wrong of ['', 'Bearer', `Bearer ${token}x`, token, `bearer ${token}`]) {
      expect((await ask('GET', '/phones', undefined, wrong)).status, wrong).toBe(401)
    }
    expect(await ask('GET', '/phones')).toEqual({
      status: 200,
      body: { phones: [{ port: phone.port, serial: phone.serial, without: [] }] },
    })
  })

  it('refuses an unknown phone or fault', async () => {
    const never = (name: string | number, what = 'never-idle') =>
      ask('POST', `/phones/${name}/faults/${what}`, { on: false })
    expect((await never(phone.port)).status).toBe(200)
    expect((await never(phone.serial)).status).toBe(200)
    expect((await never(1)).status).toBe(404)
    expect((await never(phone.port, 'constructor')).status).toBe(404)
    expect((await ask('GET', `/phones/${phone.port}`)).status).toBe(404)
    expect((await ask('GET', '/%')).status).toBe(404)
  })

  it('reports the invalid field of a body', async () => {
    const path = `/phones/${phone.port}/faults/hang`
    for (const wrong of [{ every: -1 }, { every: '2' }, {}, { every: 1, more: 1 }, '{', 'null', '[]']) {
      expect((await ask('POST', path, wrong)).status, JSON.stringify(wrong)).toBe(400)
    }
    expect((await ask('POST', path, ' '.repeat(70_000))).status).toBe(413)
    expect(await ask('POST', `/phones/${phone.port}/faults/unauthorized`)).toMatchObject({ status: 409 })
  })
})

describe('the counters', () => {
  const counters = async () => (await ask('GET', `/phones/${phone.port}/counters`)).body as Counts

  it('count each call that reached the phone', async () => {
    const file = join(folder, 'sent.txt')
    writeFileSync(file, 'sent')
    const before = await counters()
    await text('push', file, '/sdcard/naïve.txt')
    await text('push', file, '/sdcard/naïve.txt')
    await shell('input tap 500 500; input keyevent 4; pm uninstall no.such; settings put global x 1')
    const after = await counters()
    expect(after.pushes).toEqual({ ...before.pushes, '/sdcard/naïve.txt': 2 })
    expect(after).toMatchObject({
      commands: { 'input tap': 1, 'input keyevent': 1, 'pm uninstall': 1, 'settings put global x': 1 },
      touches: before.touches + 1,
      keys: before.keys + 1,
      installs: before.installs,
      uninstalls: 0,
      reboots: 0,
    })
  })

  it('are the same for every client', async () => {
    expect(await counters()).toEqual(phone.counters())
  })
})

describe('the link', () => {
  it('disconnects when unplugged, and reconnects', async () => {
    await fault('unplug')
    await adb.run(['disconnect', serial])
    expect(await text('connect', serial)).toMatch(/refused|failed/)
    await fault('replug')
    await reconnect()
  })

  it('ends running commands when adbd restarts', async () => {
    const sleeping = adb.run(['shell', 'sleep 10; echo done'])
    await expect.poll(() => shell('ps -A'), { timeout: 10_000 }).toContain('sleep')
    await fault('restart-adbd')
    expect((await sleeping).stdout.toString()).toBe('')
    await reconnect()
  })

  it('hangs only the commands that contain a text', async () => {
    await fault('hang', { every: 1, containing: 'getprop' })
    const hanging = adb.run(['shell', 'getprop ro.serialno'])
    expect(await Promise.race([hanging, delay(400).then(() => 'hangs')])).toBe('hangs')
    expect(await shell('echo 1')).toBe('1\n')
    await ask('DELETE', `/phones/${phone.port}/faults`)
    await hanging
    await reconnect()
    expect(await shell('getprop ro.serialno')).toBe(`${phone.serial}\n`)
  })

  it('is offline, then slow, until the faults are deleted', async () => {
    await fault('slow-link', { limits: { latencyMs: 60, bytesPerSecond: 1_000_000 } })
    await reconnect()
    const start = performance.now()
    await shell('true')
    expect(performance.now() - start).toBeGreaterThan(110)
    await fault('offline', { on: true })
    await ask('DELETE', `/phones/${phone.port}/faults`)
    await reconnect()
  })

  it('stays in a boot loop until the fault ends', async () => {
    await fault('never-come-back', { on: true })
    await adb.run(['reboot'])
    await delay(600)
    await adb.run(['disconnect', serial])
    expect(await text('connect', serial)).toMatch(/refused|failed/)
    expect((await ask('GET', `/phones/${phone.port}/state`)).body).toMatchObject({ booted: false })
    await fault('never-come-back', { on: false })
    await reconnect()
  })
})

describe('the cable', () => {
  const booted = () => phone.state().booted
  const until = (on: boolean) => expect.poll(booted, { interval: 10, timeout: 10_000 }).toBe(on)
  const refused = async () => {
    await adb.run(['disconnect', serial])
    return text('connect', serial)
  }

  it('stays offline across a reboot', async () => {
    await adb.run(['shell', 'svc power reboot'])
    await fault('unplug')
    await until(false)
    await until(true)
    expect(await refused()).toMatch(/refused|failed/)
    await fault('offline', { on: true })
    await fault('offline', { on: false })
    expect(await refused()).toMatch(/refused|failed/)
    await fault('replug')
    await reconnect()
  })

  it('reconnects after the boot when replugged during a restart', async () => {
    await fault('never-come-back', { on: true })
    await adb.run(['shell', 'svc power reboot'])
    await until(false)
    await fault('unplug')
    await fault('replug')
    expect(await refused()).toMatch(/refused|failed/)
    await fault('never-come-back', { on: false })
    await until(true)
    await reconnect()
  })
})

describe('the phone', () => {
  it('reports full storage', async () => {
    await fault('full-storage', { on: true })
    expect(await shell('echo x > /sdcard/full.txt')).toContain('No space left on device')
    await fault('full-storage', { on: false })
  })

  it('never becomes idle', async () => {
    await fault('never-idle', { on: true })
    expect(await dump()).toBe('ERROR: could not get idle state.\n')
    await fault('never-idle', { on: false })
    expect(await dump()).toContain('<hierarchy')
  })

  it('has a locked screen, a low and hot battery, and a wrong clock', async () => {
    await fault('lock-screen')
    expect(await dump()).toContain('keyguard_root_view')
    await fault('battery', { percent: 9, celsius: 51.5 })
    expect(await shell('dumpsys battery')).toMatch(/level: 9\n[^]*temperature: 515\n/)
    await fault('clock-offset', { ms: -400 * 24 * 3_600_000 })
    expect(Date.now() / 1000 - Number(await shell('date +%s'))).toBeGreaterThan(399 * 24 * 3600)
    expect((await ask('GET', `/phones/${phone.port}/state`)).body).toMatchObject({
      booted: true,
      locked: true,
      batteryPercent: 9,
      notifications: [{ title: 'Battery is low' }],
    })
    await ask('DELETE', `/phones/${phone.port}/faults`)
    expect(await shell('dumpsys battery')).toMatch(/level: 100\n[^]*temperature: 250\n/)
    expect((await ask('GET', `/phones/${phone.port}/state`)).body).toMatchObject({
      locked: false,
      notifications: [],
    })
  })

  it('has an app that steals the focus', async () => {
    const notes = 'com.phonerack.notes'
    await fault('steal-focus', { package: notes, everyMs: 30 })
    await shell('input keyevent HOME')
    await expect.poll(() => shell('dumpsys window | grep mCurrentFocus')).toContain(notes)
    await fault('steal-focus', { package: null })
  })

  it('contains leftovers, and leftovers that a wipe keeps', async () => {
    const answer = await ask('POST', `/phones/${phone.port}/faults/leave`, { what: ['account', 'nothing'] })
    expect(answer.status).toBe(400)
    await fault('leave', { what: ['account', 'wifi-network'] })
    expect(await shell('dumpsys account | grep Accounts:')).toBe('  Accounts: 1\n')
    await fault('wipe-leaves', { what: ['second-user'] })
    await fault('wipe-does-nothing', { on: true })
    await fault('wipe-does-nothing', { on: false })
    await shell('cmd testharness enable')
    const booted = () => phone.state().booted
    await expect.poll(booted, { interval: 10, timeout: 10_000 }).toBe(false)
    await expect.poll(booted, { interval: 10, timeout: 10_000 }).toBe(true)
    await reconnect()
    expect(await shell('dumpsys account | grep Accounts:; cmd wifi list-networks; pm list users')).toBe(
      '  Accounts: 0\nNo networks\nUsers:\n\tUserInfo{0:Owner:4c13} running\n\tUserInfo{10:Second:410}\n',
    )
    await fault('wipe-leaves', { what: [] })
  })

  it('loses its scrcpy server', async () => {
    expect(await fault('kill-scrcpy')).toEqual({ killed: 0 })
    const jar = '/data/local/tmp/scrcpy-server.jar'
    await adb.run(['exec-in', `cat > ${jar}`], scrcpyJar())
    const options = 'tunnel_forward=true video=false audio=false cleanup=false'
    const running = adb.run([
      'shell',
      `CLASSPATH=${jar} app_process / com.genymobile.scrcpy.Server 3.3.3 ${options}`,
    ])
    await expect.poll(() => phone.state().scrcpyServers, { timeout: 10_000 }).toBe(1)
    expect(await fault('kill-scrcpy')).toEqual({ killed: 1 })
    expect((await running).code).not.toBe(0)
    expect(phone.state().scrcpyServers).toBe(0)
  })

  it('loses its UI server', async () => {
    for (const apk of [appiumApks.server, appiumApks.serverTest]) await text('install', '-t', '-g', apk)
    const running = text('shell', `am instrument -w ${instrumentation}`)
    await expect.poll(() => phone.state().uiServerRunning, { timeout: 10_000 }).toBe(true)
    await fault('crash-ui-server')
    expect(await running).toContain('shortMsg=Process crashed.')
    expect((await ask('GET', `/phones/${phone.port}/state`)).body).toMatchObject({ uiServerRunning: false })
    expect(phone.counters().installs).toBe(2)
  })

  it('refuses the clipboard to background apps', async () => {
    await fault('leave', { what: ['clipboard'] })
    await fault('deny-clipboard', { on: true })
    expect(phone.state().clipboard).toBe('')
    await fault('deny-clipboard', { on: false })
    expect(phone.state().clipboard).toBe('left by the last tenant')
  })
})
