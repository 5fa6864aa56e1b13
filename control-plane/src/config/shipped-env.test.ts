/** The settings file of the Debian package. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { readConfig, variables } from './config.js'

const shipped = readFileSync(
  path.resolve(import.meta.dirname, '../../../deploy/etc/control-plane.env'),
  'utf8',
)
/** With all examples; those without a value stay out. */
const examples = shipped.replaceAll(/^#([A-Z0-9_]+=.+)$/gm, '$1')

it('names only variables that the control plane has', () => {
  const named = Object.keys(parseEnv(examples))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !variables.includes(name))).toEqual([])
})

it('has valid examples, and defaults that need only a database and a broker', () => {
  expect(readConfig(parseEnv(examples))).toMatchObject({
    http: { host: '127.0.0.1', port: 8080, trustedProxies: ['127.0.0.1'] },
    storage: { kind: 'fs', dir: '/var/lib/phonerack-control-plane/storage' },
  })
  const least = { ...parseEnv(shipped), DATABASE_URL: 'postgresql://x', NATS_URL: 'nats://127.0.0.1' }
  expect(readConfig(least)).toMatchObject({
    ...{ pkiDir: '/var/lib/phonerack-control-plane/pki', operator: { host: '127.0.0.1', port: 8090 } },
  })
})
