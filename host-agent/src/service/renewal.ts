/**
 * Replaces the host's certificate, and the authorities that it trusts, while the agent runs. Only the control
 * plane begins a replacement, over a connection that the current certificate secures. At each moment the disk
 * holds one identity with the key of its certificate. docs/decisions/0213, 0249
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import {
  ApiError,
  authorityFingerprint,
  certificatesIn,
  type AgentTrust,
  type Logger,
} from '@phonerack/shared'
import { z } from 'zod'
import { readJson, writeJsonSynced } from '../base/atomic-file.js'
import type { Renewal } from './grpc/identity-handlers.js'
import type { Identity } from './identity.js'

export interface RunningIdentity extends Renewal {
  readonly current: Identity
  /** SHA-256 of the current certificate, as `AB:CD:…`. */
  readonly fingerprint: string
  readonly trusted: AgentTrust
  /** Called after each renewal and each change of the trusted authorities, once the change is on disk. */
  onRenewed(listener: (identity: Identity) => void): void
}

/** Maximum number of trusted authorities: two while one replaces the other. */
const mostAuthorities = 4

const waitingSchema = z.object({ privateKeyPem: z.string() })

export function runIdentity(dataDir: string, identity: Identity, log: Logger): RunningIdentity {
  const identityFile = joinPath(dataDir, 'identity.json')
  /** The key that waits for its certificate. */
  const waitingFile = joinPath(dataDir, 'identity-next.json')
  const listeners: ((identity: Identity) => void)[] = []
  let current = identity
  let { fingerprint256: fingerprint } = new X509Certificate(identity.certificatePem)
  let trusted = trustOf(identity)

  const replace = (next: Identity): void => {
    writeJsonSynced(identityFile, next)
    current = next
    fingerprint = new X509Certificate(next.certificatePem).fingerprint256
    trusted = trustOf(next)
  }
  const waiting = (): string | null => {
    const found = readJson(waitingFile)
    if (found === null) return null
    const { privateKeyPem } = waitingSchema.parse(found)
    // The agent may have stopped after it had replaced the identity.
    return privateKeyPem === current.privateKeyPem ? null : privateKeyPem
  }

  return {
    get current() {
      return current
    },
    get fingerprint() {
      return fingerprint
    },
    get trusted() {
      return trusted
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
        throw refusal('is not for the new key of this host; begin the renewal again')
      requireSameHost(certificate, current)
      replace({ ...current, privateKeyPem, certificatePem })
      rmSync(waitingFile, { force: true })
      for (const listener of listeners) listener(current)
      log.info({ expires: certificate.validTo }, 'the certificate of this host was renewed')
    },
    trust(authorityPems) {
      const authorities = readAuthorities(authorityPems)
      if (issuerOf(new X509Certificate(current.certificatePem), authorities) === null)
        throw refusal('was not issued by these authorities')
      const caPem = authorities.join('')
      if (caPem === current.caPem) return
      replace({ ...current, caPem })
      for (const listener of listeners) listener(current)
      log.info({ authorities: authorities.map(authorityFingerprint) }, 'the trusted authorities were changed')
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

/** @throws ApiError validation_failed */
function readAuthorities(pems: readonly string[]): string[] {
  if (pems.length === 0 || pems.length > mostAuthorities) throw refusal('list is empty or too long')
  return pems.map((pem) => {
    const [only, ...more] = certificatesIn(pem)
    if (only === undefined || more.length > 0 || !read(only).ca)
      throw refusal('does not belong to one authority')
    return only
  })
}

function trustOf({ caPem, certificatePem }: Identity): AgentTrust {
  const authorities = certificatesIn(caPem)
  const issuer = issuerOf(new X509Certificate(certificatePem), authorities)
  return {
    issuer: issuer === null ? null : authorityFingerprint(issuer),
    authorities: authorities.map(authorityFingerprint),
  }
}

/** Returns the authority that issued a certificate, PEM; null when no authority in the list issued the certificate. */
function issuerOf(certificate: X509Certificate, authorities: readonly string[]): string | null {
  const isIssuer = (pem: string): boolean => {
    const authority = new X509Certificate(pem)
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
  }
  return authorities.find(isIssuer) ?? null
}

function requireSameHost(certificate: X509Certificate, { caPem, certificatePem }: Identity): void {
  if (issuerOf(certificate, certificatesIn(caPem)) === null)
    throw refusal('is not from the authority of this host')
  if (certificate.subjectAltName !== new X509Certificate(certificatePem).subjectAltName)
    throw refusal('is for another host')
}

const refusal = (why: string, cause?: unknown): ApiError =>
  new ApiError('validation_failed', { message: `The certificate ${why}.`, cause })
