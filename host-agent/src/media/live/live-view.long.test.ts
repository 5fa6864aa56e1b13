/**
 * People watch and touch a virtual phone: the whole agent, real gRPC with mutual TLS, a
 * real adb server.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CallFailed } from '../../testing/client.js'
import { createLiveClient, type LiveClient, type LiveView } from '../../testing/live-client.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'
import { until } from '../../testing/until.js'
import { decode } from '../../testing/viewer.js'

/** Milliseconds; encoders start slowly on a loaded machine. */
const patience = 30_000
const keyCodes = { a: 29, enter: 66 }
const notes = 'com.phonerack.notes'
const trouble = 'com.phonerack.trouble'
let both: PhoneAndHost
let live: LiveClient | undefined
let fencingNumber = 2n

beforeAll(async () => {
  // The agent keeps the phone's answer about the window for a second.
  both = await startPhoneAndHost({ times: { videoLinger: 300, secureWindow: 1100 } })
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 150_000)
  await phone().start()
  live = await createLiveClient(both.host)
})
afterAll(async () => {
  live?.close()
  await both.stop()
})

const phone = () => session(both.host.control, both.phone.serial, fencingNumber)
const inside = () => both.phone.inside
const client = (): LiveClient => {
  if (!live) throw new Error('the test did not begin')
  return live
}
const open = (control = true) => client().open(phone().assignment, control)

const untilKeyFrames = (view: LiveView, count: number) =>
  until(() => view.keyFrames >= count || view.end !== null, patience, `${count} key frames`)

async function watching(control = true): Promise<LiveView> {
  const view = open(control)
  await untilKeyFrames(view, 1)
  expect(view.end).toBeNull()
  return view
}

/** A loaded machine occasionally misses the deadline for a tree. */
async function observed() {
  for (const until = performance.now() + patience; ;) {
    try {
      return await phone().observe()
    } catch (error) {
      if (!(error instanceof CallFailed) || performance.now() > until) throw error
    }
  }
}

/** Position of an element, as fractions of the picture. */
async function placeOf(text: string): Promise<[number, number]> {
  const { elements, screen } = await observed()
  const found = elements.find((each) => each.text === text || each.desc === text)
  if (!found) throw new Error(`no ${text} on the screen`)
  const [x, y] = found.center
  return [x / screen.width, y / screen.height]
}

const textsOf = async () => (await observed()).elements.flatMap(({ text }) => (text ? [text] : []))
const untilText = (text: string) =>
  until(async () => (await textsOf()).some((each) => each.includes(text)), patience, `"${text}"`)
const openApp = async (name: string) => {
  await phone().run([{ type: 'open_app', package: name }])
}

describe('live view', () => {
  it("begins with config and key frame, reports the phone's state, and ends when the viewer leaves", async () => {
    await phone().run([{ type: 'home' }])
    const view = await watching()
    const [first] = view.seen
    expect(first?.config).toMatchObject({ width: 576, height: 1280 })
    expect(first?.frames[0]?.isKeyFrame).toBe(true)
    if (!first) throw new Error('no config')
    const frames = first.frames.map(({ data }) => data)
    const pictures = await decode(Buffer.concat([first.config.parameterSets, ...frames]), first.config)
    expect(pictures.length).toBe(frames.length)
    await until(() => view.states.length > 0, patience, 'a state')
    expect(view.state).toEqual({ secure: false, trouble: '', asleep: false })
    expect(view.largestMessage).toBeLessThanOrEqual(64 * 1024)
    await view.leave()
    expect(view.end).toBe('ended')
  })

  it('forwards touch: a tap opens its target, a wheel scrolls, a swipe moves', async () => {
    const view = await watching()
    await phone().run([{ type: 'home' }])
    view.tap(...(await placeOf('Settings')))
    await until(() => inside().state().focused.package === 'com.android.settings', patience, 'Settings')
    await openApp('com.android.contacts')
    const before = (await textsOf()).join('\n')
    view.send({ $case: 'scroll', value: { x: 0.5, y: 0.5, horizontal: 0, vertical: -3 } })
    await until(async () => (await textsOf()).join('\n') !== before, patience, 'scrolled rows')
    view.touch(1, 0.5, 0.4)
    for (let y = 0.4; y < 0.95; y += 0.05) view.touch(2, 0.5, y)
    view.touch(3, 0.5, 0.95)
    await until(async () => (await textsOf()).join('\n') === before, patience, 'the top again')
    await view.leave()
  })

  it('forwards text: keys and any script, in order', async () => {
    const view = await watching()
    await openApp(notes)
    await phone().run([
      { type: 'tap', target: { desc: 'New note' } },
      { type: 'tap', target: { id: `${notes}:id/body` } },
    ])
    for (const down of [true, false])
      view.send({ $case: 'key', value: { down, keyCode: keyCodes.a, metaState: 0, repeat: 0 } })
    for (const text of ['b ', 'é', '漢', '字', ' end']) view.send({ $case: 'text', value: { text } })
    for (const down of [true, false])
      view.send({ $case: 'key', value: { down, keyCode: keyCodes.enter, metaState: 0, repeat: 0 } })
    view.send({ $case: 'text', value: { text: 'two' } })
    await untilText('ab é漢字 end\ntwo')
    await view.leave()
  })

  it('rotates, and maps touches in the rotated picture', async () => {
    const view = await watching()
    await openApp(trouble)
    view.send({ $case: 'rotate', value: {} })
    await until(() => view.seen.length === 2, patience, 'the turned picture')
    expect(view.seen[1]?.config).toMatchObject({ width: 1280, height: 576 })
    view.tap(...(await placeOf('Secure screen')))
    await untilText('Pictures of this window are black.')
    view.send({ $case: 'rotate', value: {} })
    await until(() => view.seen.length === 3, patience, 'the upright picture')
    await view.leave()
  })

  it('reports a window that forbids screenshots, and a locked phone', async () => {
    const view = await watching(false)
    await until(() => view.state?.secure === true, patience, 'the secure window')
    await phone().run([{ type: 'home' }])
    await until(() => view.state?.secure === false, patience, 'another window')
    inside().faults.lockScreen()
    await until(() => view.state?.secure === true, patience, 'the lock')
    await inside().faults.heal()
    await until(() => view.state?.secure === false, patience, 'no lock')
    await view.leave()
  })

  it('without control refuses input', async () => {
    const { touches } = inside().counters()
    const view = await watching(false)
    view.tap(0.5, 0.5)
    await until(() => view.end !== null, patience, 'the end')
    expect(view.end).toMatchObject({ plain: { code: 'validation_failed' } })
    expect(inside().counters().touches).toBe(touches)
  })

  it('requires an opening first message, and the newest fencing number', async () => {
    const codes = []
    const unopened = client().raw()
    unopened.tap(0.5, 0.5)
    const outside = await watching()
    outside.touch(1, 1.5, 0.5)
    for (const view of [
      unopened,
      outside,
      client().open(undefined, false),
      client().open({ ...phone().assignment, fencingNumber: fencingNumber - 1n }, false),
      client().open({ ...phone().assignment, serial: 'nobody' }, false),
    ]) {
      await until(() => view.end !== null, patience, 'the end')
      codes.push(view.end instanceof CallFailed ? view.end.plain?.code : view.end)
    }
    expect(codes).toEqual([
      'validation_failed',
      'validation_failed',
      'validation_failed',
      'phone_unavailable',
      'phone_unavailable',
    ])
  })
})

describe('several live views', () => {
  it('resume when the scrcpy servers die, and after the phone was disconnected', async () => {
    const view = await watching()
    const keys = view.keyFrames
    expect(inside().faults.killScrcpy()).toBe(2)
    await untilKeyFrames(view, keys + 1)
    await inside().faults.unplug()
    await until(() => view.state?.trouble !== '', patience, 'trouble')
    await inside().faults.replug()
    const seen = view.keyFrames
    await untilKeyFrames(view, seen + 1)
    await until(() => view.state?.trouble === '', patience, 'no trouble')
    expect(view.end).toBeNull()
    const { touches } = inside().counters()
    view.tap(0.5, 0.02)
    await until(() => inside().counters().touches === touches + 1, patience, 'a tap')
    await view.leave()
  })

  it('end with the assignment, and lift pressed fingers', async () => {
    const [one, other] = [await watching(), await watching(false)]
    const { touches } = inside().counters()
    one.touch(1, 0.5, 0.5)
    await until(() => inside().counters().touches === touches + 1, patience, 'a finger')
    fencingNumber += 1n
    await phone().park()
    for (const view of [one, other]) {
      await until(() => view.end !== null, patience, 'the end')
      expect(view.end).toMatchObject({ plain: { code: 'phone_unavailable' } })
    }
    fencingNumber += 1n
    await phone().start()
    const next = await watching()
    // If another finger were still pressed, this gesture would be a pinch.
    const place = await placeOf('Settings')
    next.tap(...place)
    await until(() => inside().state().focused.package === 'com.android.settings', patience, 'Settings')
    await next.leave()
    await until(() => inside().state().scrcpyServers === 1, patience, 'the end of the video')
  })

  it('find a prepared phone filming, until the preparation ends', async () => {
    const end = client().prepare(phone().assignment)
    await until(() => inside().state().scrcpyServers === 2, patience, 'the video')
    const view = await watching(false)
    expect(inside().state().scrcpyServers).toBe(2)
    await view.leave()
    end()
    await until(() => inside().state().scrcpyServers === 1, patience, 'the end of the video')
  })

  it('use a standby server on the phone, which ends with the assignment', async () => {
    const waiting = () => until(() => inside().state().scrcpyServers === 2, patience, 'a server that waits')
    const end = client().standBy(phone().assignment)
    await waiting()
    await inside().faults.unplug()
    await until(() => inside().state().scrcpyServers === 0, patience, 'no server')
    await inside().faults.replug()
    await waiting()
    const view = await watching(false)
    await untilKeyFrames(view, 1)
    expect(inside().state().scrcpyServers).toBe(2)
    await view.leave()
    fencingNumber += 1n
    await phone().park()
    await until(() => inside().state().scrcpyServers === 1, patience, 'the end of the server')
    fencingNumber += 1n
    await phone().start()
    expect(inside().state().scrcpyServers).toBe(1)
    end()
  })
})
