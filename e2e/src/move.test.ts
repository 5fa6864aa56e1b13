/**
 * A phone whose host is unreachable is connected to a second host: its tenant keeps the phone and its data there. The first host
 * returns, and no longer acts on the phone, although its next adb server reaches it again. Then an operator moves it back.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { killProgram, pidOf } from './system/processes.js'
import { ctl, freePort, root, startSystem, stopSystem, type System } from './system/system.js'
import {
  eventually,
  getPhone,
  newTenant,
  observe,
  readyPhone,
  sessionsOf,
  type Tenant,
} from './system/tenant.js'

let system: System
let tenant: Tenant
let stateDir: string
let second: ChildProcess | null = null
beforeAll(async () => {
  system = await startSystem({ virtualPhones: 1 })
  stateDir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-move-'))
})
afterAll(async () => {
  if (second && second.exitCode === null) {
    const ended = once(second, 'exit')
    second.kill('SIGTERM')
    await ended
  }
  await stopSystem(system)
  await rm(stateDir, { recursive: true, force: true })
})

const shown = z.object({
  ...{ id: z.string(), host_id: z.string(), host_name: z.string(), serial: z.string(), state: z.string() },
  ...{ link: z.string(), phone_id: z.string().nullable(), moving_since: z.string().nullable() },
})
type Shown = z.infer<typeof shown>
const devices = async (): Promise<Shown[]> =>
  z.object({ data: z.array(shown) }).parse(await ctl(system, 'device', 'list')).data
const until = (what: string, is: (found: Shown[]) => boolean) =>
  eventually(what, 120_000, async () => is(await devices()))

/** An agent that connects to the same phone. */
async function startSecond(serial: string): Promise<void> {
  const { token } = z.object({ token: z.string() }).parse(await ctl(system, 'host', 'token'))
  const ports = z
    .object({ nats: z.int() })
    .parse(JSON.parse(await readFile(path.join(system.dir, 'ports.json'), 'utf8')))
  second = spawn(process.execPath, [path.join(root, 'host-agent/dist/main.js')], {
    cwd: root,
    stdio: 'ignore',
    env: {
      ...{ PATH: process.env['PATH'], PHONERACK_DATA_DIR: stateDir, PHONERACK_JOIN_TOKEN: token },
      ...{ PHONERACK_CONTROL_URL: system.up.base_url, NATS_URL: `127.0.0.1:${ports.nats}` },
      ...{ PHONERACK_HOST_NAME: 'second', PHONERACK_COUNTRY: 'US', PHONERACK_ADB_CONNECT: serial },
      PHONERACK_GRPC_LISTEN: `127.0.0.1:${await freePort()}`,
      PHONERACK_METRICS_LISTEN: `127.0.0.1:${await freePort()}`,
      PHONERACK_MIN_FREE_BYTES: '1000000',
    },
  })
}

const folder = '/sdcard/Download'
const listing = z.object({ data: z.array(z.object({ name: z.string() })) })
const filesOf = async (id: string): Promise<string[]> => {
  const { body } = await tenant.agent.get(`/v1/phones/${id}/files?path=${encodeURIComponent(folder)}`)
  return listing.parse(body).data.map(({ name }) => name)
}
async function startAgain(id: string): Promise<void> {
  await eventually(
    'a start',
    60_000,
    async () => (await tenant.agent.post(`/v1/phones/${id}/start`)).status < 300,
  )
  await eventually('a ready phone', 60_000, async () => (await getPhone(tenant.agent, id)).status === 'ready')
}

test(
  'a phone keeps its tenant, its data and its ID at another host, and back',
  { timeout: 300_000 },
  async () => {
    await until('a free device', ([device]) => device?.state === 'free')
    const [before] = await devices()
    if (!before) throw new Error('no device')
    tenant = await newTenant(system)
    const { id } = await readyPhone(tenant.agent)
    const headers = { 'content-type': 'application/octet-stream' }
    const file = `/v1/phones/${id}/files?path=${encodeURIComponent(`${folder}/kept.txt`)}`
    expect((await tenant.agent.put(file, Buffer.from('kept'), { headers })).status).toBeLessThan(300)

    // The first host is unreachable. Its adb server runs on.
    const pid = await pidOf(system, 'host-agent')
    if (pid === null) throw new Error('no host agent')
    process.kill(pid, 'SIGSTOP')
    try {
      await startSecond(before.serial)
      await until('the move', (found) =>
        found.some(
          (device) => device.id === before.id && device.host_name === 'second' && device.link === 'healthy',
        ),
      )
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await until('the takeover', (found) => found.some((d) => d.id === before.id && d.moving_since === null))
    expect((await getPhone(tenant.agent, id)).status).toBe('unavailable')
    expect((await sessionsOf(tenant.agent, id))[0]).toMatchObject({ end_reason: 'unavailable' })
    await startAgain(id)
    expect(await filesOf(id)).toContain('kept.txt')

    // The first host no longer uses the phone.
    await until('the first host to forget it', (found) =>
      found.some((d) => d.host_id === before.host_id && d.state === 'unenrolled' && d.link === 'unenrolled'),
    )
    expect(await devices()).toHaveLength(2)
    expect((await devices()).find((d) => d.id === before.id)).toMatchObject({
      host_name: 'second',
      phone_id: id,
    })
    expect((await observe(tenant.agent, id)).elements.length).toBeGreaterThan(0)

    // Both hosts reach it, so an operator decides.
    await ctl(system, 'device', 'move', before.id, '--to', before.host_name)
    await until('the move back', (found) =>
      found.some(
        (d) =>
          d.id === before.id &&
          d.host_id === before.host_id &&
          d.moving_since === null &&
          d.link === 'healthy',
      ),
    )
    await startAgain(id)
    expect(await filesOf(id)).toContain('kept.txt')
    await until('the second host to forget it', (found) =>
      found.some((d) => d.host_name === 'second' && d.state === 'unenrolled' && d.link === 'unenrolled'),
    )
    expect((await tenant.agent.delete(`/v1/phones/${id}`)).status).toBeLessThan(300)
    await until('a free device', (found) => found.some((d) => d.id === before.id && d.state === 'free'))
  },
)
