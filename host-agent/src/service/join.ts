/**
 * Joins the control plane with a one-time token: sends public keys, receives a
 * certificate and broker credentials. Called by `main.ts` at the first start, and by
 * `phonerack-agent join`.
 */
import {
  DeadlineExceeded,
  explainRefusal,
  isLoopback,
  isSpoken,
  parseJoinToken,
  protocol,
  readProtocolVersion,
  type Logger,
  type Progress,
} from '@phonerack/shared'
import { z } from 'zod'
import { refuteAnswer } from './authority-check.js'
import { httpRequest } from '../base/http-request.js'
import { keepRunning } from '../base/keep-running.js'
import { makeKeys, type Identity } from './identity.js'

const answerSchema = z.object({
  host_id: z.string().regex(/^hst_[a-z2-7]{12}$/),
  /** The stored name and country; earlier control planes do not send them. */
  name: z.string().max(200).optional(),
  country: z.string().max(2).optional(),
  certificate_pem: z.string(),
  ca_pem: z.string(),
  nats_jwt: z.string(),
  /** Earlier control planes do not send this field. */
  nats_url: z.string().max(500).nullish(),
  nats_ca_pem: z.string().max(100_000).nullish(),
  control_plane_uri: z.string(),
  join_id: z.string().nullable().default(null),
})
const refusalSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/** The control plane refused: a retry with the same token is pointless. */
export class JoinRefused extends Error {
  override readonly name = 'JoinRefused'
}

interface JoinRequest {
  controlUrl: string
  token: string
  name: string
  /** When omitted, the host gets the country of the service's other hosts. */
  country?: string
  /** Trusted roots of an HTTPS address, PEM. */
  roots: readonly string[]
}

export interface Joined {
  identity: Identity
  /** A host that rejoins keeps its name. */
  name: string
  /** Null when an earlier control plane did not send the country. */
  country: string | null
  /** The broker's address as the control plane names it; null when it does not name a broker. */
  natsUrl: string | null
}

/** Milliseconds. */
const answerLimit = 10_000
const pausesMs = { first: 250, cap: 5000 }

export const unverifiedAuthority =
  'the join token has no fingerprint of the certificate authority, so the authority in the answer is not verified; create the token with the current release'

/** Retries until the control plane answers or `progress` ends. @throws JoinRefused, DeadlineExceeded */
export async function join(request: JoinRequest, log: Logger, progress: Progress): Promise<Identity> {
  requireEncryption(request.controlUrl)
  if (parseJoinToken(request.token)?.authority === null) log.warn(unverifiedAuthority)
  let identity = null as Identity | null
  const attempt = async (): Promise<'again' | 'done'> => {
    try {
      identity = (await joinOnce(request, progress)).identity
      return 'done'
    } catch (error) {
      if (error instanceof JoinRefused) throw error
      progress.check('joining the control plane')
      log.warn({ err: error }, 'the control plane does not respond yet')
      return 'again'
    }
  }
  await keepRunning(attempt, { signal: progress.signal, pauses: pausesMs })
  if (identity === null) throw new DeadlineExceeded('joining the control plane')
  return identity
}

/** The request contains the token, and the answer names the authority that this host will trust. */
function requireEncryption(controlUrl: string): void {
  const { protocol: scheme, hostname } = new URL(controlUrl)
  if (scheme === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''))) return
  throw new JoinRefused(
    `PHONERACK_CONTROL_URL is ${controlUrl}, which is not encrypted: use an https address, or a tunnel to a port of 127.0.0.1`,
  )
}

/** @throws JoinRefused; any other error may pass */
export async function joinOnce(request: JoinRequest, progress: Progress): Promise<Joined> {
  const token = parseJoinToken(request.token)
  if (token === null)
    throw new JoinRefused(
      'this is not a join token: a join token is prj_ and 43 characters, usually followed by a dot and a fingerprint; `ctl host token` creates a join token',
    )
  const keys = makeKeys()
  const { status, headers, body } = await httpRequest(new URL('/host/v1/join', request.controlUrl), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [protocol.header]: String(protocol.version),
      [protocol.rejoinHeader]: 'yes',
    },
    body: JSON.stringify({
      token: token.secret,
      name: request.name,
      country: request.country,
      public_key_pem: keys.publicKeyPem,
      nats_public_key: keys.natsPublicKey,
    }),
    roots: request.roots,
    signal: progress.within(answerLimit).signal,
  })
  const version = headers[protocol.header]
  const spoken = readProtocolVersion(typeof version === 'string' ? version : undefined)
  // A refusal or a proxy's answer may have no version.
  if (status === 201 && !isSpoken(spoken)) throw new JoinRefused(explainRefusal('control plane', spoken))
  if (status >= 400 && status < 500 && status !== 429) throw new JoinRefused(refusalText(status, body))
  if (status !== 201) throw new Error(`status ${status}`)
  const answer = answerSchema.parse(JSON.parse(body))
  const { host_id: hostId, certificate_pem: certificatePem, ca_pem: caPem } = answer
  const wrong = refuteAnswer({ hostId, certificatePem, caPem }, keys.publicKeyPem, token.authority)
  if (wrong !== null)
    throw new JoinRefused(
      `the answer of ${new URL(request.controlUrl).origin} is not trusted, and nothing was stored: ${wrong}`,
    )
  const identity = {
    hostId,
    privateKeyPem: keys.privateKeyPem,
    certificatePem,
    caPem,
    controlPlaneUri: answer.control_plane_uri,
    natsJwt: answer.nats_jwt,
    natsSeed: keys.natsSeed,
    joinId: answer.join_id,
    natsCaPem: answer.nats_ca_pem ?? null,
  }
  return {
    identity,
    name: answer.name ?? request.name,
    country: answer.country ?? request.country ?? null,
    natsUrl: answer.nats_url ?? null,
  }
}

function refusalText(status: number, body: string): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  const { data } = refusalSchema.safeParse(parsed)
  const why = data ? `${data.error.code}: ${data.error.message}` : `status ${status}`
  return `the control plane refused this host: ${why}`
}
