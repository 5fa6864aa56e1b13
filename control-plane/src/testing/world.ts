/**
 * The control plane in a test: real Postgres, real nats-server (`servers.ts`), the real app and
 * HTTP server (through `inject`), and agent doubles. One world per test file; one database per app.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { ApiError, createLogger, hashSecret, newSecret, type Clock, type Logger } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { startApp } from '../app/app.js'
import { type App } from '../app/types.js'
import { readConfig, type Config } from '../base/config/config.js'
import { buildOperatorServer } from '../api/server/operator-server.js'
import { buildServer } from '../api/server/server.js'
import { startAgentDouble, type AgentDouble, type DoubleOptions } from './agent-double.js'
import { brokerOf, templateDatabase, type TestServers } from './servers.js'
import { makeDue } from './jobs-by-hand.js'
import { changeProject, createKey, createProject, enrollDevice } from './operator.js'
import { type Caller, type Preset } from '../base/core/caller.js'
import { type CreatePhone } from '../rental/phones/types.js'

export interface World {
  /** The folder of this world. */
  dir: string
  /**
   * Starts a control plane on a new database, or, with `beside`, another replica on the database of a running
   * control plane.
   */
  start(options?: StartOptions): Promise<Plane>
  stop(): Promise<void>
}

export interface StartOptions {
  env?: Record<string, string>
  /** Replaces Postgres's time. */
  clock?: Clock
  machineClock?: Clock
  beside?: Plane
  /** `Core.pace`: a value below 1 shortens the pauses between polls and before retries. */
  pace?: number
  /** The log; omitted: silent, or as in `LOG_LEVEL`. */
  log?: Logger
  replicaId?: string
}

export interface Plane {
  app: App
  /** The public listener. */
  server: FastifyInstance
  /** The operator's listener. */
  operator: FastifyInstance
  config: Config
  operatorToken: string
  agent(name: string, options?: AgentOptions): Promise<AgentDouble>
  /** Starts an agent with `count` enrolled, free devices. */
  rack(count: number, options?: AgentOptions): Promise<AgentDouble>
  /** Creates a funded project and a key of the project. */
  tenant(options?: TenantOptions): Promise<Tenant>
  close(): Promise<void>
}

type AgentOptions = Pick<DoubleOptions, 'country' | 'beatMs' | 'protocolVersion' | 'rejoins' | 'canRejoin'>

export interface TenantOptions {
  credit?: string
  spendLimit?: string
  maxPhones?: number
  maxRunning?: number
  owner?: string
  preset?: Preset
}

export interface Tenant {
  projectId: string
  key: string
  caller: Caller
}

/** The world of a test file, which stops after the file's tests and other hooks. */
export function useWorld(): World {
  const world = startWorld()
  afterAll(() => world.stop())
  return world
}

export function startWorld(): World {
  const testServers = inject('testServers')
  const dir = mkdtempSync(path.join(testServers.dir, 'world-'))
  const planes: Plane[] = []
  let started = 0
  return {
    dir,
    async start(options = {}) {
      // Tests may start several control planes at the same time.
      const id = String((started += 1))
      const databaseUrl = options.beside?.config.databaseUrl ?? (await newDatabase(testServers.postgresUrl))
      const plane = await startPlane({ dir, databaseUrl, testServers, id, ...options })
      planes.push(plane)
      return plane
    },
    async stop() {
      for (const plane of planes) await plane.close()
    },
  }
}

/** Creates a database as a copy of the migrated template. */
export async function newDatabase(postgresUrl: string): Promise<string> {
  const name = `plane_${randomBytes(6).toString('hex')}`
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  try {
    await client.query(`create database ${name} template ${templateDatabase}`)
  } finally {
    await client.end()
  }
  const url = new URL(postgresUrl)
  url.pathname = `/${name}`
  return url.href
}

interface PlaneOptions extends StartOptions {
  dir: string
  databaseUrl: string
  testServers: TestServers
  id: string
}

function quietLogger(): Logger {
  const log = createLogger('control-plane-test')
  log.level = process.env['LOG_LEVEL'] ?? 'silent'
  return log
}

async function startPlane(options: PlaneOptions): Promise<Plane> {
  const operatorToken = options.beside?.operatorToken ?? newSecret('operator')
  const broker = brokerOf(options.testServers)
  const config = readConfig({
    DATABASE_URL: options.databaseUrl,
    NATS_URL: broker.url,
    NATS_CREDS_FILE: broker.credsFile,
    NATS_ACCOUNT_SEED_FILE: broker.accountSeedFile,
    PHONERACK_PKI_DIR: options.beside?.config.pkiDir ?? path.join(options.dir, `pki-${options.id}`),
    PHONERACK_REPLICA_ID: options.replicaId ?? `replica-${options.id}`,
    PHONERACK_OPERATOR_TOKEN_SHA256: hashSecret(operatorToken),
    // Only tests that set this limit reach it.
    PHONERACK_FAILURES_PER_MINUTE: '1000000',
    // The end of a plane waits this long for a request that a test leaves open.
    PHONERACK_STOP_WITHIN: '2',
    ...options.env,
  })
  const log = options.log ?? quietLogger()
  const { clock, machineClock, pace } = options
  const app = await startApp(config, { log, clock, machineClock, pace })
  const server = await buildServer({
    services: app.services,
    config: {
      baseUrl: config.http.baseUrl,
      trustedProxies: config.http.trustedProxies,
      waitsPerKey: config.http.waitsPerKey,
      streamsPerKey: config.http.streamsPerKey,
      stopWithinMs: config.http.stopWithinMs,
      // Only tests that set this limit reach it.
      requestsPerKeyPerMinute: options.env?.['PHONERACK_REQUESTS_PER_MINUTE']
        ? config.requestsPerKeyPerMinute
        : 1_000_000,
      uploadMs: config.rules.uploads.sendWithinMs,
      tls: config.http.tls,
    },
    log,
    clock: app.core.clock,
    failureLimit: app.failureLimit,
    health: () => app.health(),
    plugins: app.plugins,
  })
  const operator = await buildOperatorServer({
    config: { uploadMs: config.rules.uploads.sendWithinMs, stopWithinMs: config.http.stopWithinMs },
    log,
    gate: app.operatorGate,
    plugins: app.operatorPlugins,
    console: app.operatorConsole,
  })
  await server.ready()
  const agents: AgentDouble[] = []
  let closed = false
  const agent: Plane['agent'] = async (name, extra = {}) => {
    const double = await startAgentDouble({
      server,
      operator,
      natsUrl: config.natsUrl,
      operatorToken,
      name,
      ...extra,
    })
    agents.push(double)
    return double
  }
  return {
    app,
    server,
    operator,
    config,
    operatorToken,
    agent,
    async rack(count, extra) {
      const double = await agent(`rack-${agents.length + 1}`, extra)
      await enrollDoubles(app, double, count)
      return double
    },
    tenant: (tenant = {}) => createTenant(app, tenant),
    async close() {
      if (closed) return
      closed = true
      for (const double of agents) await double.stop()
      await server.close()
      await operator.close()
      await app.close()
    },
  }
}

/** Adds devices to the double and enrols them as an operator would, but concurrently. */
async function enrollDoubles(app: App, double: AgentDouble, count: number): Promise<void> {
  const serials = Array.from({ length: count }, (_, index) => `${double.hostId}-${index + 1}`)
  for (const serial of serials) double.addDevice(serial)
  const { db } = app.core
  await eventually(async () => (await db.device.count({ where: { serial: { in: serials } } })) === count)
  for (const serial of serials) await enrollDevice(app.core, serial)
  // A phone that waits for a device takes the device as soon as it becomes free.
  const enrolled = {
    serial: { in: serials },
    link: 'healthy',
    enrolledAt: { not: null },
    state: { in: ['free', 'assigned'] },
  }
  await eventually(async () => (await db.device.count({ where: enrolled })) === count)
}

async function createTenant(app: App, options: TenantOptions): Promise<Tenant> {
  const project = await createProject(app.core, {
    name: 'Test project',
    ...(options.owner === undefined ? {} : { owner: options.owner }),
  })
  await changeProject(app.core, project.id, {
    credit_usd: options.credit ?? '100',
    spend_limit_usd: options.spendLimit ?? '1000',
    max_phones: options.maxPhones ?? 100,
    max_running: options.maxRunning ?? 100,
  })
  const { key } = await createKey(app.core, {
    project: project.id,
    preset: options.preset ?? 'admin',
    expires: 'never',
  })
  return { projectId: project.id, key, caller: await app.services.keys.authenticate(key) }
}

/** Moves the deadline of a phone's create or start to now. */
export async function endStart({ app: { core } }: Plane, phoneId: string): Promise<void> {
  const where = { id: phoneId, startDeadlineAt: { not: null } }
  await core.db.phone.updateMany({ where, data: { startDeadlineAt: core.clock.now() } })
  await makeDue(core.db, 'phone.deadline', phoneId)
}

/**
 * Waits until `condition` is true. The limit only ends a test that hangs.
 * @throws Error after `ms`
 */
export async function eventually(condition: () => Promise<boolean> | boolean, ms = 100_000): Promise<void> {
  const until = performance.now() + ms
  // The pauses grow, since all tests share two cores.
  for (let pauseMs = 20; !(await condition()); pauseMs = Math.min(pauseMs * 1.2, 100)) {
    if (performance.now() > until) throw new Error('the awaited condition did not hold')
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Returns the code of the ApiError that `work` throws; null when `work` succeeds. */
export async function refusalOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work
    return null
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

/** Returns a create's fields, as a route passes them. */
export const createBody = (change: Partial<CreatePhone> = {}): CreatePhone => ({
  name: null,
  country: null,
  metadata: {},
  onIdle: 'park',
  idleTimeout: 300,
  maxDuration: 900,
  ...change,
})
