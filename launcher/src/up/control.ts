/**
 * Starts the control plane with its database and broker; or, with `--host-only`, finds the control plane of
 * another machine.
 */
import { hashSecret, isLoopback } from '@phonerack/shared'
import { startNats } from '../nats/index.js'
import { OperatorClient } from '@phonerack/ctl/operator'
import { startPostgres } from '../postgres/index.js'
import type { UpOptions } from './args.js'
import { hostPort, nearHost } from './bind.js'
import type { Addresses, Context } from './context.js'
import { replicaId } from './replica-id.js'
import { operatorToken, renewOperatorToken } from './secrets.js'
import { isHealthy, nodeService } from './services.js'
import { standingOf, untilValid } from './standing.js'
import { webhookAllow } from './webhook-allow.js'

const databaseName = 'phonerack'

/** Milliseconds that the control plane takes to end once its requests have finished. */
const endMs = 8000

/** Starts Postgres, the broker and the control plane. */
export async function startControl(context: Context): Promise<Addresses> {
  const { root, options, folder, ports, supervisor, steps, signal } = context
  const databaseUrl = options.databaseUrl ?? (await startDatabase(context))
  signal.throwIfAborted()
  const broker = options.natsUrl === null ? await startBroker(context) : foreignBroker(options.natsUrl)
  signal.throwIfAborted()
  const baseUrl = `http://${hostPort(nearHost(options.host), ports.http)}`
  const publicUrl = process.env['PHONERACK_BASE_URL'] || baseUrl
  const operatorUrl = `http://127.0.0.1:${ports.operator}`
  const env = {
    PHONERACK_HTTP_HOST: options.host,
    PHONERACK_HTTP_PORT: String(ports.http),
    PHONERACK_BASE_URL: publicUrl,
    PHONERACK_OPERATOR_LISTEN: `127.0.0.1:${ports.operator}`,
    PHONERACK_METRICS_LISTEN: `127.0.0.1:${ports.controlMetrics}`,
    DATABASE_URL: databaseUrl,
    NATS_URL: broker.url,
    NATS_CREDS_FILE: broker.credsFile,
    NATS_ACCOUNT_SEED_FILE: broker.seedFile,
    ...broker.admin,
    PHONERACK_PKI_DIR: folder.of('pki'),
    PHONERACK_REPLICA_ID: process.env['PHONERACK_REPLICA_ID'] || replicaId(folder),
    PHONERACK_OPERATOR_TOKEN_SHA256: hashSecret(operatorToken(folder)),
    PHONERACK_WEBHOOK_ALLOW: webhookAllow(options.host, publicUrl, process.env),
    // No load balancer is in front of the API.
    PHONERACK_STOP_DELAY: process.env['PHONERACK_STOP_DELAY'] ?? '0',
    PHONERACK_STOP_WITHIN: process.env['PHONERACK_STOP_WITHIN'] ?? '30',
  }
  const service = nodeService({
    root,
    folder,
    name: 'control-plane',
    script: 'control-plane/dist/main.js',
    env,
    readyWithinMs: 60_000,
    stopWithinMs: (Number(env.PHONERACK_STOP_DELAY) + Number(env.PHONERACK_STOP_WITHIN)) * 1000 + endMs,
    // The control plane is identified by the token, since another system may have taken the port.
    ready: async () =>
      (await isHealthy(`${baseUrl}/healthz`)) &&
      (await standingOf(operatorUrl, operatorToken(folder))) !== 'unknown',
  })
  await steps.run('Control plane', async (remark) => {
    if (!isLoopback(options.host))
      remark(
        `other machines can connect to the API at ${options.host}, without TLS: put a TLS proxy in front of it`,
      )
    const running = await supervisor.start(service)
    if ((await standingOf(operatorUrl, operatorToken(folder))) === 'valid') return
    remark('the operator token of this directory was revoked; creating a new token')
    env.PHONERACK_OPERATOR_TOKEN_SHA256 = hashSecret(renewOperatorToken(folder))
    // The supervisor restarts the control plane with the new token.
    await running.stop()
    await untilValid(operatorUrl, operatorToken(folder), signal)
  })
  const token = operatorToken(folder)
  return { baseUrl, operatorUrl, operator: new OperatorClient(operatorUrl, token), natsUrl: broker.url }
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
  /** Variables with which the control plane revokes users; with `--nats-url`, the environment has them. */
  admin: { NATS_SIGNING_SEED_FILE?: string; NATS_SYSTEM_CREDS_FILE?: string }
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
      broker = {
        url: server.url,
        credsFile: server.controlPlaneCredsFile,
        seedFile: server.accountSeedFile,
        admin: {
          NATS_SIGNING_SEED_FILE: server.signingSeedFile,
          NATS_SYSTEM_CREDS_FILE: server.systemCredsFile,
        },
      }
      return server
    },
  }
  await steps.run('NATS', () => supervisor.start(service))
  if (!broker) throw new Error('the broker did not report an address')
  return broker
}

function foreignBroker(url: string): Broker {
  return {
    url,
    credsFile: environment('NATS_CREDS_FILE', '--nats-url'),
    seedFile: environment('NATS_ACCOUNT_SEED_FILE', '--nats-url'),
    admin: {},
  }
}

/** @throws Error that names the option or variable that is missing */
export function foreignControl(options: UpOptions): Addresses {
  if (options.natsUrl === null) throw new Error('--host-only needs --nats-url')
  const baseUrl = environment('PHONERACK_CONTROL_URL', '--host-only').replace(/\/+$/, '')
  const operatorUrl = process.env['PHONERACK_OPERATOR_URL']?.replace(/\/+$/, '') || null
  const token = process.env['PHONERACK_OPERATOR_TOKEN']
  const operator = operatorUrl && token ? new OperatorClient(operatorUrl, token) : null
  return { baseUrl, operatorUrl, operator, natsUrl: options.natsUrl }
}

function environment(name: string, flag: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${flag} needs the environment variable ${name}`)
  return value
}
