/** A real nats-server on the loopback address, for `up` and for every test that needs a broker. */
import { chmodSync, mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { writeBrokerConfig } from '@phonerack/shared/broker'
import { startChild, waitUntil, type Running } from '../processes/child.js'
import { pickPort } from '../processes/ports.js'
import { reapRecord } from '../processes/record.js'
import { findNats } from './find.js'

export interface NatsOptions {
  /** Holds keys, configuration and JetStream's files. Created when absent, mode 0700. */
  dir: string
  /** The port; omitted: a free port. */
  port?: number | undefined
  /** The server's log: a file to append to, or a function that gets each line. */
  log?: string | ((line: string) => void) | undefined
  /** The file that records the process; default: a file in `dir`. */
  recordFile?: string | undefined
}

export interface Nats extends Running {
  readonly url: string
  readonly port: number
  /** nkey seed of the account, which signs the users of hosts. */
  readonly accountSeedFile: string
  /** `.creds` of a user with all rights in the account. */
  readonly controlPlaneCredsFile: string
  /** nkey seed that signs the account. */
  readonly signingSeedFile: string
  /** `.creds` of a user that may replace the claims of the account. */
  readonly systemCredsFile: string
}

const startDeadlineMs = 15_000

/**
 * Starts the broker of `dir` and waits until it answers. Stops a broker that a killed parent left first.
 * @throws InUse when a living process already runs it; Error that names the package to install when
 * nats-server is missing.
 */
export async function startNats(options: NatsOptions): Promise<Nats> {
  const { dir } = options
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  const recordFile = options.recordFile ?? path.join(dir, 'nats.pid.json')
  await reapRecord(recordFile)
  const command = await findNats()
  const port = options.port ?? (await pickPort())
  const storeDir = path.join(dir, 'jetstream')
  const broker = await writeBrokerConfig({ dir, host: '127.0.0.1', port, tls: null, storeDir })

  const running = await startChild({
    command,
    args: ['-c', broker.configFile],
    env: { PATH: process.env['PATH'] },
    cwd: dir,
    recordFile,
    output: options.log ?? (() => undefined),
  })
  await waitUntil('nats-server', running, startDeadlineMs, () => greets(port))
  return {
    ...running,
    url: `nats://127.0.0.1:${port}`,
    port,
    accountSeedFile: broker.accountSeedFile,
    controlPlaneCredsFile: broker.controlPlaneCredsFile,
    signingSeedFile: broker.signingSeedFile,
    systemCredsFile: broker.systemCredsFile,
  }
}

/** A NATS server sends the first line: `INFO {…}`. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.setTimeout(2000)
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('data', (bytes) => done(bytes.toString('utf8').startsWith('INFO ')))
    socket.once('error', () => done(false))
    socket.once('timeout', () => done(false))
    socket.once('close', () => done(false))
  })
}
