// Each command that replaces a key leaves one entry in the audit log, without a secret.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { useWorld, type Plane } from '../../testing/world.js'
import { runCommand } from './commands.js'

const world = useWorld()

async function run({ config }: Plane, words: readonly string[], withDatabase = true) {
  let text = ''
  const write = { write: (more: string) => (text += more) }
  const { databaseUrl, pkiDir } = config
  const env = withDatabase ? { DATABASE_URL: databaseUrl, PHONERACK_PKI_DIR: pkiDir } : {}
  return { code: await runCommand(words, write, write, env), text }
}

interface Entry {
  token_id: string
  token_name: string
  address: string
  request_id: string
  action: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Oldest first. */
async function entriesOf({ operator, operatorToken }: Plane): Promise<Entry[]> {
  const headers = { authorization: `Bearer ${operatorToken}` }
  const answer = await operator.inject({ url: '/operator/v1/audit?limit=100', headers })
  return answer
    .json<{ data: Entry[] }>()
    .data.filter(({ token_id: id }) => id === 'command')
    .reverse()
}

/** The text of all files in a folder that only their owner may read. */
const secretsIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:key|seed|creds)(?:\.|$)/.test(name))
    .flatMap((name) => readFileSync(path.join(dir, name), 'utf8').split('\n'))
    .map((line) => line.trim())
    .filter((line) => line.length > 20 && !line.startsWith('-'))

it('records each replacement of a key, and no refused one', async () => {
  const plane = await world.start()
  const dir = path.join(world.dir, 'nats')
  const commands = [
    ['rotate-authority begin', 'authority.begin'],
    ['rotate-authority cancel', 'authority.cancel'],
    ['rotate-authority begin', 'authority.begin'],
    ['rotate-authority switch --force', 'authority.switch'],
    ['rotate-service-key', 'service_key.rotate'],
    ['rotate-authority finish --force', 'authority.finish'],
    ['rotate-cursor-secret', 'service_secret.rotate'],
    [`nats-config --dir ${dir} --listen 127.0.0.1:4999 --name nats.example`, 'nats.issue_certificate'],
    [`nats-config --dir ${dir} --renew`, 'nats.issue_certificate'],
    [`nats-config --dir ${dir} --rotate`, 'nats.rotate_keys'],
    [`nats-config --dir ${dir} --rotate-account`, 'nats.rotate_account'],
  ] as const
  expect((await run(plane, ['rotate-authority', 'switch'])).code).toBe(1)
  for (const [command] of commands) {
    const { code, text } = await run(plane, command.split(' '))
    expect(code, `${command}: ${text}`).toBe(0)
    expect(text).not.toContain('no entry')
  }
  expect((await run(plane, ['rotate-authority', 'status'])).code).toBe(0)

  const entries = await entriesOf(plane)
  expect(entries.map(({ action }) => action)).toEqual(commands.map(([, action]) => action))
  for (const entry of entries) expect(entry).toMatchObject({ address: '', token_id: 'command' })
  expect(entries[0]?.token_name).toMatch(new RegExp(`^\\S.* on ${hostname()}$`))
  expect(entries[3]?.request_id).toBe('rotate-authority switch --force')
  const { signing } = entries[0]?.before ?? {}
  const { next } = entries[2]?.after ?? {}
  expect(signing).toMatch(/\w{16}/)
  expect(entries.slice(2, 6).map(({ before, after }) => [before?.['signing'], after])).toEqual([
    [signing, { phase: 'begun', signing, next }],
    [signing, { phase: 'switched', signing: next, next }],
    [undefined, { service_key: expect.stringMatching(/^[0-9a-f]{16}$/) as string }],
    [next, { phase: 'closed', signing: next, next: null }],
  ])
  expect(entries.at(-1)?.after).toEqual({ account: expect.stringMatching(/^A[A-Z2-7]{55}$/) as string })

  const secrets = [...secretsIn(plane.config.pkiDir), ...secretsIn(dir)]
  expect(secrets.length).toBeGreaterThan(4)
  const all = JSON.stringify(entries)
  for (const secret of secrets) expect(all).not.toContain(secret)
})

it('says that a rotation without the database has no entry', async () => {
  const plane = await world.start()
  const dir = path.join(world.dir, 'alone')
  expect((await run(plane, ['nats-config', '--dir', dir], false)).code).toBe(0)
  const { code, text } = await run(plane, ['nats-config', '--dir', dir, '--rotate'], false)
  expect([code, text]).toEqual([
    0,
    expect.stringContaining('no entry about this rotation, since DATABASE_URL is not set'),
  ])
  const seed = path.join(dir, 'account.seed')
  expect(existsSync(seed)).toBe(true)
  expect(await entriesOf(plane)).toEqual([])
})
