/**
 * Replaces the host's certificate while the agent runs. Only the control plane begins it, over a
 * connection that the current certificate secures. At each moment the disk holds one identity with the
 * key of its certificate. docs/decisions/0213
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { ApiError, type Logger } from '@phonerack/shared'
import { z } from 'zod'
import { readJson, writeJsonSynced } from './base/atomic-file.js'
import type { Renewal } from './grpc/identity-handlers.js'
import type { Identity } from './identity.js'

export interface RunningIdentity extends Renewal {
  readonly current: Identity
  /** SHA-256 of the current certificate, as `AB:CD:…`. */
  readonly fingerprint: string
  /** Called after each renewal, once it is on disk. */
  onRenewed(listener: (identity: Identity) => void): void
}

const waitingSchema = z.object({ privateKeyPem: z.string() })

export function runIdentity(dataDir: string, identity: Identity, log: Logger): RunningIdentity {
  const identityFile = joinPath(dataDir, 'identity.json')
  /** The key that waits for its certificate. */
  const waitingFile = joinPath(dataDir, 'identity-next.json')
  const listeners: ((identity: Identity) => void)[] = []
  let current = identity
  let { fingerprint256: fingerprint } = new X509Certificate(identity.certificatePem)

  const waiting = (): string | null => {
    const found = readJson(waitingFile)
    if (found === null) return null
    const { privateKeyPem } = waitingSchema.parse(found)
    // The agent stopped after it had replaced the identity.
    return privateKeyPem === current.privateKeyPem ? null : privateKeyPem
  }

  return {
    get current() {
      return current
    },
    get fingerprint() {
      return fingerprint
    },
    onRenewed: (listener) => void listeners.push(listener),
    begin() {
      let privateKeyPem = waiting()
      if (privateKeyPem === null) {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
        privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
        writeJsonSynced(waitingFile, { privateKeyPem })
      }
      const publicKeyPem = createPublicKey(privateKeyPem).export({ type: 'spki', format: 'pem' }).toString()
      return { certificateFingerprint: fingerprint, publicKeyPem }
    },
    finish(certificatePem) {
      const certificate = read(certificatePem)
      if (certificate.fingerprint256 === fingerprint) return
      const privateKeyPem = waiting()
      if (privateKeyPem === null || !certificate.checkPrivateKey(createPrivateKey(privateKeyPem)))
        throw refusal('is not for the key that waits for one; begin the renewal again')
      requireSameHost(certificate, current)
      const next = { ...current, privateKeyPem, certificatePem }
      writeJsonSynced(identityFile, next)
      rmSync(waitingFile, { force: true })
      current = next
      fingerprint = certificate.fingerprint256
      for (const listener of listeners) listener(current)
      log.info({ expires: certificate.validTo }, 'renewed the certificate of this host')
    },
  }
}

function read(certificatePem: string): X509Certificate {
  try {
    return new X509Certificate(certificatePem)
  } catch (error) {
    throw refusal('is not a certificate in PEM', error)
  }
}

function requireSameHost(certificate: X509Certificate, { caPem, certificatePem }: Identity): void {
  const authority = new X509Certificate(caPem)
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey))
    throw refusal('is not from the authority of this host')
  if (certificate.subjectAltName !== new X509Certificate(certificatePem).subjectAltName)
    throw refusal('is for another host')
}

const refusal = (why: string, cause?: unknown): ApiError =>
  new ApiError('validation_failed', { message: `The certificate ${why}.`, cause })
