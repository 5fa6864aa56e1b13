/**
 * Joins the control plane with a one-time token: sends public keys, receives a
 * certificate and broker credentials. Called by `main.ts` at the first start.
 */
import {
  DeadlineExceeded,
  explainRefusal,
  isSpoken,
  protocol,
  readProtocolVersion,
  type Logger,
  type Progress,
} from '@phonerack/shared'
import { z } from 'zod'
import { keepRunning } from './base/keep-running.js'
import { makeKeys, type Identity } from './identity.js'

const answerSchema = z.object({
  host_id: z.string(),
  certificate_pem: z.string(),
  ca_pem: z.string(),
  nats_jwt: z.string(),
  control_plane_uri: z.string(),
  join_id: z.string().nullable().default(null),
})
const refusalSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

/** The control plane refused: a retry with the same token is pointless. */
export class JoinRefused extends Error {
  override readonly name = 'JoinRefused'
}

export interface JoinRequest {
  controlUrl: string
  token: string
  name: string
  country: string
}

/** Milliseconds. */
const answerLimit = 10_000
const pausesMs = { first: 250, cap: 5000 }

/** Retries until the control plane answers or `progress` ends. @throws JoinRefused, DeadlineExceeded */
export async function join(request: JoinRequest, log: Logger, progress: Progress): Promise<Identity> {
  let identity = null as Identity | null
  const attempt = async (): Promise<'again' | 'done'> => {
    try {
      identity = await joinOnce(request, progress)
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

async function joinOnce(request: JoinRequest, progress: Progress): Promise<Identity> {
  const keys = makeKeys()
  const response = await fetch(new URL('/host/v1/join', request.controlUrl), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [protocol.header]: String(protocol.version),
      [protocol.rejoinHeader]: 'yes',
    },
    body: JSON.stringify({
      token: request.token,
      name: request.name,
      country: request.country,
      public_key_pem: keys.publicKeyPem,
      nats_public_key: keys.natsPublicKey,
    }),
    signal: progress.within(answerLimit).signal,
    redirect: 'error',
  })
  const spoken = readProtocolVersion(response.headers.get(protocol.header) ?? undefined)
  // A refusal or a proxy's answer may have no version.
  if (response.status === 201 && !isSpoken(spoken))
    throw new JoinRefused(explainRefusal('control plane', spoken))
  const body: unknown = await response.json()
  if (response.status >= 400 && response.status < 500 && response.status !== 429) {
    const refusal = refusalSchema.safeParse(body)
    const why = refusal.success
      ? `${refusal.data.error.code}: ${refusal.data.error.message}`
      : `status ${response.status}`
    throw new JoinRefused(`the control plane refused this host: ${why}`)
  }
  if (response.status !== 201) throw new Error(`status ${response.status}`)
  const answer = answerSchema.parse(body)
  return {
    hostId: answer.host_id,
    privateKeyPem: keys.privateKeyPem,
    certificatePem: answer.certificate_pem,
    caPem: answer.ca_pem,
    controlPlaneUri: answer.control_plane_uri,
    natsJwt: answer.nats_jwt,
    natsSeed: keys.natsSeed,
    joinId: answer.join_id,
  }
}
