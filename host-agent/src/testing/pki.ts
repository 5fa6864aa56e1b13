/** For tests: a CA and certificates like the control plane's. */
import 'reflect-metadata'
import { createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

// Node's and the browser's names for the same type.
x509.cryptoProvider.set(webcrypto as Exclude<Parameters<typeof x509.cryptoProvider.set>[0], string>)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export interface Leaf {
  certificatePem: string
  privateKeyPem: string
}

export interface TestCa {
  caPem: string
  issue(names: Names, purpose: 'client' | 'server'): Promise<Leaf>
  /** Issues a server certificate for a key of another party. @param publicKeyPem SPKI, EC P-256 */
  issueFor(publicKeyPem: string, names: Names): Promise<string>
}

interface Names {
  dns?: string
  uri?: string
}

const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' }
const validity = (lifeMs = 3_600_000) => ({
  notBefore: new Date(Date.now() - 60_000),
  notAfter: new Date(Date.now() + lifeMs),
})
const serialNumber = () => `01${randomBytes(15).toString('hex')}`
const makePair = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

/** @param leafLifeMs the lifetime of issued certificates; a negative lifetime gives expired certificates */
export async function createTestCa(leafLifeMs?: number): Promise<TestCa> {
  const keys = await makePair()
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=test CA',
    ...validity(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const sign = async (publicKey: webcrypto.CryptoKey, { dns, uri }: Names, purpose: 'client' | 'server') => {
    const names: x509.JsonGeneralName[] = []
    if (dns !== undefined) names.push({ type: 'dns', value: dns })
    if (uri !== undefined) names.push({ type: 'url', value: uri })
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: 'CN=test',
      issuer: ca.subject,
      ...validity(leafLifeMs),
      signingKey: keys.privateKey,
      publicKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false),
        new x509.ExtendedKeyUsageExtension([purposes[purpose]]),
        new x509.SubjectAlternativeNameExtension(names),
        await x509.AuthorityKeyIdentifierExtension.create(ca),
      ],
    })
    return certificate.toString('pem')
  }
  return {
    caPem: ca.toString('pem'),
    async issueFor(publicKeyPem, names) {
      const der = createPublicKey(publicKeyPem).export({ type: 'spki', format: 'der' })
      const key = await webcrypto.subtle.importKey('spki', der, algorithm, true, ['verify'])
      return sign(key, names, 'server')
    },
    async issue(names, purpose) {
      const pair = await makePair()
      const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64')
      return {
        certificatePem: await sign(pair.publicKey, names, purpose),
        privateKeyPem: `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
      }
    },
  }
}
