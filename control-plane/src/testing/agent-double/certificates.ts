/** The certificate of a double. The double renews it as the real agent does, without a disk. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { experimental, type ServerCredentials } from '@grpc/grpc-js'
import { type HostServiceServer } from '@phonerack/proto'
import { authorityFingerprint, certificatesIn, type AgentTrust } from '@phonerack/shared'
import { answer } from './answers.js'

type IdentityListener = experimental.IdentityCertificateUpdateListener
type CaListener = experimental.CaCertificateUpdateListener

const newKeys = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

export class DoubleCertificates implements experimental.CertificateProvider {
  private readonly listeners = new Set<IdentityListener>()
  private readonly caListeners = new Set<CaListener>()
  private waiting: ReturnType<typeof newKeys> | null = null
  private known: AgentTrust | null = null

  constructor(private identity: { ca: Buffer; certificate: Buffer; key: Buffer }) {}

  /** Credentials for a server. */
  credentials(): ServerCredentials {
    return experimental.createCertificateProviderServerCredentials(this, this, true)
  }

  get fingerprint(): string {
    return new X509Certificate(this.identity.certificate).fingerprint256
  }

  /** PEM. */
  get pair(): { certificatePem: string; privateKeyPem: string } {
    const { certificate, key } = this.identity
    return { certificatePem: certificate.toString(), privateKeyPem: key.toString() }
  }

  /** PEM. */
  get authorities(): string {
    return this.identity.ca.toString()
  }

  get trusted(): AgentTrust {
    return (this.known ??= this.readTrust())
  }

  private readTrust(): AgentTrust {
    const authorities = certificatesIn(this.authorities)
    const certificate = new X509Certificate(this.identity.certificate)
    const issuer = authorities.find((pem) => certificate.verify(new X509Certificate(pem).publicKey))
    return {
      issuer: issuer === undefined ? null : authorityFingerprint(issuer),
      authorities: authorities.map(authorityFingerprint),
    }
  }

  trust(authorityPems: readonly string[]): void {
    this.identity = { ...this.identity, ca: Buffer.from(authorityPems.join('')) }
    this.known = null
    for (const listener of this.caListeners) listener({ caCertificate: this.identity.ca })
  }

  begin() {
    this.waiting ??= newKeys()
    return { certificateFingerprint: this.fingerprint, publicKeyPem: this.waiting.publicKey }
  }

  finish(certificatePem: string): void {
    if (new X509Certificate(certificatePem).fingerprint256 === this.fingerprint) return
    if (!this.waiting) throw new Error('no key waits for a certificate')
    const [certificate, key] = [Buffer.from(certificatePem), Buffer.from(this.waiting.privateKey)]
    this.identity = { ...this.identity, certificate, key }
    this.known = null
    this.waiting = null
    for (const listener of this.listeners) listener({ certificate, privateKey: key })
  }

  addCaCertificateListener(listener: CaListener): void {
    this.caListeners.add(listener)
    queueMicrotask(() => listener({ caCertificate: this.identity.ca }))
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.caListeners.delete(listener)
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.listeners.add(listener)
    const { certificate, key: privateKey } = this.identity
    queueMicrotask(() => listener({ certificate, privateKey }))
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.listeners.delete(listener)
  }
}

/** @param renewed is called after the certificate has changed */
export const renewalCalls = (
  certificates: DoubleCertificates,
  renewed: () => void,
): Pick<HostServiceServer, 'beginRenewal' | 'finishRenewal' | 'trustAuthorities'> => ({
  beginRenewal: (_call, callback) => answer(callback, () => Promise.resolve(certificates.begin())),
  trustAuthorities: (call, callback) =>
    answer(callback, () => {
      certificates.trust(call.request.authorityPems)
      renewed()
      return Promise.resolve({})
    }),
  finishRenewal: (call, callback) =>
    answer(callback, () => {
      certificates.finish(call.request.certificatePem)
      renewed()
      return Promise.resolve({})
    }),
})
