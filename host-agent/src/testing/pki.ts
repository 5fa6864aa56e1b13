/** For tests: a CA and certificates like the control plane's. */
import 'reflect-metadata'
import { webcrypto, randomBytes } from 'node:crypto'
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
  issue(names: { dns?: string; uri?: string }, purpose: 'client' | 'server'): Promise<Leaf>
}

const purposes = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' }
const validity = () => ({
  notBefore: new Date(Date.now() - 60_000),
  notAfter: new Date(Date.now() + 3_600_000),
})
const serialNumber = () => `01${randomBytes(15).toString('hex')}`
const makePair = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

export async function createTestCa(): Promise<TestCa> {
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
  return {
    caPem: ca.toString('pem'),
    async issue({ dns, uri }, purpose) {
      const pair = await makePair()
      const names: x509.JsonGeneralName[] = []
      if (dns !== undefined) names.push({ type: 'dns', value: dns })
      if (uri !== undefined) names.push({ type: 'url', value: uri })
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: 'CN=test',
        issuer: ca.subject,
        ...validity(),
        signingKey: keys.privateKey,
        publicKey: pair.publicKey,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.BasicConstraintsExtension(false),
          new x509.ExtendedKeyUsageExtension([purposes[purpose]]),
          new x509.SubjectAlternativeNameExtension(names),
          await x509.AuthorityKeyIdentifierExtension.create(ca),
        ],
      })
      const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64')
      return {
        certificatePem: certificate.toString('pem'),
        privateKeyPem: `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
      }
    },
  }
}
