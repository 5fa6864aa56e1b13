/**
 * This replica's client certificate and the trusted authorities, which grpc-js reads for each new connection. A change
 * does not affect open connections and their calls. docs/decisions/0213, 0249
 */
import { X509Certificate } from 'node:crypto'
import { type experimental } from '@grpc/grpc-js'
import { clientLifeMs, type Credentials } from '../../base/pki/authority.js'

type IdentityListener = experimental.IdentityCertificateUpdateListener
type CaListener = experimental.CaCertificateUpdateListener

export class OwnCertificate implements experimental.CertificateProvider {
  private readonly listeners = new Set<IdentityListener>()
  private readonly caListeners = new Set<CaListener>()

  constructor(private current: Credentials) {}

  get endsAt(): Date {
    return new Date(new X509Certificate(this.current.certificatePem).validTo)
  }

  /**
   * True after two thirds of the certificate's life, or when the authorities have changed. @param caPem the current
   * authorities
   */
  isDue(now: Date, caPem: string): boolean {
    return this.current.caPem !== caPem || this.endsAt.getTime() - now.getTime() < clientLifeMs / 3
  }

  /** Uses the renewed credentials for new connections. */
  use(renewed: Credentials): void {
    this.current = renewed
    for (const listener of this.caListeners) listener(this.ca)
    for (const listener of this.listeners) listener(this.identity)
  }

  private get identity() {
    const { certificatePem, privateKeyPem } = this.current
    return { certificate: Buffer.from(certificatePem), privateKey: Buffer.from(privateKeyPem) }
  }

  private get ca() {
    return { caCertificate: Buffer.from(this.current.caPem) }
  }

  addCaCertificateListener(listener: CaListener): void {
    this.caListeners.add(listener)
    listener(this.ca)
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.caListeners.delete(listener)
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.listeners.add(listener)
    listener(this.identity)
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.listeners.delete(listener)
  }
}
