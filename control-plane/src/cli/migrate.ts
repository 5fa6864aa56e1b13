/** `phonerack-control-plane migrate`: applies the migrations of this release before its first replica starts. */
import { applyMigrations } from '../db/migrate.js'
import { prepareJobs } from '../queue/runner.js'
import { UsageError } from './usage-error.js'

export const migrateUsage = `       phonerack-control-plane migrate      applies the migrations of this release to the
                                            database of DATABASE_URL, and ends
`

/** Returns what it did. @throws UsageError, StartRefusal, Error when the database refuses */
export async function migrate(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [extra] = args
  if (extra !== undefined) throw new UsageError(`migrate takes no arguments, but got ${extra}`)
  const url = env['DATABASE_URL']
  if (url === undefined || url === '') throw new UsageError('DATABASE_URL must be set')
  const names = await applyMigrations(url)
  await prepareJobs(url)
  return names.length === 0
    ? 'The database has all migrations of this release.\n'
    : names.map((name) => `Applied ${name}\n`).join('')
}
