import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { trustedRoots } from './trusted-roots.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-roots-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const at = (name: string): string => path.join(dir, name)

it('keeps the certificates of a file only, not a private key', () => {
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=a',
    ].concat(['-keyout', at('key.pem'), '-out', at('cert.pem'), '-days', '2']),
    { stdio: 'ignore' },
  )
  const [key, certificate] = [readFileSync(at('key.pem'), 'utf8'), readFileSync(at('cert.pem'), 'utf8')]
  writeFileSync(at('both.pem'), `comment\n${certificate}${key}${certificate}`)
  expect(trustedRoots(at('both.pem'))).toEqual([`${certificate}${certificate}`.trim()])
  writeFileSync(at('key-only.pem'), key)
  expect(() => trustedRoots(at('key-only.pem'))).toThrow(/contains no certificate/)
})
