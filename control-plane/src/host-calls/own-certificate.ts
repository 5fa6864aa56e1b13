/**
 * The client certificate of this replica, as grpc-js reads it for each new connection: a renewal leaves open
 * connections and their calls alone. docs/decisions/0213
 */
import { X509Certificate } from 'node:crypto'
import { type experimental } from '@grpc/grpc-js'
import { clientLifeMs, type Credentials } from '../pki/authority.js'

type IdentityListener = experimental.IdentityCertificateUpdateListener
type CaListener = experimental.CaCertificateUpdateListener

export class OwnCertificate implements experimental.CertificateProvider {
  private readonly listeners = new Set<IdentityListener>()

  constructor(private current: Credentials) {}

  get endsAt(): Date {
    return new Date(new X509Certificate(this.current.certificatePem).validTo)
  }

  /** Two thirds of its life are over. */
  isDue(now: Date): boolean {
    return this.endsAt.getTime() - now.getTime() < clientLifeMs / 3
  }

  /** For new connections. @param renewed from the same authority */
  use(renewed: Credentials): void {
    this.current = renewed
    for (const listener of this.listeners) listener(this.identity)
  }

  private get identity() {
    const { certificatePem, privateKeyPem } = this.current
    return { certificate: Buffer.from(certificatePem), privateKey: Buffer.from(privateKeyPem) }
  }

  addCaCertificateListener(listener: CaListener): void {
    listener({ caCertificate: Buffer.from(this.current.caPem) })
  }

  removeCaCertificateListener(): void {
    // The CA does not change.
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.listeners.add(listener)
    listener(this.identity)
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.listeners.delete(listener)
  }
}
