/** The certificate authorities that may sign the certificates of the control plane's address and of the broker. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'

/** The certificate bundles of Debian, Red Hat, SUSE and Alpine, which Node does not read. */
const bundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/**
 * @param file PEM; its authorities replace the system's authorities. Null: the authorities of the system and
 * of Node.js. Private keys in `file` are omitted, since the control plane sends these texts to hosts.
 * @throws Error that names an unreadable file, or a file without a certificate
 */
export function trustedRoots(file: string | null): string[] {
  if (file !== null) return [readCertificates(file)]
  const bundle = process.env['SSL_CERT_FILE'] || bundles.find((path) => existsSync(path))
  const extra = process.env['NODE_EXTRA_CA_CERTS']
  return [
    ...rootCertificates,
    ...[bundle, extra].filter((path) => path !== undefined && path !== '').map((path) => read(path ?? '')),
  ]
}

const certificateBlocks = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[A-Za-z0-9+/=\s]+-----END \1-----/g

function readCertificates(file: string): string {
  const text = (read(file).match(certificateBlocks) ?? []).join('\n')
  try {
    if (new X509Certificate(text).raw.length > 0) return text
  } catch (error) {
    throw new Error(`${file} contains no certificate (PEM)`, { cause: error })
  }
  return text
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Error(`the certificate authorities in ${file} cannot be read (${why})`, { cause: error })
  }
}
