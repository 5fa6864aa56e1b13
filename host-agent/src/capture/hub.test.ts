/**
 * The capture of a virtual phone's screen through the real adb server: subscriptions, key frames
 * and faults.
 */
import { createLogger, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../adb/quote.js'
import { readJar, type Jar } from './scrcpy/jar.js'
import { jarPath } from '../testing/jar.js'
import { plugIn, type PluggedIn } from '../testing/plugged-in.js'
import { until } from '../testing/until.js'
import { decode, Viewer } from '../testing/viewer.js'
import type { CaptureBegin, CaptureSubscription } from '../adb/device/capture.js'
import { createCaptureHub, type CaptureHub, type CaptureTimes } from './hub.js'

const log = createLogger('test')
log.level = process.env['LOG_LEVEL'] ?? 'silent'
/** Milliseconds: encoders start slowly on a loaded machine. */
const patience = 30_000
let plugged: PluggedIn
let jar: Jar
let hub: CaptureHub
const open: CaptureSubscription[] = []

beforeAll(async () => {
  plugged = await plugIn()
  jar = await readJar(await jarPath())
  hub = hubWith({ linger: 300, keyFrames: 100, sparePause: 200 })
})
afterAll(async () => {
  for (const each of open) each.close()
  hub.stop('the test is over')
  await plugged.stop()
})

const shell = (...words: string[]) => plugged.transport.shell(command(...words), Progress.for(patience))
const servers = () => plugged.phone.inside.state().scrcpyServers

const hubWith = (changes: Partial<CaptureTimes>): CaptureHub =>
  createCaptureHub({ transport: plugged.transport, jar, log, changes })

async function watch(
  begin?: CaptureBegin,
  from = hub,
): Promise<{ viewer: Viewer; subscription: CaptureSubscription }> {
  const viewer = new Viewer()
  const subscription = await from.subscribe(viewer, Progress.for(patience), begin)
  open.push(subscription)
  return { viewer, subscription }
}

const untilKeyFrames = (viewer: Viewer, count: number) =>
  until(() => viewer.keyFrames >= count, patience, `${count} key frames`)

describe('capture', () => {
  let first: Viewer

  it('begins with the config and a key frame, and shows the screen', async () => {
    expect(servers()).toBe(0)
    first = (await watch()).viewer
    await untilKeyFrames(first, 1)
    const [config, packet] = first.got
    expect(config).toMatchObject({ codec: expect.stringMatching(/^avc1\.[0-9a-f]{6}$/) as string })
    expect(packet).toMatchObject({ isKeyFrame: true })
    const size = first.configs[0]
    expect(size).toMatchObject({ width: 576, height: 1280 })
    if (!size) throw new Error('no config')
    const [picture] = await decode(first.stream(), size)
    // The picture has more than one colour.
    expect(new Set(picture).size).toBeGreaterThan(8)
    expect(servers()).toBe(1)
  })

  it('continues with changes, with increasing timestamps', async () => {
    const before = first.packets.length
    await shell('cmd', 'statusbar', 'expand-notifications')
    await until(() => first.packets.length > before, patience, 'a picture of the change')
    await shell('cmd', 'statusbar', 'collapse')
    const times = first.packets.map(({ ptsUs }) => ptsUs)
    expect(times).toEqual(times.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(times).size).toBe(times.length)
  })

  it('gives a late subscriber a picture of a still screen, and shares the video', async () => {
    const shared = hubWith({ linger: 300 })
    const { viewer: early, subscription } = await watch(undefined, shared)
    await untilKeyFrames(early, 1)
    const running = servers()
    const late = await Promise.all([1, 2, 3].map(() => watch(undefined, shared)))
    for (const { viewer } of late) await untilKeyFrames(viewer, 1)
    for (const { viewer } of late) {
      expect(viewer.got[0]).toEqual(early.configs[0])
      expect(viewer.got[1]).toMatchObject({ isKeyFrame: true })
    }
    expect(servers()).toBe(running)
    // Requests are shared: one, or one more when the first was not answered in time. The config is
    // unchanged, so it is not sent again.
    expect(early.keyFrames).toBeLessThan(4)
    expect(early.configs).toHaveLength(1)
    for (const each of [subscription, ...late.map((one) => one.subscription)]) each.close()
    await until(() => servers() === running - 1, patience, 'the end of the shared video')
  })

  it("gives a subscriber to the last picture the still screen's last frame without asking the phone", async () => {
    const { viewer: other, subscription: still } = await watch()
    await untilKeyFrames(other, 1)
    const before = first.keyFrames
    const { viewer, subscription } = await watch('last')
    // Available immediately.
    const [config, ...packets] = viewer.got
    expect(config).toEqual(first.configs.at(-1))
    const at = first.packets.findLastIndex(({ isKeyFrame }) => isKeyFrame)
    expect(packets).toEqual(first.packets.slice(at))
    expect(first.keyFrames).toBe(before)
    const size = first.configs.at(-1)
    if (!size) throw new Error('no config')
    expect(await decode(viewer.stream(), size)).toHaveLength(packets.length)
    // The stream continues after the cached frames.
    subscription.requestKeyFrame()
    await untilKeyFrames(viewer, 2)
    for (const each of [subscription, still]) each.close()
  })

  it('gives a key frame on request, and shares it among requests that come soon', async () => {
    const { viewer, subscription } = await watch()
    await untilKeyFrames(viewer, 1)
    const startedAt = performance.now()
    for (let i = 0; i < 50; i += 1) subscription.requestKeyFrame()
    await untilKeyFrames(viewer, 2)
    for (let i = 0; i < 50; i += 1) subscription.requestKeyFrame()
    await untilKeyFrames(viewer, 3)
    // The second key frame came at least the pause after the first.
    expect(performance.now() - startedAt).toBeGreaterThan(90)
    subscription.close()
  })

  it('keeps the other subscribers when one throws', async () => {
    const broken = new Viewer()
    broken.onPacket = () => {
      throw new Error('a bug')
    }
    open.push(await hub.subscribe(broken, Progress.for(patience)))
    const before = first.keyFrames
    await untilKeyFrames(first, before + 1)
    const { length } = broken.got
    const { viewer } = await watch()
    await untilKeyFrames(viewer, 1)
    expect(broken.got).toHaveLength(length)
  })

  it('sends a new config and then a key frame when the screen rotates', async () => {
    await shell('cmd', 'window', 'user-rotation', 'lock', '1')
    await until(() => first.configs.length === 2, patience, 'the turned picture')
    const [, turned] = first.configs
    expect(turned).toMatchObject({ width: 1280, height: 576 })
    if (!turned) throw new Error('no config')
    const behind = first.got.indexOf(turned) + 1
    await until(() => first.got.length > behind, patience, 'a picture')
    expect(first.got[behind]).toMatchObject({ isKeyFrame: true })
    expect((await decode(first.stream(1), turned)).length).toBeGreaterThan(0)
    await shell('cmd', 'window', 'user-rotation', 'lock', '0')
    await until(() => first.configs.length === 3, patience, 'the upright picture')
  })

  it('recovers from the death of its server', async () => {
    const before = first.keyFrames
    const last = first.packets.at(-1)?.ptsUs ?? 0n
    expect(plugged.phone.inside.faults.killScrcpy()).toBe(1)
    await untilKeyFrames(first, before + 1)
    expect(first.end).toBeNull()
    expect(first.packets.at(-1)?.ptsUs).toBeGreaterThan(last)
    expect(servers()).toBe(1)
  })

  it('ends on the phone after the last subscriber leaves, and starts again', async () => {
    for (const each of open.splice(0)) each.close()
    await until(() => servers() === 0, patience, 'the end of the video')
    const after = first.got.length
    const { viewer } = await watch('last')
    await untilKeyFrames(viewer, 1)
    expect(viewer.got[1]).toMatchObject({ isKeyFrame: true })
    expect(first.got).toHaveLength(after)
  })

  it('notifies all subscribers when the phone is unplugged, and refuses new subscribers', async () => {
    const unplugged = hubWith({ linger: 300, restart: 500 })
    const { viewer } = await watch(undefined, unplugged)
    await untilKeyFrames(viewer, 1)
    await plugged.phone.inside.faults.unplug()
    await until(() => viewer.end !== null, patience, 'the end')
    expect(viewer.got.at(-1)).toBe(viewer.end)
    await expect(unplugged.subscribe(new Viewer(), Progress.for(5000))).rejects.toThrow('unreachable')
    await plugged.phone.inside.faults.replug()
    await plugged.reconnect()
    const { viewer: next, subscription } = await watch(undefined, unplugged)
    await untilKeyFrames(next, 1)
    subscription.close()
  })

  it('notifies all subscribers when it is stopped', async () => {
    const { viewer } = await watch()
    await untilKeyFrames(viewer, 1)
    hub.stop('enough')
    expect(viewer.end).toBe('enough')
    await until(() => servers() === 0, patience, 'the end of the video')
  })
})

describe('capture with a standby server', () => {
  const control = new AbortController()
  let standing: Promise<void>

  async function server(): Promise<string> {
    await until(() => servers() === 1, patience, 'one server')
    return (await shell('pidof', 'app_process')).stdout.toString('utf8').trim()
  }

  const another = (than: string) =>
    until(async () => !['', than].includes(await server()), patience, 'another server')

  it('keeps a server waiting on the phone, which films for the first subscriber', async () => {
    standing = hub.standBy(Progress.for(600_000, control.signal))
    const waiting = await server()
    const { viewer } = await watch()
    await untilKeyFrames(viewer, 1)
    expect(await server()).toBe(waiting)
  })

  it('starts another standby server after the last subscriber leaves', async () => {
    const filming = await server()
    for (const each of open.splice(0)) each.close()
    await another(filming)
  })

  it('restarts a standby server that dies, after a pause', async () => {
    const startedAt = performance.now()
    const died = await server()
    expect(plugged.phone.inside.faults.killScrcpy()).toBe(1)
    await another(died)
    expect(performance.now() - startedAt).toBeGreaterThan(180)
  })

  it('shows the screen even when the standby server is gone', async () => {
    await server()
    plugged.phone.inside.faults.killScrcpy()
    const { viewer } = await watch()
    await untilKeyFrames(viewer, 1)
    expect(viewer.end).toBeNull()
    await server()
  })

  it('ends the standby server when nobody wants it any more', async () => {
    const other = new AbortController()
    const longer = hub.standBy(Progress.for(600_000, other.signal))
    for (const each of open.splice(0)) each.close()
    control.abort()
    await standing
    await server()
    other.abort()
    await longer
    await until(() => servers() === 0, patience, 'the end of the server')
  })

  it('ends the standby server for all when it is stopped, and starts no other', async () => {
    const both = [hub.standBy(Progress.for(600_000)), hub.standBy(Progress.for(600_000))]
    await server()
    plugged.phone.inside.faults.killScrcpy()
    hub.stop('enough')
    await Promise.all(both)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(servers()).toBe(0)
  })
})
