/** A process of Phonerack counts as healthy only if it answers at its own port. */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { openFolder, type ServiceName } from './folder.js'
import { isHealthy, nodeService } from './services.js'

afterEach(() => vi.unstubAllEnvs())

it('is healthy only with its own token, and not when nothing listens', async () => {
  const foreign = createServer((request, response) => {
    const isKnown = request.url === '/healthz' || request.headers.authorization === 'Bearer theirs'
    response.writeHead(isKnown ? 200 : 401).end('{}')
  })
  foreign.listen(0, '127.0.0.1')
  await once(foreign, 'listening')
  const base = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`
  expect(await isHealthy(`${base}/healthz`)).toBe(true)
  expect(await isHealthy(`${base}/operator/v1/hosts`, 'ours')).toBe(false)
  expect(await isHealthy(`${base}/operator/v1/hosts`, 'theirs')).toBe(true)
  foreign.closeAllConnections()
  foreign.close()
  await once(foreign, 'close')
  expect(await isHealthy(`${base}/healthz`)).toBe(false)
})

it.each<[ServiceName, string[]]>([
  [
    'control-plane',
    ['PHONERACK_STRIPE_SECRET_KEY', 'S3_SECRET_ACCESS_KEY', 'AWS_PROFILE', 'PHONERACK_REBOOT_EVERY'],
  ],
  ['host-agent', ['PHONERACK_RECORDING_BYTES']],
  ['virtual-phones', ['PHONERACK_VIRTUAL_PHONE_PACE']],
])('gives %s its own settings and no secret of another program', async (name, inherited) => {
  const settings = [
    ...['PHONERACK_STRIPE_SECRET_KEY', 'PHONERACK_STRIPE_WEBHOOK_SECRET', 'PHONERACK_STRIPE_URL'],
    ...['PHONERACK_SMTP_URL', 'PHONERACK_OIDC_CLIENT_SECRET_FILE'],
    ...['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'S3_BUCKET', 'AWS_PROFILE', 'AWS_SESSION_TOKEN'],
    ...[
      'DATABASE_URL',
      'NATS_CREDS_FILE',
      'PHONERACK_OPERATOR_TOKEN',
      'PHONERACK_JOIN_TOKEN',
      'GITHUB_TOKEN',
    ],
    ...['PHONERACK_REBOOT_EVERY', 'PHONERACK_RECORDING_BYTES', 'PHONERACK_VIRTUAL_PHONE_PACE'],
  ]
  for (const each of settings) vi.stubEnv(each, 'of up')
  const root = mkdtempSync(path.join(tmpdir(), 'phonerack-environment-'))
  const seen = path.join(root, 'seen.json')
  const script = `require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env)); setInterval(() => {}, 1000)`
  writeFileSync(path.join(root, 'program.cjs'), script)
  const program = { root, folder: openFolder(path.join(root, 'data')), name, script: 'program.cjs' }
  const service = nodeService({
    ...program,
    env: { GIVEN: 'yes' },
    readyWithinMs: 30_000,
    ready: () => Promise.resolve(existsSync(seen) && readFileSync(seen, 'utf8').endsWith('}')),
  })
  const running = await service.start()
  try {
    const environment = JSON.parse(readFileSync(seen, 'utf8')) as Record<string, string>
    expect(environment).toMatchObject({ GIVEN: 'yes', PATH: process.env['PATH'] })
    for (const each of inherited) expect(environment, each).toHaveProperty(each, 'of up')
    const secrets = settings.filter((each) => /TOKEN|STRIPE|SMTP|SECRET|^S3_|^AWS_|DATABASE|NATS/.test(each))
    const foreign =
      name === 'control-plane'
        ? ['PHONERACK_OPERATOR_TOKEN', 'PHONERACK_JOIN_TOKEN', 'GITHUB_TOKEN']
        : secrets
    for (const each of foreign) expect(environment, each).not.toHaveProperty(each)
  } finally {
    await running.stop()
    rmSync(root, { recursive: true, force: true })
  }
})
