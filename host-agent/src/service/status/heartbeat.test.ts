/** Heartbeats over a real broker, which disconnects and returns. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createLogger, heartbeatSchema, openBus, subjects, type Bus, type Heartbeat } from '@phonerack/shared'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { freePort } from '@phonerack/launcher/ports'
import { until } from '../../testing/until.js'
import { openEpoch } from './epoch.js'
import { startHeartbeats, type Heartbeats } from './heartbeat.js'

const log = createLogger('test')
log.level = 'silent'
const agent = { hostId: 'hst_abcdefghijkl', joinId: null }
const rejoined = { ...agent, joinId: 'join_abcdefghijkl' }
const refusal = { kind: 'disk_full' as const, reason: 'The disk is full.' }
const dir = mkdtempSync(join(tmpdir(), 'phonerack-heartbeat-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
let broker: ChildProcess | null = null
let beats: Heartbeats | null = null
let bus: Bus | null = null

const startBroker = (port: number) => {
  broker = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
}
const stopBroker = async () => {
  const ended = broker
  broker = null
  if (!ended || ended.exitCode !== null) return
  ended.kill('SIGKILL')
  await new Promise((resolve) => ended.once('exit', resolve))
}
afterEach(async () => {
  await beats?.stop()
  await bus?.close()
  await stopBroker()
})

describe('heartbeats', () => {
  it('are sent on start, on a change, on request, every two seconds, and after the broker returns', async () => {
    const port = await freePort()
    startBroker(port)
    bus = await openBus({ url: `127.0.0.1:${port}`, name: 'test', waitMs: 30_000 })
    const seen: Heartbeat[] = []
    bus.subscribe(subjects.heartbeat(agent), (message) => seen.push(heartbeatSchema.parse(message)))
    beats = startHeartbeats({
      problem: 'no scrcpy server',
      refuses: () => refusal,
      certificate: () => 'AB:CD',
      ...agent,
      version: '1',
      address: '127.0.0.1:1',
      natsUrl: `127.0.0.1:${port}`,
      creds: '',
      devices: () => [],
      epoch: openEpoch(join(dir, 'epoch.json')),
      log,
    })
    await until(() => seen.length === 1)
    expect(seen[0]?.problem).toBe('no scrcpy server')
    expect(seen[0]?.refuses).toEqual(refusal)
    // Many concurrent changes are sent in one message.
    for (let change = 0; change < 5; change += 1) beats.changed()
    await until(() => seen.length === 2)
    bus.publish(subjects.announce(agent), {})
    await until(() => seen.length >= 3)
    const count = seen.length
    await until(() => seen.length > count)
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index + 1))
    await stopBroker()
    const before = seen.length
    beats.changed()
    startBroker(port)
    await until(() => seen.length > before)
    expect(seen.at(-1)?.sequence).toBeGreaterThan(before)
  })

  it('name the newest announced epoch immediately, also after a restart', async () => {
    const port = await freePort()
    startBroker(port)
    bus = await openBus({ url: `127.0.0.1:${port}`, name: 'test', waitMs: 30_000 })
    const seen: Heartbeat[] = []
    bus.subscribe(subjects.heartbeat(rejoined), (message) => seen.push(heartbeatSchema.parse(message)))
    const path = join(dir, 'announced.json')
    const start = () =>
      startHeartbeats({
        problem: null,
        refuses: () => null,
        certificate: () => 'AB:CD',
        ...rejoined,
        version: '1',
        address: '127.0.0.1:1',
        natsUrl: `127.0.0.1:${port}`,
        creds: '',
        devices: () => [],
        epoch: openEpoch(path),
        log,
      })
    beats = start()
    await until(() => seen.length > 0)
    expect(seen.at(-1)?.epoch).toBeNull()
    const known = bus
    // An announcement without a valid epoch changes nothing.
    for (const message of [{}, { epoch: 5 }, 'x']) known.publish(subjects.announce(rejoined), message)
    await until(() => seen.length >= 4)
    expect(seen.at(-1)?.epoch).toBeNull()
    known.publish(subjects.announce(rejoined), { epoch: 'one' })
    await until(() => seen.at(-1)?.epoch === 'one')
    await beats.stop()
    seen.length = 0
    beats = start()
    await until(() => seen.length > 0)
    expect(seen[0]?.epoch).toBe('one')
  })

  it('continue after a heartbeat that is too large for the broker', async () => {
    const port = await freePort()
    startBroker(port)
    bus = await openBus({ url: `127.0.0.1:${port}`, name: 'test', waitMs: 30_000 })
    const seen: Heartbeat[] = []
    bus.subscribe(subjects.heartbeat(agent), (message) => seen.push(heartbeatSchema.parse(message)))
    let asked = 0
    let problem = 'x'.repeat(2 << 20)
    beats = startHeartbeats({
      get problem() {
        asked += 1
        return problem
      },
      refuses: () => null,
      certificate: () => 'AB:CD',
      ...agent,
      version: '1',
      address: '127.0.0.1:1',
      natsUrl: `127.0.0.1:${port}`,
      creds: '',
      devices: () => [],
      epoch: openEpoch(join(dir, 'large.json')),
      log,
    })
    // The first heartbeat is sent when the broker is connected, and a timer sends the others.
    await until(() => asked > 2)
    expect(seen).toEqual([])
    problem = 'small'
    await until(() => seen.length > 0)
    expect(seen[0]?.problem).toBe('small')
  })

  it('start when the broker starts later than the agent', async () => {
    const port = await freePort()
    beats = startHeartbeats({
      problem: null,
      refuses: () => null,
      certificate: () => 'AB:CD',
      ...agent,
      version: '1',
      address: '127.0.0.1:1',
      natsUrl: `127.0.0.1:${port}`,
      creds: '',
      devices: () => [],
      epoch: openEpoch(join(dir, 'epoch.json')),
      log,
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    startBroker(port)
    bus = await openBus({ url: `127.0.0.1:${port}`, name: 'test', waitMs: 30_000 })
    let seen = 0
    bus.subscribe(subjects.heartbeat(agent), () => (seen += 1))
    await until(() => seen > 0)
  })
})
