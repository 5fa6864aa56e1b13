/**
 * Revokes users of the broker: adds them to the claims of the account, which the broker's resolver takes from a user
 * of the system account. The broker closes their connections and refuses them, even after a restart.
 * docs/decisions/0221
 */
import { randomUUID } from 'node:crypto'
import { decode, encodeAccount, fromPublic, fromSeed, type Account, type KeyPair } from '@nats-io/jwt'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { z } from 'zod'
import { brokerTls, type BrokerAuthorities } from '../broker-tls.js'
import { accountOptions, systemSubjects } from './trust.js'

export interface BrokerAdmin {
  url: string
  /** The authorities for `tls:` URLs. */
  authorities: BrokerAuthorities
  /** Public key of the account whose users are revoked, `A…`. */
  account: string
  /** nkey seed of a signing key of the operator, `SO…`. */
  signingSeed: string
  /** Text of a `.creds` file: a user in the system account. */
  systemCreds: string
}

/** Milliseconds for each answer of the broker. */
const answerMs = 5000

/** The number of attempts, since another replica may replace the claims at the same time. */
const attempts = 5

/**
 * Seconds since 1970, 2100-01-01. Users that were issued earlier are revoked. Each key has one user, so no
 * other user is affected. The clock of the replica that issued the user may have been far ahead.
 */
const forGood = 4_102_444_800

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
 * Revokes all users with these public keys (`U…`) permanently, in addition to earlier revocations. Returns
 * the number of new revocations.
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
    const revocations = { ...known, ...Object.fromEntries(missing.map((key) => [key, forGood])) }
    // Servers compare times of claims in seconds and keep the newer claims. The clock of the replica that
    // wrote the last claims may be far ahead.
    const newer = Math.max(issuedAt + 1, Math.floor(Date.now() / 1000))
    await update(connection, admin, revocations, newer)
  }
  throw new Error('the claims of the account on the broker changed again and again')
}

/** Without this field, nats-server 2.9 stores claims that it does not trust, and then refuses every user. */
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
  issuedAt: number,
): Promise<void> {
  const signer = fromSeed(new TextEncoder().encode(signingSeed.trim()))
  const claims = await encodeAccount(
    'phonerack',
    fromPublic(account),
    { ...accountOptions, revocations },
    { signer },
  )
  const text = reissued(claims, issuedAt, signer)
  const answer = await connection.request(systemSubjects.update, text, { timeout: answerMs })
  const { data, error } = answerSchema.parse(answer.json())
  if (data === undefined)
    throw new Error(`the broker refused the claims: ${error?.description ?? 'no reason'}`)
}

const claimsSchema = z.looseObject({ iat: z.int() })

/** The claims with another time, in seconds since 1970, which the library takes from the machine's clock. */
export function reissued(jwt: string, iat: number, signer: KeyPair): string {
  const [header = '', body = ''] = jwt.split('.')
  const claims = claimsSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  // Servers ignore claims whose ID is the ID of the stored claims.
  const changed = JSON.stringify({ ...claims, iat, jti: randomUUID() })
  const text = `${header}.${Buffer.from(changed).toString('base64url')}`
  return `${text}.${Buffer.from(signer.sign(new TextEncoder().encode(text))).toString('base64url')}`
}
