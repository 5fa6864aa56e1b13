/**
 * Virtual phones that print the forms of several makers, through the real adb server, read by the agent's
 * parsers.
 */
import { Progress } from '@phonerack/shared'
import type { Maker } from '@phonerack/virtual-phone'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandWith } from '../adb/quote.js'
import { parseLock, readLock } from './lock/screens.js'
import { createPermissions } from './packages/permissions.js'
import { readJar } from '../capture/scrcpy/jar.js'
import { createApps } from './shell/apps.js'
import { createNotifications } from './shell/notifications.js'
import { createScreen } from './shell/screen.js'
import { createWindows } from './shell/windows.js'
import { jarPath } from '../testing/jar.js'
import { plugIn, type PluggedIn } from '../testing/plugged-in.js'

const makers: readonly Maker[] = ['samsung', 'xiaomi', 'pixel', 'oneplus']

describe.each(makers)('a phone of %s', (maker) => {
  let plugged: PluggedIn
  beforeAll(async () => {
    plugged = await plugIn([], { maker, seed: 7 })
  })
  afterAll(() => plugged.stop())
  const progress = () => Progress.for(60_000)
  const shell = (...words: string[]) => plugged.transport.shell(command(...words), progress())

  it('has a size, a window, a keyboard and a picture while a video streams', async () => {
    const { transport } = plugged
    const [screen, windows] = [createScreen(transport), createWindows(transport)]
    const notes = 'com.phonerack.notes'
    expect(await createApps(transport, windows).open(notes, null, progress())).toMatchObject({
      activity: expect.not.stringContaining('leakcanary') as string,
      app: { package: notes },
    })
    const jar = '/data/local/tmp/server.jar'
    await transport.push(jar, (await readJar(await jarPath())).content, 0o644, progress())
    const server = ['app_process', '/', 'com.genymobile.scrcpy.Server', '3.3.3', 'tunnel_forward=true']
    const line = commandWith({ CLASSPATH: jar }, ...server, 'audio=false', 'control=false', 'cleanup=false')
    const stream = await transport.spawn(line, progress())
    try {
      const blocks = async () =>
        (await shell('dumpsys', 'window', 'displays')).stdout.toString().split('Display: m').length
      await expect.poll(blocks).toBeGreaterThan(2)
      screen.forget()
      expect(await screen.size(progress())).toEqual({ width: 1080, height: 2400 })
      expect(await windows.read(progress())).toMatchObject({ package: notes, keyboardVisible: false })
      expect((await screen.png(progress())).subarray(1, 4).toString()).toBe('PNG')
    } finally {
      stream.close()
    }
  })

  it('lists notifications whose tags have line feeds', async () => {
    await shell('cmd', 'notification', 'post', '-t', 'First', 'b4/=\n', 'Text')
    await shell('cmd', 'notification', 'post', '-t', 'Second', 'two', 'Don\u2019t')
    const list = await createNotifications(plugged.transport).list(progress())
    expect(list.map(({ key, title, text }) => [key, title, text]).toSorted()).toEqual([
      ['0|com.android.shell|2020|b4/=\n|2000', 'First', 'Text'],
      ['0|com.android.shell|2020|two|2000', 'Second', 'Don\u2019t'],
    ])
  })

  it('has the grants and the lock of user 0', async () => {
    const camera = 'android.permission.CAMERA'
    const permissions = createPermissions(plugged.transport)
    for (const [grant, revoke] of [
      [[camera], []],
      [[], [camera]],
    ] as const)
      expect(await permissions.set('com.phonerack.trouble', { grant, revoke }, progress())).toEqual([
        { name: camera, granted: grant.length > 0 },
      ])
    const lock = async () =>
      parseLock((await plugged.transport.shell(readLock, progress())).stdout.toString())
    expect(await lock()).toBe(false)
    await shell('locksettings', 'set-pin', '2580')
    expect(await lock()).toBe(true)
    await shell('locksettings', 'clear', '--old', '2580')
  })
})
