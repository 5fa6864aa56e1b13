/** Runs the programs of a release on one database and broker: control planes, host agents, virtual phones. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { pickPort, startChild, waitUntil, type Nats, type Running } from '@phonerack/launcher'

export interface Release {
  name: string
  /** The built checkout of the release. */
  root: string
}

export interface Shared {
  /** The folder of all files of the run. */
  dir: string
  databaseUrl: string
  nats: Nats
  operatorTokenSha256: string
}

export interface Replica extends Running {
  url: string
  operatorUrl: string
}

interface Program {
  name: string
  script: string
  args?: readonly string[]
  env?: Record<string, string>
}

function start(shared: Shared, release: Release, { name, script, args = [], env = {} }: Program) {
  mkdirSync(path.join(shared.dir, 'run'), { recursive: true })
  return startChild({
    command: process.execPath,
    args: [path.join(release.root, script), ...args],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    cwd: shared.dir,
    output: path.join(shared.dir, `${name}.log`),
    recordFile: path.join(shared.dir, 'run', `${name}.json`),
    stopSteps: [
      { signal: 'SIGTERM', waitMs: 60_000 },
      { signal: 'SIGKILL', waitMs: 5000 },
    ],
  })
}

export async function startReplica(shared: Shared, release: Release, name: string): Promise<Replica> {
  const [port, operatorPort, metricsPort] = [await pickPort(), await pickPort(), await pickPort()]
  const running = await start(shared, release, {
    name,
    script: 'control-plane/dist/main.js',
    env: {
      PHONERACK_HTTP_HOST: '127.0.0.1',
      PHONERACK_HTTP_PORT: String(port),
      PHONERACK_BASE_URL: `http://127.0.0.1:${port}`,
      PHONERACK_OPERATOR_LISTEN: `127.0.0.1:${operatorPort}`,
      PHONERACK_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      DATABASE_URL: shared.databaseUrl,
      NATS_URL: shared.nats.url,
      NATS_CREDS_FILE: shared.nats.controlPlaneCredsFile,
      NATS_ACCOUNT_SEED_FILE: shared.nats.accountSeedFile,
      NATS_SIGNING_SEED_FILE: shared.nats.signingSeedFile,
      NATS_SYSTEM_CREDS_FILE: shared.nats.systemCredsFile,
      PHONERACK_PKI_DIR: path.join(shared.dir, 'pki'),
      PHONERACK_REPLICA_ID: name,
      PHONERACK_OPERATOR_TOKEN_SHA256: shared.operatorTokenSha256,
      PHONERACK_LIFECYCLE_PER_MINUTE: '100000',
      PHONERACK_REQUESTS_PER_MINUTE: '1000000',
      PHONERACK_STOP_DELAY: '1',
      LOG_LEVEL: 'info',
    },
  })
  const url = `http://127.0.0.1:${port}`
  await waitUntil(name, running, 90_000, () => answers(url))
  return { ...running, url, operatorUrl: `http://127.0.0.1:${operatorPort}` }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
    (answer) => answer.ok,
    () => false,
  )

export interface Rack {
  name: string
  grpcPort: number
  phonePorts: number[]
}

export async function newRack(name: string, phones: number): Promise<Rack> {
  const ports: number[] = []
  for (let n = 0; n <= phones; n += 1) ports.push(await pickPort(undefined, new Set(ports)))
  const [grpcPort = 0, ...phonePorts] = ports
  return { name, grpcPort, phonePorts }
}

export const startPhones = (shared: Shared, release: Release, rack: Rack): Promise<Running> =>
  start(shared, release, {
    name: `${rack.name}-phones`,
    script: 'virtual-phone/dist/main.js',
    args: ['--ports', rack.phonePorts.join(','), '--data', path.join(shared.dir, `${rack.name}-phones`)],
  })

/** The paths of programs that an agent uses. */
export interface Tools {
  adb: string
  scrcpy: string
}

/** @param joinToken needed only for the host's first start */
export async function startAgent(
  shared: Shared,
  release: Release,
  rack: Rack,
  { controlUrl, joinToken, adb, scrcpy }: { controlUrl: string; joinToken: string | null } & Tools,
): Promise<Running> {
  const metricsPort = await pickPort()
  return start(shared, release, {
    name: rack.name,
    script: 'host-agent/dist/main.js',
    env: {
      PHONERACK_DATA_DIR: path.join(shared.dir, rack.name),
      PHONERACK_CONTROL_URL: controlUrl,
      PHONERACK_HOST_NAME: rack.name,
      PHONERACK_COUNTRY: 'US',
      PHONERACK_GRPC_LISTEN: `127.0.0.1:${rack.grpcPort}`,
      PHONERACK_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      PHONERACK_ADB_BIN: adb,
      PHONERACK_ADB_CONNECT: rack.phonePorts.map((port) => `127.0.0.1:${port}`).join(','),
      PHONERACK_SCRCPY_SERVER: scrcpy,
      NATS_URL: shared.nats.url,
      ...(joinToken === null ? {} : { PHONERACK_JOIN_TOKEN: joinToken }),
    },
  })
}
