/**
 * Runs a hostile host and an honest host against real processes of the control plane: `./scripts/fuzz-host`,
 * and a short run in the tests. With any message of the hostile host, no process exits, the honest host is
 * served, and clients get responses that the contract allows.
 */
import { errorTable, type Heartbeat } from '@phonerack/shared'
import { WebSocket } from 'ws'
import { unawaited } from '../../app/unhandled-errors.js'
import { protocol as liveProtocol } from '../../phone-io/live/page/wire.js'
import { withTrailer, type AgentDouble } from '../agent-double.js'
import { makeApk } from '../apk.js'
import { brokenInvariants } from '../money.js'
import { releaseHeldDevice } from '../operator.js'
import { uploadClient } from '../uploads.js'
import { createBody, eventually, type Plane, type Tenant, type World } from '../world.js'
import { hostileAddresses } from './addresses.js'
import { Chance, mangle, mangleTrailer, mutate } from './mangle.js'
import { startReplica, type ReplicaProcess } from '../replica.js'

interface FuzzReport {
  seed: number
  /** Malformed messages that were sent, by call, plus `trailer` and `heartbeat`. */
  sent: Record<string, number>
  total: number
  /** Response statuses of requests to the hostile host's phones. */
  statuses: Record<string, number>
  /** Successful requests to the honest host's phone. */
  honest: number
  breaches: string[]
}

type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; text: string }>

const hostileCountry = 'FR'
const hostileDevices = 4
/** The numbers of concurrent requests, of concurrent heartbeats, and of rounds between two phones. */
const perRound = { requests: 24, heartbeats: 10, renewals: 12 }
/** The fraction of calls that fail with a malformed trailer. */
const trailers = 0.15

export async function fuzzHosts(world: World, wanted: number, seed: number): Promise<FuzzReport> {
  const env = {
    PHONERACK_REBOOT_EVERY: '1',
    PHONERACK_RESET_EVERY: '1',
    PHONERACK_LIFECYCLE_PER_MINUTE: '1000000',
  }
  const plane = await world.start({ env: { ...env, PHONERACK_JOBS: 'on' } })
  const honest = await plane.rack(1, { country: 'US', beatMs: 500 })
  const hostile = await plane.rack(hostileDevices, { country: hostileCountry, beatMs: 500 })
  const tenant = await plane.tenant({ credit: '100000', spendLimit: '100000' })
  const replicas = [await startReplica(plane, 'fuzzed-1', env), await startReplica(plane, 'fuzzed-2', env)]
  const fuzz = new Fuzz(plane, { honest, hostile }, tenant, replicas, seed)
  try {
    return await fuzz.run(wanted)
  } finally {
    for (const replica of replicas) await replica.stop()
  }
}

class Fuzz {
  private readonly chance: Chance
  private readonly report: FuzzReport
  private isWild = false
  private turn = 0

  constructor(
    private readonly plane: Plane,
    private readonly hosts: { honest: AgentDouble; hostile: AgentDouble },
    private readonly tenant: Tenant,
    private readonly replicas: readonly ReplicaProcess[],
    seed: number,
  ) {
    this.chance = new Chance(seed)
    this.report = { seed, sent: {}, total: 0, statuses: {}, honest: 0, breaches: [] }
    const { hostile } = hosts
    hostile.onAnswer = (call, bytes) => {
      if (!this.isWild || this.chance.is(0.1)) return bytes
      this.count(call)
      return mangle(this.chance, call, bytes)
    }
    hostile.onCall = (name) => {
      if (!this.isWild || name === 'putPackageFile' || !this.chance.is(trailers)) return Promise.resolve()
      this.count('trailer')
      return Promise.reject(withTrailer(mangleTrailer(this.chance)))
    }
    hostile.onBatch = async (_request, send) => {
      if (this.isWild && this.chance.is(trailers)) {
        this.count('trailer')
        throw withTrailer(mangleTrailer(this.chance))
      }
      const resultJson = Buffer.from('{"index":0,"type":"home","ok":true,"ms":1}')
      send({ $case: 'started', value: { index: 0 } })
      send({ $case: 'finished', value: { index: 0, resultJson } })
      const resultsJson = Buffer.from(`[${resultJson.toString()}]`)
      send({ $case: 'ended', value: { observationJson: Buffer.alloc(0), resultsJson } })
      await Promise.resolve()
    }
    hostile.onWatch = (call) => {
      call.on('error', () => undefined)
      call.once('data', () => {
        const size = { width: 10, height: 20 }
        const config = { codec: 'avc1.640028', parameterSets: Buffer.alloc(20), ...size }
        for (let frames = 0; frames < 5; frames += 1) {
          call.write({ event: { $case: 'config', value: config } })
          call.write({
            event: {
              $case: 'frame',
              value: { data: Buffer.alloc(100), ptsUs: 1n, keyFrame: true, last: true },
            },
          })
          call.write({ event: { $case: 'state', value: { secure: false, trouble: '', asleep: false } } })
        }
        call.end()
      })
    }
  }

  async run(wanted: number): Promise<FuzzReport> {
    const { hostile } = this.hosts
    const kept = await this.rent('US')
    const install = await this.uploadApp()
    let phone = await this.rent(hostileCountry)
    for (let round = 0; this.report.total < wanted && this.report.breaches.length === 0; round += 1) {
      this.isWild = true
      await Promise.all(Array.from({ length: perRound.requests }, () => this.request(phone, install)))
      if (round % 5 === 0) await this.watch(phone)
      for (let count = 0; count < perRound.heartbeats; count += 1) this.heartbeat()
      this.isWild = false
      await this.serveHonestly(kept)
      hostile.beat()
      if (round % perRound.renewals === perRound.renewals - 1) phone = await this.renew(phone)
    }
    this.isWild = false
    await this.recover()
    const { db } = this.plane.app.core
    for (const what of await brokenInvariants(db)) this.breach(`invariant: ${what}`)
    return this.report
  }

  private count(what: string): void {
    this.report.sent[what] = (this.report.sent[what] ?? 0) + 1
    this.report.total += 1
    if (this.report.total % 1000 === 0) process.stdout.write(`${this.report.total} messages\n`)
  }

  private breach(what: string): void {
    this.report.breaches.push(`${what} (seed ${this.report.seed}, after ${this.report.total} messages)`)
  }

  /** Alternates between the replicas. */
  private readonly send: Send = async (method, path, body) => {
    this.turn += 1
    const replica = this.replicas[this.turn % this.replicas.length]
    if (!replica) throw new Error('no replica')
    const response = await fetch(`${replica.origin}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.tenant.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    return { status: response.status, text: await response.text() }
  }

  private async rent(country: string): Promise<string> {
    const { phones } = this.plane.app.services
    const wanted = createBody({ country, maxDuration: 10_800, idleTimeout: 3600 })
    const { phone } = await phones.create(this.tenant.caller, wanted, null)
    await eventually(async () => (await phones.get(this.tenant.caller, phone.id)).status === 'ready')
    return phone.id
  }

  private async uploadApp(): Promise<string> {
    const client = await uploadClient(this.plane, this.tenant)
    return (await client.upload(makeApk({ package: 'org.example.app' }))).id
  }

  /** Sends a request into the hostile host's phone and checks the response. */
  private async request(phone: string, upload: string): Promise<void> {
    const [method, path, body] = this.chance.pick(requests(upload))
    const { status, text } = await this.send(method, `/phones/${phone}${path}`, body)
    this.report.statuses[status] = (this.report.statuses[status] ?? 0) + 1
    const what = `${method} ${path} answered ${status} ${text.slice(0, 300)}`
    if (status < 400) return
    let code: unknown
    try {
      code = (JSON.parse(text) as { error?: { code?: unknown } }).error?.code
    } catch (error) {
      return this.breach(`${what}: ${String(error)}`)
    }
    if (typeof code !== 'string' || !Object.hasOwn(errorTable, code)) return this.breach(what)
    // This is the only 500 in the contract: no result of a batch is known.
    if (status === 500 && path !== '/actions') return this.breach(what)
    if (status === 401 || status === 402 || status === 403) this.breach(what)
  }

  /** Opens a live view, until the hostile host's malformed video ends it. */
  private async watch(phone: string): Promise<void> {
    const { status, text } = await this.send('POST', `/phones/${phone}/live`)
    if (status !== 201) return
    const token = new URL((JSON.parse(text) as { url: string }).url).hash.slice(1)
    const replica = this.chance.pick(this.replicas)
    const socket = new WebSocket(`${replica.origin.replace('http', 'ws')}/live/socket`, liveProtocol, {
      origin: replica.origin,
    })
    await new Promise<void>((resolve) => {
      const enough = setTimeout(() => socket.terminate(), 1000)
      socket.on('open', () => socket.send(JSON.stringify({ type: 'open', token })))
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(enough)
        resolve()
      })
    })
  }

  private heartbeat(): void {
    const { hostile } = this.hosts
    hostile.onHeartbeat = (message: Heartbeat) => {
      this.count('heartbeat')
      const address = this.chance.is(0.3) ? this.chance.pick(hostileAddresses) : message.address
      return asJson(mutate(this.chance, { ...message, address }))
    }
    hostile.beat()
    hostile.onHeartbeat = (message) => message
  }

  /** Checks that the honest host's phone responds and every process is alive. */
  private async serveHonestly(phone: string): Promise<void> {
    for (const replica of this.replicas) {
      const exit = replica.exit()
      if (exit !== null) return this.breach(`a process ended: ${exit}`)
      const fault = replica.errors.find((line) => !line.startsWith('{') || line.includes(unawaited))
      if (fault !== undefined) return this.breach(`the last resort was reached: ${fault.slice(0, 1000)}`)
    }
    for (const path of ['observe', 'clipboard']) {
      const { status, text } = await this.send('GET', `/phones/${phone}/${path}`)
      if (status === 200) this.report.honest += 1
      else this.breach(`the honest host's ${path} answered ${status} ${text.slice(0, 300)}`)
    }
  }

  /** Deletes the phone, with a wipe whose response is mutated, and creates another. */
  private async renew(phone: string): Promise<string> {
    const { core, services } = this.plane.app
    this.isWild = true
    await this.send('POST', `/phones/${phone}/reboot`)
    await this.send('DELETE', `/phones/${phone}`)
    const settled = async (): Promise<boolean> =>
      (await core.db.device.count({
        where: { hostId: this.hosts.hostile.hostId, state: { in: ['wiping', 'provisioning'] } },
      })) === 0
    await eventually(settled, 15_000).catch(() => undefined)
    this.isWild = false
    const held = await core.db.device.findMany({
      where: { hostId: this.hosts.hostile.hostId, state: 'quarantined' },
    })
    for (const device of held) if (device.phoneId === null) await releaseHeldDevice(core, device.id, false)
    await eventually(
      async () =>
        (await core.db.device.count({
          where: { hostId: this.hosts.hostile.hostId, state: 'free', link: 'healthy' },
        })) > 0,
      90_000,
    )
    if ((await services.phones.get(this.tenant.caller, phone)).status !== 'deleted')
      await services.phones.delete(this.tenant.caller, phone)
    return this.rent(hostileCountry)
  }

  /** Checks that valid heartbeats of the hostile host are accepted again. */
  private async recover(): Promise<void> {
    const { db } = this.plane.app.core
    const since = Date.now()
    const isHeard = async (): Promise<boolean> => {
      const host = await db.host.findUniqueOrThrow({ where: { id: this.hosts.hostile.hostId } })
      return (host.lastSeenAt?.getTime() ?? 0) > since && host.reportFault === null
    }
    await eventually(isHeard, 60_000).catch(() => this.breach('the host is not heard again'))
  }
}

/** Returns the value after the broker client's encoding. */
const asJson = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)),
  )

const requests = (upload: string): readonly [method: string, path: string, body?: unknown][] => [
  ...[
    '/observe',
    '/observe?format=text',
    '/observe?screenshot=png',
    '/screenshot',
    '/device',
    '/clipboard',
    '/location',
    '/locale',
    '/timezone',
    '/files',
    '/files/content?path=/sdcard/a',
    '/apps',
  ].map((path): [string, string] => ['GET', path]),
  ['PUT', '/clipboard', { text: 'a' }],
  ['PUT', '/location', { lat: 1, lng: 2 }],
  ['DELETE', '/location'],
  ['PUT', '/locale', { locale: 'en-US' }],
  ['PUT', '/timezone', { timezone: 'Europe/Paris' }],
  ['DELETE', '/files?path=/sdcard/a'],
  ['DELETE', '/apps/org.example.app'],
  ['POST', '/actions', { actions: [{ type: 'home' }], observe: 'none' }],
  ['POST', '/apps', { upload }],
  ['POST', '/recordings'],
]
