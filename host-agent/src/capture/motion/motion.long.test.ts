/** The signal of a virtual phone's screen through the real adb server. */
import { createLogger, DeadlineExceeded, ownNow, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Device } from '../../adb/device/device.js'
import type { Drawings } from '../../adb/device/motion.js'
import { command } from '../../adb/quote.js'
import { jarPath } from '../../testing/jar.js'
import { Looks } from '../../screen/looks.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { simulatedPhone } from '../../testing/simulated-phone.js'
import { until } from '../../testing/until.js'
import { Viewer } from '../../testing/viewer.js'
import { createCaptureHub, type CaptureHub } from '../hub.js'
import { readJar } from '../scrcpy/jar.js'
import { createMotion, type MotionKeeper } from './motion.js'
import { proveMotion } from './prove.js'

const log = createLogger('test')
log.level = process.env['LOG_LEVEL'] ?? 'silent'
/** Milliseconds: encoders start slowly on a loaded machine. */
const patience = 30_000
const lingerMs = 60_000
let plugged: PluggedIn
let motion: MotionKeeper
let hub: CaptureHub

beforeAll(async () => {
  plugged = await plugIn()
  const jar = await readJar(await jarPath())
  motion = createMotion({ transport: plugged.transport, jar, log, lingerMs })
  hub = createCaptureHub({
    transport: plugged.transport,
    jar,
    log,
    follower: motion.follower,
    changes: { linger: 100 },
  })
})
afterAll(async () => {
  hub.stop('the test is over')
  motion.stop()
  await plugged.stop()
})

const shell = (...words: string[]) => plugged.transport.shell(command(...words), Progress.for(patience))
const servers = () => plugged.phone.inside.state().scrcpyServers
const signal = async (): Promise<Drawings> => {
  await until(() => motion.read() !== null, patience, 'a signal')
  return motion.read() ?? expect.unreachable()
}
const drawnAfter = async (at: number): Promise<void> => {
  await until(() => (motion.read()?.drawnAt ?? -Infinity) > at, patience, 'a drawing')
}

describe('motion', { concurrent: false }, () => {
  it('knows nothing before an agent acts', () => {
    expect([motion.read(), servers()]).toEqual([null, 0])
  })

  it('sees a drawing, and none on a still screen', async () => {
    motion.act()
    const { knownSince } = await signal()
    await Progress.for(patience).sleep(500)
    expect(motion.read()).toEqual({ knownSince, drawnAt: -Infinity })
    const before = ownNow()
    await shell('cmd', 'statusbar', 'expand-notifications')
    await drawnAfter(before)
    expect(motion.read()?.knownSince).toBe(knownSince)
    expect(servers()).toBe(1)
  })

  it('wakes a caller at a drawing', async () => {
    await Progress.for(patience).sleep(300)
    const before = ownNow()
    const woken = motion.next(20_000, Progress.for(patience), 'a drawing')
    await shell('cmd', 'statusbar', 'collapse')
    await woken
    expect(ownNow() - before).toBeLessThan(20_000)
    expect(motion.read()?.drawnAt).toBeGreaterThanOrEqual(before)
  })

  it('uses the video of a viewer instead of a second video, and ignores its repeats', async () => {
    const before = await signal()
    const viewer = new Viewer()
    const watched = await hub.subscribe(viewer, Progress.for(patience))
    await until(() => servers() === 1, patience, 'the end of the motion video')
    const during = await signal()
    expect(during.knownSince).toBeGreaterThan(before.knownSince)
    const asked = ownNow()
    await shell('cmd', 'statusbar', 'expand-notifications')
    await drawnAfter(asked)
    const packets = viewer.packets.length
    await Progress.for(patience).sleep(300)
    const drawnAt = motion.read()?.drawnAt
    await Progress.for(patience).sleep(1500)
    expect(motion.read()).toEqual({ knownSince: during.knownSince, drawnAt })
    expect(viewer.packets.length).toBeGreaterThan(packets + 3)

    // A requested key frame says nothing about drawings.
    watched.requestKeyFrame()
    await until(() => (motion.read()?.knownSince ?? 0) > during.knownSince, patience, 'a new encoder')
    expect(motion.read()?.drawnAt).toBe(-Infinity)

    const { knownSince } = await signal()
    watched.close()
    await until(() => (motion.read()?.knownSince ?? 0) > knownSince, patience, 'a motion video again')
    expect(servers()).toBe(1)
    await shell('cmd', 'statusbar', 'collapse')
    await drawnAfter(asked)
  })

  it('is proved by a drawing that the agent causes, and not without it', async () => {
    const within = () => Progress.for(patience)
    const panel = {
      expand: () => shell('cmd', 'statusbar', 'expand-notifications').then(() => undefined),
      collapse: () => shell('cmd', 'statusbar', 'collapse').then(() => undefined),
    }
    await expect(proveMotion(motion, panel, within())).resolves.toMatch(
      /^a signal after \d+ ms, \d+ drawings/,
    )
    await until(() => ownNow() - (motion.read()?.drawnAt ?? 0) > 2000, patience, 'a still screen')
    const broken = { ...panel, expand: () => Promise.resolve() }
    await expect(proveMotion(motion, broken, within())).rejects.toThrow('did not show')
  })

  it('loses the signal with its video, and starts another video', async () => {
    const { knownSince } = await signal()
    expect(plugged.phone.inside.faults.killScrcpy()).toBe(1)
    await until(() => (motion.read()?.knownSince ?? 0) > knownSince, patience, 'another signal')
  })

  it('wakes a caller that waits for a screen to settle when its video dies, for the rest of the fixed time', async () => {
    await signal()
    const looks = new Looks()
    const beganAt = ownNow()
    // So late that a busy machine cannot use up the fixed time.
    looks.wrote({ kind: 'touch', beganAt, endedAt: beganAt + patience })
    const stop = new AbortController()
    const progress = Progress.for(2 * patience, stop.signal)
    const sleep = vi.spyOn(progress, 'sleep')
    const device: Device = { ...simulatedPhone([]).device, motion }
    const settled = looks.settle(device, progress)
    expect(sleep).not.toHaveBeenCalled()
    plugged.phone.inside.faults.killScrcpy()
    await until(() => sleep.mock.calls.length === 1, patience, 'the fixed time')
    stop.abort()
    await expect(settled).rejects.toThrow(DeadlineExceeded)
  })

  it('ends some time after the last action', async () => {
    const other = createMotion({
      transport: plugged.transport,
      jar: await readJar(await jarPath()),
      log,
      lingerMs: 200,
    })
    motion.stop()
    expect(motion.read()).toBeNull()
    await until(() => servers() === 0, patience, 'no video')
    other.act()
    await until(() => servers() === 1, patience, 'a video')
    await until(() => servers() === 0, patience, 'no video')
    expect(other.read()).toBeNull()
    other.stop()
  })
})
