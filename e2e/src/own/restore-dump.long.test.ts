/**
 * Backup and restore for an operator's own Postgres, by Debian's `pg_dump`: a whole system, a phone that was
 * rented after the backup, and a second folder. `restore.long.test.ts` does the same for the embedded
 * Postgres.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDebianPostgres, type DebianPostgres } from '../system/debian-postgres.js'
import { restoreInSecondFolder } from '../system/second-folder.js'
import { startSystem, stopSystem, type System } from '../system/system.js'
import { newTenant } from '../system/tenant.js'
import { isFree } from '../system/traces.js'

let postgres: DebianPostgres
let system: System
beforeAll(async () => {
  postgres = await startDebianPostgres()
  await postgres.createDatabase('phonerack')
  system = await startSystem({ virtualPhones: 1, args: ['--database-url', postgres.urlOf('phonerack')] })
})
afterAll(async () => {
  await stopSystem(system)
  await postgres.stop()
})

async function epochOf(database: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: postgres.urlOf(database) })
  await client.connect()
  try {
    return (await client.query<{ epoch: string }>('select epoch from database_epoch')).rows[0]?.epoch
  } finally {
    await client.end()
  }
}

it('wipes a phone that was rented after the backup before the next tenant gets it', async () => {
  const [a, b] = [await newTenant(system), await newTenant(system)]
  await isFree(system)
  await postgres.createDatabase('phonerack_2')
  await restoreInSecondFolder(
    system,
    { a, b },
    {
      backup: ['--database-url', postgres.bareUrlOf('phonerack')],
      restore: ['--database-url', postgres.bareUrlOf('phonerack_2')],
      up: ['--database-url', postgres.urlOf('phonerack_2')],
      env: { PGPASSWORD: postgres.password },
    },
  )
  expect(await epochOf('phonerack_2')).not.toBe(await epochOf('phonerack'))
})
