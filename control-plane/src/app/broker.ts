/**
 * The connection of this replica to the broker: certificate, credentials, and the right to revoke users. Called by
 * `app.ts`.
 */
import { readFile } from 'node:fs/promises'
import { decode, parseCreds, type User } from '@nats-io/jwt'
import {
  logsOfLoss,
  openBus,
  trustedRoots,
  type BrokerAuthorities,
  type Bus,
  type Logger,
} from '@phonerack/shared'
import { type BrokerAdmin } from '@phonerack/shared/broker'
import { type Config } from '../base/config/config.js'

interface Broker {
  /** Authorities of the broker's certificate; null if they are the hosts' authority or public. */
  caPem: string | null
  /** Public key of this replica's user, `U…`; null: the broker requires no credentials. */
  user: string | null
  /** Null: this replica cannot revoke users. */
  admin: BrokerAdmin | null
  /** Returns after two seconds even if the broker is unreachable, and then keeps connecting in the background. */
  connect(log: Logger): Promise<Bus>
}

/**
 * Milliseconds that a start waits for the broker. Without the broker, this replica serves only requests that need no
 * host.
 */
const brokerMs = 2000

/**
 * @param hostsAuthorities PEM texts, which may change
 * @param account public key of the account of hosts; null: the broker requires no credentials
 */
export async function readBroker(
  config: Config,
  hostsAuthorities: () => readonly string[],
  account: string | null,
): Promise<Broker> {
  const { natsUrl: url, natsCaFile } = config
  const caPem = natsCaFile === null ? null : trustedRoots(natsCaFile).join('\n')
  const roots = caPem === null ? trustedRoots(null) : []
  const authorities = () => (caPem === null ? [...hostsAuthorities(), ...roots] : [caPem])
  const creds = config.natsCredsFile ? await readFile(config.natsCredsFile, 'utf8') : undefined
  return {
    caPem,
    user: creds === undefined ? null : await readUser(creds),
    admin: await readAdmin(config, authorities, account),
    connect: (log) =>
      openBus({
        url,
        name: `control-plane ${config.replicaId}`,
        creds,
        authorities,
        waitMs: brokerMs,
        ...logsOfLoss(log, 'this replica serves only requests that need no host'),
      }),
  }
}

/** Returns null for an unreadable text: the connection then fails and names the reason. */
async function readUser(creds: string): Promise<string | null> {
  try {
    const { jwt } = await parseCreds(new TextEncoder().encode(creds))
    return decode<User>(jwt).sub
  } catch {
    return null
  }
}

async function readAdmin(
  { natsUrl: url, natsAdmin }: Config,
  authorities: BrokerAuthorities,
  account: string | null,
): Promise<BrokerAdmin | null> {
  if (natsAdmin === null || account === null) return null
  const [signingSeed, systemCreds] = await Promise.all([
    readFile(natsAdmin.signingSeedFile, 'utf8'),
    readFile(natsAdmin.systemCredsFile, 'utf8'),
  ])
  return { url, authorities, account, signingSeed, systemCreds }
}
