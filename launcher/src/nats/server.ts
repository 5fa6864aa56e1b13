/** A real nats-server on the loopback address, for `up` and for every test that needs a broker. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild, type Running } from '../processes/child.js'
import { pickPort } from '../processes/ports.js'
import { reapRecord } from '../processes/record.js'
import { findNats } from './find.js'
import { ensureTrust, type BrokerTrust } from './keys.js'

export interface NatsOptions {
  /** Holds keys, configuration and JetStream's files. Made when absent, mode 0700. */
  dir: string
  /** Left out: a free one. */
  port?: number | undefined
  /** Gets the server's log, line by line. */
  log?: ((line: string) => void) | undefined
}

export interface Nats extends Running {
  readonly url: string
  readonly port: number
  /** nkey seed of the account, with which users of hosts are signed. */
  readonly accountSeedFile: string
  /** `.creds` of a user with all rights in the account. */
  readonly controlPlaneCredsFile: string
}

const startDeadlineMs = 15_000

/**
 * Starts the broker of `dir` and waits until it answers. One that a killed parent left is ended first.
 * @throws InUse when a living process already runs it; Error naming what to install when there is no nats-server.
 */
export async function startNats(options: NatsOptions): Promise<Nats> {
  const { dir } = options
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  const recordFile = path.join(dir, 'nats.pid.json')
  await reapRecord(recordFile)
  const command = await findNats()
  const trust = await ensureTrust(dir)
  const port = options.port ?? (await pickPort())
  const configFile = path.join(dir, 'nats.conf')
  writeFileSync(configFile, configuration(dir, port, trust), { mode: 0o600 })

  const lines: string[] = []
  const running = await startChild({
    command,
    args: ['-c', configFile],
    env: { PATH: process.env['PATH'] },
    cwd: dir,
    recordFile,
    log(line) {
      lines.push(line)
      if (lines.length > 20) lines.shift()
      options.log?.(line)
    },
  })
  await waitUntilAnswering(running, port, lines)
  return {
    ...running,
    url: `nats://127.0.0.1:${port}`,
    port,
    accountSeedFile: trust.accountSeedFile,
    controlPlaneCredsFile: trust.controlPlaneCredsFile,
  }
}

/** JSON is a subset of the server's configuration language. */
function configuration(dir: string, port: number, trust: BrokerTrust): string {
  return JSON.stringify(
    {
      server_name: 'phonerack',
      host: '127.0.0.1',
      port,
      operator: trust.operatorJwt,
      system_account: trust.systemAccount.id,
      resolver: 'MEMORY',
      resolver_preload: {
        [trust.systemAccount.id]: trust.systemAccount.jwt,
        [trust.account.id]: trust.account.jwt,
      },
      // Bounded: what lasts is small, and a broker must not fill the machine.
      jetstream: {
        store_dir: path.join(dir, 'jetstream'),
        max_memory_store: 256 << 20,
        max_file_store: 4 * 2 ** 30,
      },
      max_payload: 1 << 20,
    },
    null,
    2,
  )
}

async function waitUntilAnswering(running: Running, port: number, lines: readonly string[]): Promise<void> {
  const end = performance.now() + startDeadlineMs
  let ended: number | string | undefined
  void running.exited.then((how) => (ended = how))
  while (performance.now() < end) {
    if (ended !== undefined)
      throw new Error(`nats-server ended (${ended}) while starting:\n${lines.join('\n')}`)
    if (await greets(port)) return
    await sleep(20)
  }
  await running.stop()
  throw new Error(`nats-server did not answer within ${startDeadlineMs / 1000} s:\n${lines.join('\n')}`)
}

/** A NATS server speaks first: `INFO {…}`. */
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
