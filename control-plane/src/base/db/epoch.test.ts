/** The epoch across a real promotion of a standby, with its own server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eraseCluster, startPostgres } from '@phonerack/launcher/postgres'
import pg from 'pg'
import { expect, it } from 'vitest'
import { applyMigrations } from './migrate.js'

async function ask(url: string, text: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ answer: unknown }>({ text })
    return String(rows[0]?.answer)
  } finally {
    await client.end()
  }
}
const epochOf = async (url: string): Promise<string[]> =>
  (await ask(url, 'select current_epoch() as answer')).split('.')

it('changes with a promotion, immediately and without an operator', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-epoch-'))
  let postgres = await startPostgres({ dir })
  try {
    await applyMigrations(await postgres.createDatabase('plane'))
    const before = await epochOf(postgres.urlOf('plane'))
    expect(before[2]).toBe('00000001')
    await ask(postgres.url, "alter system set restore_command = 'false'")
    const data = await ask(postgres.url, "select current_setting('data_directory') as answer")
    await postgres.stop()
    // A standby that lost its primary.
    writeFileSync(path.join(data, 'standby.signal'), '')
    postgres = await startPostgres({ dir })
    const url = postgres.urlOf('plane')
    expect(await ask(url, 'select pg_is_in_recovery() as answer')).toBe('true')
    expect(await epochOf(url)).toEqual(before)
    expect(await ask(url, 'select pg_promote(true, 60) as answer')).toBe('true')
    expect(await epochOf(url)).toEqual([before[0], before[1], '00000002'])
    await postgres.stop()
    // A restart does not change the epoch.
    postgres = await startPostgres({ dir })
    expect(await epochOf(postgres.urlOf('plane'))).toEqual([before[0], before[1], '00000002'])
  } finally {
    await postgres.stop()
    eraseCluster(dir)
    rmSync(dir, { recursive: true, force: true })
  }
})
