/**
 * The certificate authority between control plane and hosts, shared by the replicas (`db/installation.ts`). Issues the
 * control plane's client certificates, the certificates of joining hosts, and the broker's for `nats-config`.
 */
import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'
import { authorityFingerprint } from '@phonerack/shared'
import { tunnelName } from '@phonerack/shared/tunnel'
import { fromPem, toPem } from './pem.js'

export const controlPlaneUri = 'spiffe://phonerack/control-plane'
const brokerUri = 'spiffe://phonerack/broker'
const tunnelUri = 'spiffe://phonerack/tunnel'
export const hostUri = (hostId: string): string => `spiffe://phonerack/host/${hostId}`
/** The name in a host's certificate, which the control plane verifies at any address. */
export const hostDnsName = (hostId: string): string => `${hostId}.host.phonerack.internal`

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const serverAuth = '1.3.6.1.5.5.7.3.1'
const clientAuth = '1.3.6.1.5.5.7.3.2'
const day = 86_400_000
const caLife = 3650 * day
/** Milliseconds. */
export const hostLifeMs = 365 * day
/** Milliseconds. */
export const clientLifeMs = 365 * day
const brokerLife = 365 * day

export interface Credentials {
  certificatePem: string
  privateKeyPem: string
  caPem: string
}

/** An authority in its stored form. */
export interface AuthorityPem {
  certificatePem: string
  /** PKCS #8. */
  privateKeyPem: string
}

export class Authority {
  private constructor(
    private readonly certificate: x509.X509Certificate,
    private readonly key: webcrypto.CryptoKey,
  ) {}

  static async of({ certificatePem, privateKeyPem }: AuthorityPem): Promise<Authority> {
    const der = fromPem('PRIVATE KEY', privateKeyPem)
    const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
    return new Authority(new x509.X509Certificate(fromPem('CERTIFICATE', certificatePem)), key)
  }

  get caPem(): string {
    return `${this.certificate.toString('pem')}\n`
  }

  /** The time at which the authority's own certificate expires. */
  get endsAt(): Date {
    return this.certificate.notAfter
  }

  /** The form that join tokens contain. */
  get fingerprint(): string {
    return authorityFingerprint(this.caPem)
  }

  /** Issues a new key and client certificate for this process. */
  async issueClient(): Promise<Credentials> {
    const keys = await newKeys()
    const certificatePem = await this.issue('control-plane', keys.publicKey, clientLifeMs, clientAuth, [
      { type: 'url', value: controlPlaneUri },
    ])
    const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
    return { certificatePem, privateKeyPem: toPem('PRIVATE KEY', der), caPem: this.caPem }
  }

  /** Issues a new key and server certificate for this process's listener of tunnels. */
  async issueTunnel(): Promise<Credentials> {
    const keys = await newKeys()
    const certificatePem = await this.issue('tunnel', keys.publicKey, clientLifeMs, serverAuth, [
      { type: 'dns', value: tunnelName },
      { type: 'url', value: tunnelUri },
    ])
    const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
    return { certificatePem, privateKeyPem: toPem('PRIVATE KEY', der), caPem: this.caPem }
  }

  /**
   * Issues a server certificate for a host's key. @param publicKeyPem SPKI, EC P-256 @throws Error
   * for any other key
   */
  async issueHost(hostId: string, publicKeyPem: string): Promise<string> {
    const der = fromPem('PUBLIC KEY', publicKeyPem)
    const key = await webcrypto.subtle.importKey('spki', der, algorithm, true, ['verify'])
    return this.issue(hostId, key, hostLifeMs, serverAuth, [
      { type: 'dns', value: hostDnsName(hostId) },
      { type: 'url', value: hostUri(hostId) },
    ])
  }

  /**
   * Issues a new key and server certificate for the broker. @param names DNS names and IP addresses by which its
   * clients connect
   */
  async issueBroker(names: readonly string[]): Promise<Omit<Credentials, 'caPem'>> {
    const keys = await newKeys()
    const certificatePem = await this.issue('broker', keys.publicKey, brokerLife, serverAuth, [
      ...names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      { type: 'url', value: brokerUri },
    ])
    const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
    return { certificatePem, privateKeyPem: toPem('PRIVATE KEY', der) }
  }

  private async issue(
    commonName: string,
    publicKey: webcrypto.CryptoKey,
    life: number,
    usage: string,
    names: x509.JsonGeneralNames,
  ): Promise<string> {
    const certificate = await x509.X509CertificateGenerator.create({
      ...validFor(life),
      subject: `CN=${commonName}`,
      issuer: this.certificate.subject,
      signingKey: this.key,
      publicKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        new x509.SubjectAlternativeNameExtension(names),
        await x509.AuthorityKeyIdentifierExtension.create(this.certificate),
      ],
    })
    return `${certificate.toString('pem')}\n`
  }
}

const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

const validFor = (life: number) => ({
  // A first byte below 0x80 keeps the serial positive.
  serialNumber: `01${randomBytes(15).toString('hex')}`,
  // The clocks of this machine and of hosts may differ by hours.
  notBefore: new Date(Date.now() - day),
  notAfter: new Date(Date.now() + life),
})

export async function newAuthority(): Promise<AuthorityPem> {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validFor(caLife),
    name: 'CN=Phonerack hosts',
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem: toPem('PRIVATE KEY', der) }
}

/** Reads the `ca.pem` of earlier releases: certificate and key. @throws Error when it lacks one */
export function splitPem(text: string): AuthorityPem {
  const certificate = new x509.X509Certificate(fromPem('CERTIFICATE', text))
  const privateKeyPem = toPem('PRIVATE KEY', fromPem('PRIVATE KEY', text))
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem }
}
