/**
 * The long-lived scrcpy server on a virtual phone: clipboard, restart, input and text,
 * compared with the fallback.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger, DeadlineExceeded, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import { startAdbServer, type AdbServer } from '../../adb/server.js'
import type { Transport } from '../../adb/transport.js'
import { createCommandInput, createCommandText } from '../../phone/shell/input-commands.js'
import { createApps } from '../../phone/shell/apps.js'
import { DeviceGone } from '../../adb/device/device.js'
import { createUi } from '../../phone/shell/ui.js'
import { createWindows } from '../../phone/shell/windows.js'
import { jarPath } from '../../testing/jar.js'
import { startTestPhone, type TestPhone } from '../../testing/phone.js'
import { until } from '../../testing/until.js'
import { transportTo } from '../../testing/transport.js'
import { createScrcpyInput } from './input.js'
import { installPart } from '../../adb/parts/install.js'
import { settingsApp } from '../../adb/parts/parts.js'
import { readJar } from './jar.js'
import { createScrcpyKeeper, type ScrcpyKeeper } from './keeper.js'
import { setClipboardMessage } from './messages.js'
import { createKeyText, createPasteText } from './text.js'

const log = createLogger('test')
log.level = 'silent'
let phone: TestPhone
let server: AdbServer
let transport: Transport
let keeper: ScrcpyKeeper
let dataDir: string
const progress = () => Progress.for(60_000)

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'phonerack-scrcpy-'))
  phone = await startTestPhone()
  server = await startAdbServer({ bin: 'adb', dataDir, log })
  await server.client.connect(phone.serial, progress())
  transport = transportTo(server.client, phone.serial)
  keeper = createScrcpyKeeper(transport, await readJar(await jarPath()), log)
  await keeper.start(progress())
})
afterAll(async () => {
  keeper.stop()
  expect(phone.faults).toEqual([])
  await server.stop()
  await phone.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const tree = () => createUi(transport, 'uiautomator-tty', () => undefined).source(progress())
const apps = () => createApps(transport, createWindows(transport))
const front = async () => (await createWindows(transport).read(progress())).package

/** Opens a text field and focuses it. */
async function focusField(): Promise<void> {
  await apps().forceStop('com.phonerack.notes', progress())
  await apps().open('com.phonerack.notes', null, progress())
  const center = (xml: string, pattern: RegExp) => {
    const node = xml.match(/<node [^>]*>/g)?.find((text) => pattern.test(text)) ?? ''
    const bounds = /bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"/.exec(node)?.slice(1).map(Number)
    const [left = 0, top = 0, right = 0, bottom = 0] = bounds ?? []
    return bounds ? { x: (left + right) / 2, y: (top + bottom) / 2 } : null
  }
  const list = await tree()
  const field = center(list, /EditText/)
  const add = center(list, /content-desc="[^"]*([Nn]ew|[Aa]dd)[^"]*"/)
  const input = createScrcpyInput(keeper)
  const first = field ?? add
  if (!first) throw new Error('the notes app looks different')
  await input.gesture([{ points: [{ ...first, atMs: 0 }] }], progress())
  if (!field) {
    await until(async () => (await tree()).includes('EditText'))
    const opened = center(await tree(), /EditText/)
    if (opened) await input.gesture([{ points: [{ ...opened, atMs: 0 }] }], progress())
  }
  await until(async () => /EditText[^>]*focused="true"/.test(await tree()))
}

describe('the scrcpy server', () => {
  it('is pushed once, by its hash', async () => {
    const sent = () => phone.proxy.opened.filter((service) => service.startsWith('sync:')).length
    const before = sent()
    expect(before).toBe(1)
    await keeper.start(progress())
    expect(sent()).toBe(before)
    expect(keeper.current?.deviceName).not.toBe('')
  })

  it('restarts after it ends', async () => {
    const old = keeper.current
    old?.close()
    const next = await keeper.socket(progress())
    expect(next).not.toBe(old)
    await createScrcpyInput(keeper).key(3, 0, progress())
    await until(async () => (await front()).includes('launcher'))
  })

  it('pauses longer before each restart while it keeps dying, until it has run for 30 s', async () => {
    let now = 0
    const pauses: number[] = []
    const clock = {
      now: () => now,
      pause: (ms: number) => {
        pauses.push(ms)
        return Promise.resolve()
      },
    }
    const dying = createScrcpyKeeper(transport, await readJar(await jarPath()), log, clock)
    await dying.start(progress())
    for (const ranMs of [1, 1, 1, 31_000, 1]) {
      const control = await dying.socket(progress())
      now += ranMs
      control.close()
      await until(() => Promise.resolve(dying.current !== null && dying.current !== control), 60_000)
    }
    dying.stop()
    expect(pauses).toEqual([50, 100, 200, 50, 100])
  })

  it('ends a long press immediately when the server dies during it', async () => {
    const control = await keeper.socket(progress())
    const point = { x: 540, y: 2300 }
    const held = createScrcpyInput(keeper).gesture(
      [
        {
          points: [
            { ...point, atMs: 0 },
            { ...point, atMs: 60_000 },
          ],
        },
      ],
      Progress.for(90_000),
    )
    const failure = expect(held).rejects.toThrow(DeviceGone)
    control.close()
    await failure
    await until(() => Promise.resolve(keeper.current !== null))
  })

  it('ends a write that the phone does not read, at its deadline', async () => {
    const stuck = await startTestPhone()
    await server.client.connect(stuck.serial, progress())
    const other = createScrcpyKeeper(
      transportTo(server.client, stuck.serial),
      await readJar(await jarPath()),
      log,
    )
    try {
      const control = await other.start(progress())
      stuck.proxy.freeze()
      const text = 'x'.repeat(200_000)
      /** Sends more than all buffers on the way hold. Each message has its own deadline, so a slow machine sends them all. */
      const writing = async () => {
        for (let sent = 0; sent < 500; sent += 1)
          await control.send(setClipboardMessage(1n, false, text), Progress.for(500))
      }
      const ended = writing().catch((error: unknown) => error)
      const late = delay(20_000, 'it is still sending', { ref: false })
      expect(await Promise.race([ended, late])).toBeInstanceOf(DeadlineExceeded)
      expect(control.closed).toBe(true)
    } finally {
      other.stop()
      await stuck.stop()
    }
  })

  it('sets and reads the clipboard, and reports an empty one as empty', async () => {
    const control = await keeper.socket(progress())
    await control.setClipboard('mine, 漢字', false, progress())
    expect(await control.getClipboard(progress())).toBe('mine, 漢字')
  })

  it('types through the clipboard and restores it', async () => {
    await focusField()
    const control = await keeper.socket(progress())
    await control.setClipboard('mine', false, progress())
    const sent = await createPasteText(keeper, log).send('Zoë 漢字 😀', null, progress())
    await until(async () => (await tree()).includes('Zoë 漢字 😀'))
    await sent.release()
    expect(await control.getClipboard(progress())).toBe('mine')
  })

  it('types ASCII by keys without touching the clipboard', async () => {
    await focusField()
    const control = await keeper.socket(progress())
    await control.setClipboard('mine', false, progress())
    const keys = createKeyText(keeper, 300)
    expect([keys.accepts('é'), keys.accepts('a'.repeat(301)), keys.accepts('a'.repeat(300))]).toEqual([
      false,
      false,
      true,
    ])
    await keys.send('it is 100%s $HOME "ok"', null, progress())
    await until(async () => (await tree()).includes('it is 100%s $HOME &quot;ok&quot;'))
    expect(await control.getClipboard(progress())).toBe('mine')
  })
})

describe('fallback without scrcpy', () => {
  it('taps, swipes, presses keys and types', async () => {
    await focusField()
    await createCommandText(transport, false).send(`plain %s text; $(id) 'q'`, null, progress())
    expect(await tree()).toContain(`plain %s text; $(id) 'q'`)
    const input = createCommandInput(transport)
    await input.key(3, 0, progress())
    await until(async () => (await front()).includes('launcher'))
    await input.gesture(
      [
        {
          points: [
            { x: 500, y: 1000, atMs: 0 },
            { x: 500, y: 400, atMs: 200 },
          ],
        },
      ],
      progress(),
    )
    await input.gesture([{ points: [{ x: 500, y: 30, atMs: 0 }] }], progress())
    await input.gesture(
      [
        {
          points: [
            { x: 500, y: 900, atMs: 0 },
            { x: 500, y: 900, atMs: 600 },
          ],
        },
      ],
      progress(),
    )
  })

  it('refuses what it does not support', async () => {
    const input = createCommandInput(transport)
    const finger = { points: [{ x: 1, y: 1, atMs: 0 }] }
    await expect(input.gesture([finger, finger], progress())).rejects.toMatchObject({
      code: 'feature_unavailable',
    })
    const accepts = (newlines: boolean, text: string) => createCommandText(transport, newlines).accepts(text)
    expect([
      accepts(true, '漢'),
      accepts(true, 'a\nb'),
      accepts(false, 'a\nb'),
      accepts(false, 'a b'),
    ]).toEqual([false, true, false, true])
  })
})

describe('apps', () => {
  it('are opened and closed, and reported when missing', async () => {
    await apps().open('com.android.settings', null, progress())
    expect(await front()).toBe('com.android.settings')
    await apps().openUrl("http://127.0.0.1/?q='$(id)'&x=1", progress())
    await expect(apps().open('com.nobody.here', null, progress())).rejects.toMatchObject({
      code: 'app_not_found',
    })
    await expect(apps().open('com.android.settings', '.Nowhere', progress())).rejects.toMatchObject({
      code: 'app_not_found',
      message: '`com.android.settings` has no activity `.Nowhere`.',
      next: expect.stringContaining('Omit `activity`') as string,
      details: { package: 'com.android.settings', activity: '.Nowhere' },
    })
    await expect(apps().forceStop('com.nobody.here', progress())).rejects.toMatchObject({
      code: 'app_not_found',
    })
    expect(await apps().installed('com.android.settings', progress())).toBe(true)
  })

  it("do not include the agent's own", async () => {
    await installPart(transport, settingsApp, progress())
    const notFound = { code: 'app_not_found', details: { package: settingsApp.package } }
    const before = await front()
    expect(await apps().installed(settingsApp.package, progress())).toBe(false)
    await expect(apps().open(settingsApp.package, null, progress())).rejects.toMatchObject(notFound)
    await expect(apps().open(settingsApp.package, '.Settings', progress())).rejects.toMatchObject(notFound)
    await expect(apps().forceStop(settingsApp.package, progress())).rejects.toMatchObject(notFound)
    expect(await front()).toBe(before)
    expect((await transport.shell(command('false'), progress())).exitCode).toBe(1)
  })
})
