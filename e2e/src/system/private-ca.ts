/** A certificate authority of an operator, with certificates for servers of a test. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
const openssl = (args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' })

export interface PrivateCa {
  /** The authority's certificate, as PEM. */
  file: string
  /** @param address the server's IP address */
  issue(address: string): { key: string; cert: string }
}

/** Writes the authority's files into `dir`. Its certificates are valid for two days. */
export function createPrivateCa(dir: string): PrivateCa {
  const of = (name: string): string => path.join(dir, name)
  const [file, caKey] = [of('ca.pem'), of('ca-key.pem')]
  const subject = ['-subj', '/CN=private authority', '-days', '2']
  openssl(['req', '-x509', ...newKey, ...subject, '-keyout', caKey, '-out', file])
  return privateCaIn(dir)
}

/** Reads an authority that `createPrivateCa` wrote into `dir`. */
export function privateCaIn(dir: string): PrivateCa {
  const of = (name: string): string => path.join(dir, name)
  const [file, caKey] = [of('ca.pem'), of('ca-key.pem')]
  let count = 0
  return {
    file,
    issue(address) {
      count += 1
      const numbered = (name: string): string => of(`${name}-${count}.pem`)
      const [key, request, cert] = [numbered('key'), numbered('request'), numbered('cert')]
      writeFileSync(of('names.cnf'), `subjectAltName=IP:${address}\n`)
      openssl(['req', ...newKey, '-subj', '/CN=receiver', '-keyout', key, '-out', request])
      const signing = ['-CA', file, '-CAkey', caKey, '-set_serial', String(count), '-days', '2']
      openssl(['x509', '-req', '-in', request, ...signing, '-extfile', of('names.cnf'), '-out', cert])
      return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
    },
  }
}
