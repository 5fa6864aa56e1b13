import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ZodError } from 'zod'
import { runCommand } from '../../app/cli/commands.js'
import { readConfig, variables } from './config.js'
import { configurationFault } from './refusal.js'
import { readSecretFiles, secretNames } from './secret-files.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-secrets-'))
afterAll(() => rmSync(dir, { recursive: true }))
const file = (name: string, text: string): string => {
  const at = path.join(dir, name)
  writeFileSync(at, text, { mode: 0o400 })
  return at
}
const rest = { NATS_URL: 'tls://x', PHONERACK_PKI_DIR: '/x' }
const least = { ...rest, DATABASE_URL: 'postgresql://x' }

it('reads each secret from the file that its name with _FILE gives', () => {
  const config = readConfig({
    ...rest,
    DATABASE_URL_FILE: file('database', 'postgresql://from-a-file\n'),
    PHONERACK_STRIPE_SECRET_KEY_FILE: file('stripe', 'sk_1\r\n'),
    PHONERACK_STRIPE_WEBHOOK_SECRET_FILE: file('webhook', 'whsec_1'),
    PHONERACK_SMTP_URL_FILE: file('smtp', 'smtps://ann:secret@mail.example\n'),
    PHONERACK_OIDC_ISSUER: 'https://login.example',
    PHONERACK_OIDC_CLIENT_ID: 'phonerack',
    PHONERACK_OIDC_CLIENT_SECRET_FILE: file('oidc', ' with a space at each end \n'),
    PHONERACK_STORAGE: 's3',
    S3_BUCKET: 'b',
    S3_ACCESS_KEY_ID_FILE: file('s3-id', 'id'),
    S3_SECRET_ACCESS_KEY_FILE: file('s3-key', 'key'),
  })
  expect(config).toMatchObject({
    databaseUrl: 'postgresql://from-a-file',
    payments: { secretKey: 'sk_1', webhookSecret: 'whsec_1' },
    console: { mail: { smtpUrl: 'smtps://ann:secret@mail.example' } },
    signIn: { providers: [{ clientSecret: ' with a space at each end ' }] },
    storage: { s3: { credentials: { accessKeyId: 'id', secretAccessKey: 'key' } } },
  })
})

it('has the form with a file for every variable whose name or content is a secret', () => {
  const secrets = variables.filter(
    (name) => /SECRET|PASSWORD|ACCESS_KEY|DATABASE_URL|SMTP_URL/.test(name) && !name.endsWith('_FILE'),
  )
  expect(secrets.toSorted()).toEqual(secretNames.toSorted())
  for (const name of secretNames) expect(variables).toContain(`${name}_FILE`)
})

it('names the variable of a file that is missing or empty, and of a secret that is set twice', () => {
  const at = (value: string) => () => readConfig({ ...least, PHONERACK_SMTP_URL_FILE: value })
  expect(at(path.join(dir, 'none'))).toThrow(/PHONERACK_SMTP_URL_FILE: .*none cannot be read: ENOENT/)
  expect(at(dir)).toThrow(/PHONERACK_SMTP_URL_FILE: .* cannot be read: EISDIR/)
  expect(at(file('empty', '\n'))).toThrow(/PHONERACK_SMTP_URL_FILE: .*empty is empty/)
  const smtp = { PHONERACK_SMTP_URL: 'smtp://x', PHONERACK_SMTP_URL_FILE: file('twice', 'smtp://y') }
  expect(() => readConfig({ ...least, ...smtp })).toThrow(
    /PHONERACK_SMTP_URL and PHONERACK_SMTP_URL_FILE exclude each other/,
  )
})

it('keeps the content of a file out of the message about its value', () => {
  const env = { ...least, PHONERACK_SMTP_URL_FILE: file('wrong', 'ftp://ann:hunter2@mail.example') }
  let fault = ''
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ZodError) fault = configurationFault(error, env)
  }
  expect(fault).toMatch(/^configuration: PHONERACK_SMTP_URL: (?!is missing)/)
  expect(fault).not.toContain('hunter2')
})

it('changes nothing without files', () => {
  expect(readSecretFiles(least)).toEqual(least)
})

it('reads them for the commands too', async () => {
  let err = ''
  const DATABASE_URL_FILE = file('nowhere', 'postgresql://ann@127.0.0.1:1/x')
  const sink = { write: () => undefined }
  const code = await runCommand(['migrate'], sink, { write: (text) => (err += text) }, { DATABASE_URL_FILE })
  expect(code).toBe(1)
  expect(err).toContain('ECONNREFUSED')
})
