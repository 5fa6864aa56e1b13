/** The system under test: Postgres, brokers, replicas behind a balancer, agents with virtual phones, and the cables between them. */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { OperatorClient } from '@phonerack/ctl/operator'
import {
  awaitHost,
  enrollAll,
  ensureAdb,
  ensureFfmpeg,
  isHealthy,
  isListening,
  pickPort,
  startPostgres,
  type Postgres,
} from '@phonerack/launcher'
import { ensureScrcpyServer } from '@phonerack/launcher/packages'
import { hashSecret, newSecret } from '@phonerack/shared'
import type { Shape } from '../faults/schedule.js'
import { mountSmallDisk, type SmallDisk } from '@phonerack/e2e/system/small-disk.js'
import { root } from '@phonerack/e2e/system/system.js'
import { openBalancer, type Balancer } from './balancer.js'
import { startBrokers, type Brokers } from './brokers.js'
import { openCable, type Cable } from '@phonerack/e2e/system/cable.js'
import { Part, serviceOf, type Ground } from './part.js'

export interface Rack {
  agent: Part
  phones: Part
  /** The ADB ports of the rack's phones. */
  ports: number[]
  faultPort: number
  faultToken: string
}

export interface Topology {
  shape: Shape
  /** The URL for clients. */
  baseUrl: string
  databaseUrl: string
  postgresPort: number
  /** The URL for a client of another database on the same server. */
  postgres(): Postgres
  operator: OperatorClient
  /** The parts by name: `control-1`, `agent-2`, `broker-3`, `phones-1`, `postgres`. */
  parts: Map<string, Part>
  controls: Part[]
  racks: Rack[]
  cables: Map<string, Cable>
  balancer: Balancer
  /** The disk of the last agent; null: this machine does not allow small disks. */
  disk: SmallDisk | null
  clockFile(part: string): string
  stop(): Promise<void>
}

/** All texts and names that clients write on phones contain this word. */
export const word = 'chaos-'

/** Raises limits that would end the load of one address and few keys. */
const unlimited = {
  PHONERACK_REQUESTS_PER_MINUTE: '1000000',
  PHONERACK_LIFECYCLE_PER_MINUTE: '1000000',
  PHONERACK_FAILURES_PER_MINUTE: '1000000',
  PHONERACK_UPLOADS_PER_DAY: '100000',
  PHONERACK_REBOOT_EVERY: '1',
  PHONERACK_RESET_EVERY: '1',
  PHONERACK_STORAGE_MIN_FREE: '0',
  PHONERACK_STOP_DELAY: '1',
  PHONERACK_STOP_WITHIN: '10',
}

const disk = { bytes: 96 << 20, minFree: 8 << 20 } as const

const at = (port: number): string => `127.0.0.1:${port}`

/** Starts the system. Leaves no process running when it fails. */
export async function startTopology(ground: Ground, shape: Shape, signal: AbortSignal): Promise<Topology> {
  const undo: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    const errors: unknown[] = []
    for (const each of undo.splice(0).toReversed()) await each().catch((error: unknown) => errors.push(error))
    if (errors.length > 0) throw new AggregateError(errors, 'the system did not stop cleanly')
  }
  try {
    return await assemble(ground, shape, undo, stop, signal)
  } catch (error) {
    await stop()
    throw error
  }
}

async function assemble(
  ground: Ground,
  shape: Shape,
  undo: (() => Promise<void>)[],
  stop: () => Promise<void>,
  signal: AbortSignal,
): Promise<Topology> {
  const { of } = ground
  const parts = new Map<string, Part>()
  const cables = new Map<string, Cable>()
  const cable = async (name: string, target: number): Promise<Cable> => {
    const made = await openCable(target)
    cables.set(name, made)
    undo.push(() => made.close())
    return made
  }
  const add = async (part: Part): Promise<Part> => {
    signal.throwIfAborted()
    parts.set(part.name, part)
    undo.push(() => part.stop())
    await part.start()
    return part
  }
  const clockFile = (part: string): string => of('clocks', part)
  await Promise.all(
    ['logs', 'run', 'clocks', 'pki'].map((name) => mkdir(of(name), { recursive: true, mode: 0o700 })),
  )
  const node = (name: string, script: string, args: string[], env: Record<string, string>) => ({
    name,
    command: process.execPath,
    env: { ...env, PHONERACK_CHAOS_CLOCK: clockFile(name) },
    args: [
      '--import',
      pathToFileURL(path.join(root, 'chaos/src/clock.mjs')).href,
      path.join(root, script),
      ...args,
    ],
  })

  let postgres: Postgres | null = null
  const postgresPort = await pickPort()
  const running = (): Postgres => {
    if (postgres === null) throw new Error('Postgres has not started')
    return postgres
  }
  const [adb] = await Promise.all([
    ensureAdb(() => undefined),
    ensureFfmpeg(root, () => undefined),
    add(
      new Part(ground, {
        name: 'postgres',
        async start() {
          postgres = await startPostgres({
            dir: of('postgres'),
            port: postgresPort,
            log: of('logs', 'postgres.log'),
            forTests: true,
            recordFile: of('run', 'postgres.json'),
          })
          if (!(await postgres.hasDatabase('phonerack'))) await postgres.createDatabase('phonerack')
          return postgres
        },
      }),
    ),
  ])
  const scrcpyServer = await ensureScrcpyServer(root, () => undefined)
  const brokers = await startBrokers(ground, shape.brokers)
  for (const [index, part] of brokers.parts.entries()) {
    parts.set(part.name, part)
    undo.push(() => part.stop())
    const [clients, routes] = [brokers.clients[index], brokers.routes[index]]
    if (clients) cables.set(`parts>${part.name}`, clients)
    if (routes && shape.brokers > 1) cables.set(`brokers>${part.name}`, routes)
    undo.push(async () => void (await Promise.all([clients?.close(), routes?.close()])))
  }

  const token = newSecret('operator')
  const ports = await Promise.all(Array.from({ length: shape.controls }, () => pickPort()))
  const operatorPorts = await Promise.all(Array.from({ length: shape.controls }, () => pickPort()))
  const balancerPort = await pickPort()
  const baseUrl = `http://${at(balancerPort)}`
  const controls: Part[] = []
  const fronts: number[] = []
  for (const [index, port] of ports.entries()) {
    const name = `control-${index + 1}`
    fronts.push((await cable(`clients>${name}`, port)).port)
    const database = await cable(`${name}>postgres`, postgresPort)
    const url = new URL(running().urlOf('phonerack'))
    url.port = String(database.port)
    const env = {
      ...unlimited,
      PHONERACK_HTTP_HOST: '127.0.0.1',
      PHONERACK_HTTP_PORT: String(port),
      PHONERACK_BASE_URL: baseUrl,
      PHONERACK_OPERATOR_LISTEN: at(operatorPorts[index] ?? 0),
      DATABASE_URL: url.href,
      ...brokerVariables(brokers, index),

      PHONERACK_PKI_DIR: of('pki'),
      PHONERACK_STORAGE_DIR: of('storage'),
      PHONERACK_REPLICA_ID: `chaos-${name}`,
      PHONERACK_OPERATOR_TOKEN_SHA256: hashSecret(token),
    }
    const program = {
      ...node(name, 'control-plane/dist/main.js', [], env),
      ready: () => isHealthy(`http://${at(port)}/livez`),
    }
    const part = new Part(ground, serviceOf(ground, program))
    controls.push(part)
    // The first replica migrates the database.
    if (index === 0) await add(part)
  }
  await Promise.all(controls.slice(1).map(add))
  const balancer: Balancer = await openBalancer(balancerPort, fronts, (index) =>
    ground.timeline.begin('not ready', `control-${index + 1}`),
  )
  undo.push(() => balancer.close())
  const operator = new OperatorClient(`http://${at(operatorPorts[0] ?? 0)}`, token)

  const numbers = Array.from({ length: shape.agents }, (_, index) => index + 1)
  const mounted: SmallDisk[] = []
  const racks = await Promise.all(
    numbers.map(async (number): Promise<Rack> => {
      const phonePorts = await Promise.all(Array.from({ length: shape.phones }, () => pickPort()))
      const faultPort = await pickPort()
      const faultToken = randomBytes(24).toString('hex')
      const tokenFile = of(`fault-token-${number}`)
      await writeFile(tokenFile, faultToken, { mode: 0o600 })
      const words = ['--ports', phonePorts.join(','), '--data', of(`phones-${number}`), '--pace', 'instant']
      words.push('--fault-port', String(faultPort), '--fault-token-file', tokenFile, '--witness', word)
      const phones = await add(
        new Part(
          ground,
          serviceOf(ground, {
            ...node(`phones-${number}`, 'virtual-phone/dist/main.js', words, {}),
            ready: async () =>
              (await Promise.all([...phonePorts, faultPort].map((port) => isListening(port)))).every(Boolean),
          }),
        ),
      )
      const grpc = await pickPort()
      const front = await cable(`control>agent-${number}`, grpc)
      const data = of(`agent-${number}`, 'host-agent')
      await mkdir(data, { recursive: true, mode: 0o700 })
      const isSmall = shape.hasSmallDisk && number === shape.agents
      if (isSmall) {
        const made = await mountSmallDisk(data, disk.bytes)
        mounted.push(made)
        undo.push(() => made.remove())
      }
      const env = {
        PHONERACK_DATA_DIR: data,
        PHONERACK_CONTROL_URL: baseUrl,
        PHONERACK_HOST_NAME: `rack-${number}`,
        PHONERACK_COUNTRY: 'US',

        PHONERACK_GRPC_LISTEN: at(grpc),
        PHONERACK_GRPC_ADDRESS: at(front.port),
        PHONERACK_ADB_BIN: adb,
        PHONERACK_ADB_CONNECT: phonePorts.map(at).join(','),
        PHONERACK_STOP_WITHIN: '5',
        NATS_URL: brokers.urls[(number - 1) % shape.brokers] ?? '',
        PHONERACK_RECORDING_MIN_FREE: '0',

        PHONERACK_MIN_FREE_BYTES: String(isSmall ? disk.minFree : 0),
        PHONERACK_SCRCPY_SERVER: scrcpyServer ?? '',
        PHONERACK_JOIN_TOKEN: (await operator.joinToken()).token,
      }
      const agent = await add(
        new Part(
          ground,
          serviceOf(ground, {
            ...node(`agent-${number}`, 'host-agent/dist/main.js', [], env),
            ready: () => isListening(grpc),
          }),
        ),
      )
      return { agent, phones, ports: phonePorts, faultPort, faultToken }
    }),
  )
  await Promise.all(numbers.map((number) => awaitHost(operator, `rack-${number}`, 60_000, signal)))
  const quarantined = await enrollAll(
    operator,
    racks.flatMap((rack) => rack.ports.map(at)),
    180_000,
    signal,
  )
  if (quarantined.length > 0)
    throw new Error(`${quarantined.length} devices are quarantined after their enrolment`)
  return {
    shape,
    baseUrl,
    postgresPort,
    operator,
    parts,
    controls,
    racks,
    cables,
    balancer,
    clockFile,
    stop,
    databaseUrl: running().urlOf('phonerack'),
    postgres: running,
    disk: mounted[0] ?? null,
  }
}

const brokerVariables = ({ config, urls }: Brokers, index: number): Record<string, string> => ({
  NATS_URL: urls[index % urls.length] ?? '',
  NATS_CREDS_FILE: config.controlPlaneCredsFile,
  NATS_ACCOUNT_SEED_FILE: config.accountSeedFile,
  NATS_SIGNING_SEED_FILE: config.signingSeedFile,
  NATS_SYSTEM_CREDS_FILE: config.systemCredsFile,
})
