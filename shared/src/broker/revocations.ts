/**
 * Revokes users of the broker: adds them to the claims of the account, which the broker's resolver takes from a user
 * of the system account. The broker closes their connections and refuses them, even after a restart.
 * docs/decisions/0221
 */
import { decode, encodeAccount, fromPublic, fromSeed, type Account } from '@nats-io/jwt'
import { connect, credsAuthenticator, type NatsConnection } from 'nats'
import { z } from 'zod'
import { pause } from '../abort.js'
import { brokerTls } from '../broker-tls.js'
import { accountOptions, systemSubjects } from './trust.js'

export interface BrokerAdmin {
  url: string
  /** PEM texts: the only authorities for the broker's certificate. For `tls:` URLs. */
  authorities: readonly string[]
  /** Public key of the account whose users are revoked, `A…`. */
  account: string
  /** nkey seed of a signing key of the operator, `SO…`. */
  signingSeed: string
  /** Text of a `.creds` file: a user in the system account. */
  systemCreds: string
}

/** Milliseconds for each answer of the broker. */
const answerMs = 5000

/** Another replica may replace the claims at the same time. */
const attempts = 5

/** The clock of the replica that wrote the last claims may be ahead. */
const longestWaitMs = 10_000

const factsSchema = z.object({
  data: z.object({
    trusted_operators_claim: z.array(
      z.object({ sub: z.string(), nats: z.object({ signing_keys: z.array(z.string()).default([]) }) }),
    ),
  }),
})

const answerSchema = z.object({
  data: z.object({ code: z.literal(200) }).optional(),
  error: z.object({ description: z.string() }).optional(),
})

/**
 * Revokes all users with these public keys (`U…`) for good. Revocations that the broker has stay. Returns how
 * many it lacked.
 * @throws Error when the broker is unreachable, refuses, or its claims keep changing
 */
export async function revokeUsers(admin: BrokerAdmin, publicKeys: readonly string[]): Promise<number> {
  if (publicKeys.length === 0) return 0
  const connection = await connect({
    servers: admin.url,
    name: 'revocations',
    reconnect: false,
    timeout: answerMs,
    authenticator: credsAuthenticator(new TextEncoder().encode(admin.systemCreds)),
    ...brokerTls(admin.url, admin.authorities),
  })
  try {
    return await add(connection, admin, publicKeys)
  } finally {
    await connection.close()
  }
}

async function add(
  connection: NatsConnection,
  admin: BrokerAdmin,
  publicKeys: readonly string[],
): Promise<number> {
  let lacking: number | null = null
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { known, issuedAt } = await readClaims(connection, admin.account)
    const missing = publicKeys.filter((key) => known[key] === undefined)
    lacking ??= missing.length
    if (missing.length === 0) return lacking
    if (attempt === 0) await requireTrust(connection, admin)
    // Servers keep the newer claims, by the second: those of the configuration are the first.
    const waitMs = (issuedAt + 1) * 1000 - Date.now()
    if (waitMs > 0) await pause(Math.min(waitMs, longestWaitMs), new AbortController().signal)
    // Users that were issued before this second. Each key has one user, so the margin for clocks harms nobody.
    const until = Math.floor(Date.now() / 1000) + 86_400
    const revocations = { ...known, ...Object.fromEntries(missing.map((key) => [key, until])) }
    await update(connection, admin, revocations)
  }
  throw new Error('the claims of the account on the broker changed again and again')
}

/** Without this, nats-server 2.9 stores claims that it does not trust, and then refuses every user. */
async function requireTrust(connection: NatsConnection, { signingSeed }: BrokerAdmin): Promise<void> {
  const key = fromSeed(new TextEncoder().encode(signingSeed.trim())).getPublicKey()
  const answer = await connection.request(systemSubjects.facts, '', { timeout: answerMs })
  const operators = factsSchema.parse(answer.json()).data.trusted_operators_claim
  if (operators.some(({ sub, nats }) => sub === key || nats.signing_keys.includes(key))) return
  throw new Error(
    `the broker does not trust the signing key ${key}: use the operator-signing.seed of its folder, and restart it if its configuration was written again`,
  )
}

const notUpdatable =
  'write its configuration again with `nats-config` of this release, restart it, and use its `system.creds`'

/** Revocations by public key, and the time of the claims, in seconds since 1970. @throws Error when the broker does not know the account */
async function readClaims(
  connection: NatsConnection,
  account: string,
): Promise<{ known: Record<string, number>; issuedAt: number }> {
  const answer = await connection
    .request(systemSubjects.lookUp(account), '', { timeout: answerMs })
    .catch((error: unknown) => {
      throw new Error(`the broker does not answer for the claims of accounts: ${notUpdatable}`, {
        cause: error,
      })
    })
  const text = answer.string()
  if (text === '') throw new Error(`the broker does not know the account ${account}`)
  const { nats, iat } = decode<Account>(text)
  return { known: nats.revocations ?? {}, issuedAt: iat }
}

async function update(
  connection: NatsConnection,
  { account, signingSeed }: BrokerAdmin,
  revocations: Record<string, number>,
): Promise<void> {
  const signer = fromSeed(new TextEncoder().encode(signingSeed.trim()))
  const claims = await encodeAccount(
    'phonerack',
    fromPublic(account),
    { ...accountOptions, revocations },
    { signer },
  )
  const answer = await connection.request(systemSubjects.update, claims, { timeout: answerMs })
  const { data, error } = answerSchema.parse(answer.json())
  if (data === undefined)
    throw new Error(`the broker refused the claims: ${error?.description ?? 'no reason'}`)
}
