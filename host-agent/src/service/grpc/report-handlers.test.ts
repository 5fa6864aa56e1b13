/** Reports of a virtual phone through the whole agent. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LogLevel } from '@phonerack/proto'
import { createLogger, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import { startAdbServer, type AdbServer } from '../../adb/server.js'
import type { Transport } from '../../adb/transport.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'
import { transportTo } from '../../testing/transport.js'
import { until } from '../../testing/until.js'

const trouble = 'com.phonerack.trouble'
const messages = 'com.phonerack.messages'
let both: PhoneAndHost
let beside: Transport
let adb: AdbServer
const folder = mkdtempSync(join(tmpdir(), 'phonerack-beside-'))
let phone: ReturnType<typeof session>
beforeAll(async () => {
  both = await startPhoneAndHost()
  const { serial } = both.phone
  await untilLink(both.host, serial, 'unenrolled')
  await both.host.control.enroll({ serial, fencingNumber: 1n }, 60_000)
  await untilLink(both.host, serial, 'healthy')
  const log = createLogger('test')
  log.level = 'silent'
  adb = await startAdbServer({ bin: 'adb', dataDir: folder, log })
  const address = `127.0.0.1:${both.phone.inside.port}`
  beside = transportTo(adb.client, address)
  const isConnected = async () => {
    await adb.client.connect(address, Progress.for(20_000))
    return (await adb.client.ask('host:devices', Progress.for(20_000))).includes(`${address}\tdevice`)
  }
  await until(isConnected, 60_000, 'the second adb server')
  await run('log', '-t', 'Before', 'written by an earlier phone')
  phone = session(both.host.control, serial, 2n)
  await phone.start()
})
afterAll(async () => {
  await adb.stop()
  await both.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a command on the phone, without the agent. */
const run = (...words: string[]) => beside.shell(command(...words), Progress.for(60_000))
const calls = () => both.host.control.call
const everything = {
  package: '',
  minLevel: LogLevel.LOG_LEVEL_UNSPECIFIED,
  since: undefined,
  limit: 0,
  cursor: '',
}
const logs = async () => (await calls().readLogs({ assignment: phone.assignment, ...everything })).lines
const notifications = async () =>
  (await calls().listNotifications({ assignment: phone.assignment })).notifications
const on = (notificationId: string) => ({ assignment: phone.assignment, notificationId })

describe('logs', () => {
  it('contain no line from before the phone was started on its device [42.7]', async () => {
    await run('log', '-t', 'After', 'written by this phone')
    const found = (await logs()).map(({ message }) => message)
    expect(found).toContain('written by this phone')
    expect(found).not.toContain('written by an earlier phone')
  })

  it('stay while the phone is parked, and are refused to an older fencing number', async () => {
    const before = phone
    phone = session(both.host.control, both.phone.serial, 3n)
    await phone.park()
    phone = session(both.host.control, both.phone.serial, 4n)
    await phone.start()
    expect((await logs()).map(({ message }) => message)).toContain('written by this phone')
    await expect(calls().readLogs({ assignment: before.assignment, ...everything })).rejects.toMatchObject({
      plain: { code: 'phone_unavailable' },
    })
  })
})

describe('notifications', () => {
  it('are dismissed [42.22]', async () => {
    await run('cmd', 'notification', 'post', '-t', 'One', 'one', 'text of one')
    await run('cmd', 'notification', 'post', '-t', 'Two', 'two', 'text of two')
    const [two, one] = await notifications()
    expect([one?.title, two?.title]).toEqual(['One', 'Two'])
    await calls().dismissNotification(on(one?.id ?? ''))
    expect((await notifications()).map(({ id }) => id)).toEqual([two?.id])
    await expect(calls().dismissNotification(on(one?.id ?? ''))).rejects.toMatchObject({
      plain: { code: 'notification_not_found' },
    })
  })

  it('are opened [42.21]', async () => {
    await phone.run([
      { type: 'open_app', package: messages },
      { type: 'tap', target: { text: 'Echo' } },
      { type: 'type', text: 'Notify: tea is ready', target: { id: 'compose_message_text' } },
      { type: 'tap', target: { id: 'send_message_button' } },
      { type: 'home' },
    ])
    const posted = (await notifications()).find(({ package: name }) => name === messages)
    expect(posted).toMatchObject({ title: 'Echo', text: 'tea is ready', dismissible: true })
    await calls().openNotification(on(posted?.id ?? ''))
    const seen = await phone.observe()
    expect(seen.app.package).toBe(messages)
    expect(seen.text).toContain('tea is ready')
    expect((await notifications()).map(({ package: name }) => name)).not.toContain(messages)
  })
})

describe('permissions', () => {
  it('are granted, and names of other permissions are refused', async () => {
    const change = { assignment: phone.assignment, package: trouble, revoke: [] }
    const camera = 'android.permission.CAMERA'
    expect(await calls().setPermissions({ ...change, grant: [camera] })).toEqual({
      permissions: [{ name: camera, granted: true }],
    })
    await expect(
      calls().setPermissions({ ...change, grant: ['android.permission.READ_SMS'] }),
    ).rejects.toMatchObject({ plain: { code: 'validation_failed' } })
  })
})
