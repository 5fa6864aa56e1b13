/**
 * Exchanges codes and refresh tokens for tokens, and ends connectors. A code is valid once; a used refresh token stays
 * valid for some seconds. A later use means that another party has the secret too, and ends the connector (RFC 9700).
 */
import { createHash } from 'node:crypto'
import { hashSecret, isSecret, limits, newSecret } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type Preset, type Profile } from '../../base/core/caller.js'
import { createSecretLookup, type SecretLookup } from '../../base/db/secret-lookup.js'
import { type ApiKey, type Connector } from '../../gen/prisma/client.js'
import { scopesWithin } from '../../rental/keys/profile.js'
import { scopesOf } from '../../rental/keys/validity.js'
import { addAudit } from '../../base/audit/audit.js'
import { revokeKey } from '../../fleet/operator/keys.js'
import { actingAs, inAuditedTransaction, type Origin, type Work } from '../../base/audit/work.js'
import { countAttempt, type AttemptLimit } from '../users/attempts.js'
import { OAuthError } from './oauth-error.js'

export interface Tokens {
  access_token: string
  token_type: 'Bearer'
  /** Lifetime in seconds. */
  expires_in: number
  refresh_token: string
  scope: string
}

type Granted = Connector & { key: ApiKey }

const refusal = (description: string): OAuthError => new OAuthError('invalid_grant', description)

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)

/** Limits the refreshes of a connector. Each refresh adds tokens, and an access token is valid for an hour. */
const perConnector: AttemptLimit = { max: 120, window: 3600 }

/** Milliseconds for which used refresh tokens are kept, to notice a second use. */
const usedLifeMs = 86_400_000

/**
 * Runs in one transaction, which also commits the changes of a refusal. Requests of one connector run one after
 * another. @throws OAuthError
 */
async function decide(
  core: Core,
  from: Origin,
  keyId: string,
  act: (work: Work<Origin>) => Promise<Tokens | OAuthError>,
): Promise<Tokens> {
  const result = await core.ownerGate.run(keyId, () => inAuditedTransaction(core, from, act))
  if (result instanceof OAuthError) throw result
  return result
}

/** Locks and returns the connector. */
async function lock({ tx }: Work<Origin>, keyId: string): Promise<Granted> {
  await tx.$queryRaw`select 1 from api_keys where id = ${keyId} for update`
  return tx.connector.findUniqueOrThrow({ where: { keyId }, include: { key: true } })
}

async function end(work: Work<Origin>, { keyId, clientName, key }: Granted, reason: string): Promise<void> {
  if (key.revokedAt) return
  const { target, before } = await revokeKey(work, keyId)
  const change = { target, before, after: { revoked_at: work.now.toISOString(), reason } }
  await addAudit(actingAs(work, keyId, `connector ${clientName}`), 'connector.end', change)
}

async function issue({ tx, now }: Work<Origin>, { keyId, key }: Granted): Promise<Tokens> {
  const [access, refresh] = [newSecret('connectorAccess'), newSecret('connectorRefresh')]
  const { accessLife, refreshLife } = limits.connectors
  const expiresAt = after(now, refreshLife)
  await tx.connectorToken.deleteMany({
    where: {
      keyId,
      OR: [{ expiresAt: { lte: now } }, { usedAt: { lt: new Date(now.getTime() - usedLifeMs) } }],
    },
  })
  await tx.connectorToken.createMany({
    data: [
      { hash: hashSecret(access), keyId, kind: 'access', expiresAt: after(now, accessLife) },
      { hash: hashSecret(refresh), keyId, kind: 'refresh', expiresAt },
    ],
  })
  await tx.apiKey.update({ where: { id: keyId }, data: { expiresAt } })
  const ofKey = scopesOf(key.preset as Preset, key.isLimited, key.askedScopes)
  const scopes = scopesWithin(key.profile as Profile, ofKey)
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: accessLife,
    refresh_token: refresh,
    scope: scopes.join(' '),
  }
}

const hasEnded = ({ key }: Granted, now: Date): boolean =>
  key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)

/** Checks the verifier of PKCE with S256 (RFC 7636). */
const isVerifier = (verifier: string, challenge: string): boolean =>
  /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) &&
  createHash('sha256').update(verifier).digest('base64url') === challenge

interface CodeExchange {
  clientId: string
  code: string
  verifier: string
  /** Null if the client did not repeat the redirect address, as OAuth 2.1 allows. */
  redirectUri: string | null
}

const unknownCode = 'The code is unknown, was used before, or has expired.'

/** @throws OAuthError invalid_grant */
export async function exchangeCode(core: Core, from: Origin, exchange: CodeExchange): Promise<Tokens> {
  const { clientId, code, verifier, redirectUri } = exchange
  if (!isSecret('connectorCode', code)) throw refusal(unknownCode)
  const found = await core.db.connector.findUnique({
    where: { codeHash: hashSecret(code) },
    select: { keyId: true },
  })
  if (!found) throw refusal(unknownCode)
  return decide(core, from, found.keyId, async (work) => {
    const granted = await lock(work, found.keyId)
    if (granted.codeUsedAt) {
      await end(work, granted, 'its code was used twice')
      return refusal(unknownCode)
    }
    if (granted.codeExpiresAt <= work.now || hasEnded(granted, work.now)) return refusal(unknownCode)
    await work.tx.connector.update({ where: { keyId: granted.keyId }, data: { codeUsedAt: work.now } })
    const isBound =
      granted.clientId === clientId && (redirectUri === null || granted.redirectUri === redirectUri)
    if (isBound && isVerifier(verifier, granted.codeChallenge)) return issue(work, granted)
    // The connector ends, because another party may have the code.
    await end(work, granted, 'its code was used by another client')
    return refusal('The code does not belong to this client, redirect_uri or code_verifier.')
  })
}

const unknownToken = 'The refresh token is unknown, was used before, or has ended.'

/** @throws OAuthError invalid_grant */
export async function refreshTokens(
  core: Core,
  from: Origin,
  { clientId, token }: { clientId: string; token: string },
): Promise<Tokens> {
  if (!isSecret('connectorRefresh', token)) throw refusal(unknownToken)
  const hash = hashSecret(token)
  const found = await core.db.connectorToken.findUnique({ where: { hash } })
  if (found?.kind !== 'refresh') throw refusal(unknownToken)
  const seconds = await countAttempt(core.db, `refresh ${found.keyId}`, perConnector)
  if (seconds !== null)
    throw new OAuthError('temporarily_unavailable', 'Too many refreshes of this connector.', 429, seconds)
  return decide(core, from, found.keyId, async (work) => {
    const granted = await lock(work, found.keyId)
    if (granted.clientId !== clientId) return refusal(unknownToken)
    const current = await work.tx.connectorToken.findUnique({ where: { hash } })
    if (!current) return refusal(unknownToken)
    // Several processes of a client share its tokens, and refresh them at the same moment.
    const isAgain =
      current.usedAt !== null && work.now < after(current.usedAt, limits.connectors.refreshAgain)
    if (current.usedAt && !isAgain) {
      await end(work, granted, 'a refresh token was used twice')
      return refusal(unknownToken)
    }
    if (current.expiresAt <= work.now || hasEnded(granted, work.now)) return refusal(unknownToken)
    if (!isAgain) await work.tx.connectorToken.update({ where: { hash }, data: { usedAt: work.now } })
    return issue(work, granted)
  })
}

const isToken = (text: string): boolean =>
  isSecret('connectorAccess', text) || isSecret('connectorRefresh', text)

/**
 * Ends the connector at the client's request. Does nothing for a token that is unknown or belongs to another client
 * (RFC 7009). Returns whether the token belongs to this client.
 */
export async function revokeToken(
  core: Core,
  from: Origin,
  { clientId, token }: { clientId: string; token: string },
): Promise<boolean> {
  if (!isToken(token)) return false
  const found = await core.db.connectorToken.findUnique({
    where: { hash: hashSecret(token) },
    select: { keyId: true, connector: { select: { clientId: true } } },
  })
  if (found?.connector.clientId !== clientId) return false
  const { keyId } = found
  await core.ownerGate.run(keyId, () =>
    inAuditedTransaction(core, from, async (work) =>
      end(work, await lock(work, keyId), 'its client has signed out'),
    ),
  )
  return true
}

/** Looks up which tokens and codes are valid, for addresses that are limited. */
export const knownTokens = ({ db, clock }: Core): SecretLookup =>
  createSecretLookup(async (hashes) => {
    const now = clock.now()
    const tokens = await db.connectorToken.findMany({
      where: { hash: { in: hashes }, expiresAt: { gt: now }, connector: { key: { revokedAt: null } } },
      select: { hash: true },
    })
    const codes = await db.connector.findMany({
      where: { codeHash: { in: hashes }, codeExpiresAt: { gt: now }, codeUsedAt: null },
      select: { codeHash: true },
    })
    return [...tokens.map(({ hash }) => hash), ...codes.map(({ codeHash }) => codeHash)]
  })
