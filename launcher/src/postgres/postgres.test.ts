/** The embedded Postgres: all tests use one server. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identify } from '../processes/identity.js'
import { isPortFree } from '../processes/ports.js'
import { startPostgres, type Postgres } from './index.js'

let dir: string
let server: Postgres

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-postgres-test-'))
  chmodSync(dir, 0o700)
  server = await startPostgres({ dir: path.join(dir, 'deep', 'postgres'), forTests: true })
})

afterAll(async () => {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function query(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const result = await client.query<Record<string, unknown>>(sql)
    return Object.values(result.rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}

describe('startPostgres', () => {
  it('serves UTF-8 with C.UTF-8 on the loopback address only', async () => {
    expect(await query(server.url, 'SHOW server_encoding')).toBe('UTF8')
    expect(await query(server.url, "SELECT datlocale FROM pg_database WHERE datname = 'postgres'")).toBe(
      'C.UTF-8',
    )
    expect(await query(server.url, "SELECT upper('straße ä')")).toContain('Ä')
    expect(await query(server.url, 'SHOW listen_addresses')).toBe('127.0.0.1')
    expect(await query(server.url, 'SHOW unix_socket_directories')).toBe('')
  })

  it('requires the password, which only the owner can read', async () => {
    const folder = path.join(dir, 'deep', 'postgres')
    const wrong = new URL(server.url)
    wrong.password = 'guess'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/)
    expect(statSync(path.join(folder, 'password')).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readFileSync(path.join(folder, 'password'), 'utf8').trim()).toBe(new URL(server.url).password)
  })

  it('clones a template and drops a database that is in use', async () => {
    const template = await server.createDatabase('template-of "tests"')
    await query(template, 'CREATE TABLE kept (n int)')
    const copy = await server.createDatabase('copy', 'template-of "tests"')
    expect(await query(copy, 'SELECT count(*)::int FROM kept')).toBe(0)
    const client = new Client({ connectionString: copy })
    const lost = new Promise((resolve) => client.on('error', resolve))
    await client.connect()
    await server.dropDatabase('copy')
    await lost
    expect(await server.hasDatabase('copy')).toBe(false)
    expect(await server.hasDatabase('template-of "tests"')).toBe(true)
  })

  it('works below a 0700 folder', async () => {
    expect(await query(server.url, 'SELECT 1')).toBe(1)
    if (process.getuid?.() === 0) {
      expect(execFileSync('ps', ['-o', 'user=', '-p', String(server.pid)], { encoding: 'utf8' }).trim()).toBe(
        'nobody',
      )
    }
  })

  it('frees its port after stop', async () => {
    await server.stop()
    expect(await isPortFree(server.port)).toBe(true)
    expect(identify(server.pid)).toBeNull()
  })
})
