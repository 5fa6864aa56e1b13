/** Two people watch a virtual phone, and the connection of one person is too slow. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLiveClient, type LiveClient, type LiveView } from '../../testing/live-client.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'
import { until } from '../../testing/until.js'
import { decode } from '../../testing/viewer.js'

/** Milliseconds: encoders start slowly on a loaded machine. */
const patience = 30_000
let both: PhoneAndHost
let live: LiveClient

beforeAll(async () => {
  both = await startPhoneAndHost({ without: ['ui-server'] })
  await untilLink(both.host, both.phone.serial, 'unenrolled')
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 150_000)
  await phone().start()
  live = await createLiveClient(both.host)
})
afterAll(async () => {
  live.close()
  await both.stop()
})

const phone = () => session(both.host.control, both.phone.serial, 2n)
const inside = () => both.phone.inside

async function watching(): Promise<LiveView> {
  const view = live.open(phone().assignment, true)
  await until(() => view.keyFrames >= 1 || view.end !== null, patience, 'a key frame')
  expect(view.end).toBeNull()
  return view
}

const bytesOf = ({ frames }: LiveView) => frames.reduce((sum, { data }) => sum + data.length, 0)

const lastTime = ({ frames }: LiveView) => frames.at(-1)?.ptsUs ?? 0n

it('a live view does not wait for a slow view, which loses frames and then gets complete pictures again', async () => {
  const [quick, slow] = [await watching(), await watching()]
  inside().faults.neverIdle(true)
  await until(() => slow.frames.length > 5, patience, 'moving pictures')
  slow.pause()
  // More frames than all buffers to the slow viewer hold, and then frames older than its queue allows.
  const enough = bytesOf(quick) + 512 * 1024
  await phone().run([{ type: 'open_app', package: 'com.android.contacts' }])
  let vertical = 3
  const scroll = () => {
    vertical = -vertical
    quick.send({ $case: 'scroll', value: { x: 0.5, y: 0.5, horizontal: 0, vertical } })
    return bytesOf(quick) > enough
  }
  await until(scroll, patience, 'many pictures for the quick one')
  const full = lastTime(quick)
  await until(() => lastTime(quick) - full > 2_000_000n, patience, 'two more seconds for the quick one')
  const lost = slow.frames.length
  const keys = slow.keyFrames
  slow.resume()
  await until(() => slow.keyFrames > keys, patience, 'a key frame for the slow one')
  inside().faults.neverIdle(false)
  expect(slow.frames.length).toBeGreaterThan(lost)
  expect(slow.frames.length).toBeLessThan(quick.frames.length)
  // The slow viewer's frames decode from their last key frame on, without errors.
  const from = slow.frames.findLastIndex(({ isKeyFrame }) => isKeyFrame)
  const config = slow.seen.at(-1)?.config
  if (!config) throw new Error('no config')
  const frames = slow.frames.slice(from).map(({ data }) => data)
  const pictures = await decode(Buffer.concat([config.parameterSets, ...frames]), config)
  expect(pictures.length).toBe(frames.length)
  await Promise.all([quick.leave(), slow.leave()])
})
