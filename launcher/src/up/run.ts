/** Starts everything in order and leaves it running under a supervisor. Called by `up`'s main program. */
import { hashSecret } from '@phonerack/shared'
import { rmSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { startNats } from '../nats/index.js'
import { OperatorClient, type Device } from '../operator/client.js'
import { startPostgres } from '../postgres/index.js'
import { boundLog } from '../processes/log-file.js'
import { Supervisor, type SupervisorEvent } from '../processes/supervisor.js'
import type { UpOptions } from './args.js'
import { awaitGuard, cleanLeftovers } from './clean.js'
import { awaitHost, enrollAll } from './devices.js'
import { lockFolder, openFolder, serviceNames, writeJson, type Folder } from './folder.js'
import { startGuard } from './guard-process.js'
import { allocatePorts, type Ports } from './ports.js'
import { ensureAdb, ensureFfmpeg } from './programs.js'
import type { Steps } from './progress.js'
import { ensureScrcpyServer } from './scrcpy.js'
import { ensureDemo, operatorToken } from './secrets.js'
import { isHealthy, isListening, nodeService } from './services.js'
import { welcomeText } from './welcome.js'

export interface System {
  welcome: string
  /** Stops everything in order; returns what could not be stopped. */
  stop(): Promise<unknown[]>
}

interface Context {
  root: string
  options: UpOptions
  folder: Folder
  ports: Ports
  supervisor: Supervisor
  steps: Steps
  /** Aborts when `up` is told to stop while it starts. */
  signal: AbortSignal
}

interface Addresses {
  baseUrl: string
  operator: OperatorClient | null
  natsUrl: string
}

const databaseName = 'phonerack'

/**
 * @throws Error saying what failed; everything is stopped then.
 */
export async function startSystem(
  root: string,
  options: UpOptions,
  steps: Steps,
  signal: AbortSignal,
): Promise<System> {
  const folder = openFolder(options.data)
  const unlock = lockFolder(folder)
  await awaitGuard(folder)
  const supervisor = new Supervisor((event) => report(steps, event))
  const guard = startGuard(folder)
  const logTimer = setInterval(
    () => [...serviceNames, 'up' as const].forEach((name) => boundLog(folder.log(name))),
    10_000,
  )
  const stop = async () => {
    clearInterval(logTimer)
    const errors = await supervisor.stopAll()
    rmSync(folder.upFile, { force: true })
    await guard.release()
    unlock()
    return errors
  }
  try {
    const ended = await cleanLeftovers(folder)
    if (ended.length > 0) steps.say(`  ! an earlier run was killed; ended what it left: ${ended.join(', ')}`)
    const ports = await allocatePorts(folder, options.port, options.virtualPhones)
    const context = { root, options, folder, ports, supervisor, steps, signal }
    return { welcome: await startParts(context), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts(context: Context): Promise<string> {
  const { options, folder, steps, signal } = context
  const host = options.part !== 'control'
  const programs = host ? await preparePrograms(context) : null
  const addresses = options.part === 'host' ? foreignControl(options) : await startControl(context)
  let quarantined: Device[] = []
  let devices: Device[] = []
  if (programs) {
    signal.throwIfAborted()
    await startPhones(context)
    await startHostAgent(context, addresses, programs)
    if (addresses.operator) {
      quarantined = await takeIn(context, addresses.operator)
      devices = await addresses.operator.devices()
    }
  }
  signal.throwIfAborted()
  const otherAdb = host && (await isListening(5037))
  if (options.part === 'host' || !addresses.operator)
    return `\nThe host agent runs for ${addresses.baseUrl}. Its folder: ${folder.dir}\n`
  const operator = addresses.operator
  const demo = await steps.run('Demo project and keys', () => ensureDemo(folder, operator, addresses.baseUrl))
  writeJson(folder.upFile, {
    base_url: addresses.baseUrl,
    console_url: `${addresses.baseUrl}/console`,
    operator_token: operatorToken(folder),
    project: demo.project,
    keys: demo.keys,
    pid: process.pid,
  })
  return welcomeText({
    baseUrl: addresses.baseUrl,
    adminKey: demo.keys.admin,
    dir: folder.dir,
    isDefaultDir: options.data === path.join(context.root, '.phonerack'),
    detached: process.send !== undefined,
    phones: options.virtualPhones,
    unenrolled: devices.filter((device) => device.state === 'unenrolled'),
    quarantined,
    otherAdb,
  })
}

interface Programs {
  adb: string
  scrcpyServer: string | null
}

async function preparePrograms({ root, steps }: Context): Promise<Programs> {
  const adb = await steps.run('adb', ensureAdb)
  await steps.run('ffmpeg', (remark) => ensureFfmpeg(root, remark))
  return { adb, scrcpyServer: await steps.run('scrcpy server', (remark) => ensureScrcpyServer(root, remark)) }
}

/** Postgres, the broker and the control plane. */
async function startControl(context: Context): Promise<Addresses> {
  const { root, options, folder, ports, supervisor, steps, signal } = context
  const databaseUrl = options.databaseUrl ?? (await startDatabase(context))
  signal.throwIfAborted()
  const broker = options.natsUrl === null ? await startBroker(context) : foreignBroker(options.natsUrl)
  signal.throwIfAborted()
  const baseUrl = `http://127.0.0.1:${ports.http}`
  const token = operatorToken(folder)
  await steps.run('Control plane', () =>
    supervisor.start(
      nodeService({
        root,
        folder,
        name: 'control-plane',
        script: 'control-plane/dist/main.js',
        env: {
          PHONERACK_HTTP_HOST: '127.0.0.1',
          PHONERACK_HTTP_PORT: String(ports.http),
          PHONERACK_BASE_URL: baseUrl,
          DATABASE_URL: databaseUrl,
          NATS_URL: broker.url,
          NATS_CREDS_FILE: broker.credsFile,
          NATS_ACCOUNT_SEED_FILE: broker.seedFile,
          PHONERACK_PKI_DIR: folder.of('pki'),
          PHONERACK_REPLICA_ID: `up-${ports.http}`,
          PHONERACK_OPERATOR_TOKEN_SHA256: hashSecret(token),
        },
        readyWithinMs: 60_000,
        ready: () => isHealthy(`${baseUrl}/healthz`),
      }),
    ),
  )
  return { baseUrl, operator: new OperatorClient(baseUrl, token), natsUrl: broker.url }
}

async function startDatabase({ folder, ports, supervisor, steps }: Context): Promise<string> {
  let url = ''
  const service = {
    name: 'postgres',
    async start() {
      const server = await startPostgres({
        dir: folder.of('postgres'),
        port: ports.postgres,
        log: folder.log('postgres'),
        recordFile: folder.record('postgres'),
      })
      if (!(await server.hasDatabase(databaseName))) await server.createDatabase(databaseName)
      url = server.urlOf(databaseName)
      return server
    },
  }
  await steps.run('Postgres', () => supervisor.start(service))
  return url
}

interface Broker {
  url: string
  credsFile: string
  seedFile: string
}

async function startBroker({ folder, ports, supervisor, steps }: Context): Promise<Broker> {
  let broker: Broker | undefined
  const service = {
    name: 'nats',
    async start() {
      const server = await startNats({
        dir: folder.of('nats'),
        port: ports.nats,
        log: folder.log('nats'),
        recordFile: folder.record('nats'),
      })
      broker = { url: server.url, credsFile: server.controlPlaneCredsFile, seedFile: server.accountSeedFile }
      return server
    },
  }
  await steps.run('NATS', () => supervisor.start(service))
  if (!broker) throw new Error('the broker gave no address')
  return broker
}

function foreignBroker(url: string): Broker {
  return {
    url,
    credsFile: environment('NATS_CREDS_FILE', '--nats-url'),
    seedFile: environment('NATS_ACCOUNT_SEED_FILE', '--nats-url'),
  }
}

function foreignControl(options: UpOptions): Addresses {
  if (options.natsUrl === null) throw new Error('--host-only needs --nats-url')
  const baseUrl = environment('PHONERACK_CONTROL_URL', '--host-only').replace(/\/+$/, '')
  const token = process.env['PHONERACK_OPERATOR_TOKEN']
  return { baseUrl, operator: token ? new OperatorClient(baseUrl, token) : null, natsUrl: options.natsUrl }
}

function environment(name: string, flag: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${flag} needs the environment variable ${name}`)
  return value
}

async function startPhones({ root, options, folder, ports, supervisor, steps }: Context): Promise<void> {
  if (options.virtualPhones === 0) return
  const service = nodeService({
    root,
    folder,
    name: 'virtual-phones',
    script: 'virtual-phone/dist/main.js',
    args: ['--ports', ports.phones.join(','), '--data', folder.of('virtual-phones'), '--pace', 'instant'],
    env: {},
    readyWithinMs: 60_000,
    ready: async () => (await Promise.all(ports.phones.map(isListening))).every(Boolean),
  })
  await steps.run(`Virtual phones (${options.virtualPhones})`, () => supervisor.start(service))
}

async function startHostAgent(context: Context, addresses: Addresses, programs: Programs): Promise<void> {
  const { root, options, folder, ports, supervisor, steps, signal } = context
  const name = hostName(ports)
  const joinToken = addresses.operator
    ? (await addresses.operator.joinToken()).token
    : process.env['PHONERACK_JOIN_TOKEN']
  const service = nodeService({
    root,
    folder,
    name: 'host-agent',
    script: 'host-agent/dist/main.js',
    env: {
      PHONERACK_DATA_DIR: folder.of('host-agent'),
      PHONERACK_CONTROL_URL: addresses.baseUrl,
      PHONERACK_HOST_NAME: name,
      PHONERACK_COUNTRY: options.country,
      PHONERACK_GRPC_LISTEN: `127.0.0.1:${ports.grpc}`,
      PHONERACK_ADB_PORT: String(ports.adb),
      PHONERACK_ADB_BIN: programs.adb,
      PHONERACK_ADB_CONNECT: serials(ports).join(','),
      NATS_URL: addresses.natsUrl,
      ...(joinToken ? { PHONERACK_JOIN_TOKEN: joinToken } : {}),
      ...(programs.scrcpyServer ? { PHONERACK_SCRCPY_SERVER: programs.scrcpyServer } : {}),
    },
    readyWithinMs: 60_000,
    ready: () => isListening(ports.grpc),
  })
  await steps.run('Host agent', async () => {
    await supervisor.start(service)
    if (addresses.operator) await awaitHost(addresses.operator, name, 30_000, signal)
  })
}

async function takeIn({ ports, steps, signal }: Context, operator: OperatorClient): Promise<Device[]> {
  if (ports.phones.length === 0) return []
  return steps.run('Virtual phones enrolled', () => enrollAll(operator, serials(ports), 120_000, signal))
}

/** As adb names them. */
const serials = (ports: Ports): string[] => ports.phones.map((port) => `127.0.0.1:${port}`)

const hostName = (ports: Ports): string => `${hostname()}-${ports.grpc}`

function report(steps: Steps, event: SupervisorEvent): void {
  const seconds = 'retryMs' in event ? (event.retryMs / 1000).toFixed(1) : ''
  if (event.kind === 'died')
    steps.say(
      `  ! ${event.name} ended (${event.cause}); starting it again in ${seconds} s. See logs/${event.name}.log`,
    )
  else if (event.kind === 'restart-failed')
    steps.say(
      `  ! ${event.name} does not start (${event.error instanceof Error ? event.error.message : String(event.error)}); next try in ${seconds} s`,
    )
  else steps.say(`  ✓ ${event.name} runs again`)
}
