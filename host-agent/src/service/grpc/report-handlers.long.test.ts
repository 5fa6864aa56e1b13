/** Reports of a virtual phone through the whole agent. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wakeFirst } from '../../actions/context.js'
import { command } from '../../adb/quote.js'
import { startAdbServer, type AdbServer } from '../../adb/server.js'
import type { Transport } from '../../adb/transport.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'
import { transportTo } from '../../testing/transport.js'
import { until } from '../../testing/until.js'

const trouble = 'com.phonerack.trouble'
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
const notifications = async () =>
  (await calls().listNotifications({ assignment: phone.assignment })).notifications
const on = (notificationId: string) => ({ assignment: phone.assignment, notificationId })

describe('notifications', () => {
  it('are found by scrolling when there are many [42.23]', async () => {
    for (let index = 0; index < 15; index++)
      await run('cmd', 'notification', 'post', '-t', `Title ${index}`, `tag ${index}`, `text ${index}`)
    const first = (await notifications()).find(({ title }) => title === 'Title 0')
    await calls().dismissNotification(on(first?.id ?? ''), 60_000)
    expect((await notifications()).map(({ title }) => title)).not.toContain('Title 0')
  })

  it('are not dismissed when an app keeps them [42.24]', async () => {
    await phone.run([
      { type: 'open_app', package: trouble },
      { type: 'scroll_to', target: { text: 'Keep a notification' } },
      { type: 'tap', target: { text: 'Keep a notification' } },
    ])
    const kept = (await notifications()).find(({ dismissible }) => !dismissible)
    expect(kept).toMatchObject({ package: trouble })
    await expect(calls().dismissNotification(on(kept?.id ?? ''))).rejects.toMatchObject({
      plain: {
        code: 'feature_unavailable',
        next: 'Open the notification, or close its app.',
        details: { feature: 'dismiss' },
      },
    })
  })

  it('are not touched while the screen is off [42.25]', async () => {
    await phone.run([{ type: 'key', key: 'sleep' }])
    const [any] = await notifications()
    await expect(calls().openNotification(on(any?.id ?? ''))).rejects.toMatchObject({
      plain: { code: 'phone_screen_off', next: wakeFirst },
    })
    await phone.run([{ type: 'key', key: 'wake' }])
  })
})

describe('crashes', () => {
  it('have their stack', async () => {
    await phone.run([
      { type: 'open_app', package: trouble },
      { type: 'tap', target: { text: 'Crash' } },
    ])
    const { crashes } = await calls().listCrashes({
      assignment: phone.assignment,
      package: trouble,
      limit: 0,
      cursor: '',
    })
    expect(crashes[0]).toMatchObject({ package: trouble, exception: 'java.lang.IllegalStateException' })
    expect(crashes[0]?.stack).toContain('MainActivity.crash')
  })
})
