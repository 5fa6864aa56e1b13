/** Creates a certificate that signs itself, for a server of a test. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'

/** Writes `key.pem` and `cert.pem` into `dir`; valid for two days. @param address the server's IP address */
export function writeSelfSigned(dir: string, address: string): void {
  const files = ['-keyout', path.join(dir, 'key.pem'), '-out', path.join(dir, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync(
    'openssl',
    ['req', '-x509', ...kind, '-subj', '/CN=test', ...files, '-addext', `subjectAltName=IP:${address}`],
    { stdio: 'ignore' },
  )
}
