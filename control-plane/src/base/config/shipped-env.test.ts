/** The settings file of the Debian package, and the environment of the containers. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { readConfig, variables } from './config.js'

const read = (file: string): string =>
  readFileSync(path.resolve(import.meta.dirname, '../../../../deploy', file), 'utf8')
const shipped = read('etc/control-plane.env')
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
    pkiDir: '/var/lib/phonerack-control-plane/pki',
    operator: { host: '127.0.0.1', port: 8090 },
  })
})

it('has all variables that the containers set', () => {
  const compose = [...read('compose/compose.yaml').matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)]
  const image = [...read('docker/control-plane.Dockerfile').matchAll(/^(?:ENV| ) ([A-Z][A-Z0-9_]+)=/gm)]
  const set = [...compose, ...image].map(([, name = '']) => name)
  expect(set.length).toBeGreaterThan(15)
  // PHONERACK_ENV_FILE is for the command of the package.
  const unknown = set.filter((name) => !variables.includes(name))
  expect(unknown).toEqual(['PHONERACK_ENV_FILE'])
})
