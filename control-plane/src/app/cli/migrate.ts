/** `phonerack-control-plane migrate`: applies the migrations of this release before its first replica starts. */
import { parseArgs } from 'node:util'
import { grantService } from '../../base/db/grant-service.js'
import { applyMigrations } from '../../base/db/migrate.js'
import { prepareJobs } from '../../base/queue/runner.js'
import { UsageError } from './usage-error.js'

export const migrateUsage = `       phonerack-control-plane migrate      applies the migrations of this release to the
                                            database of DATABASE_URL, and ends. With --role
                                            NAME, the role NAME may then serve: it reads and
                                            writes rows, and cannot change the schema
`

/** Returns a text that says what was applied. @throws UsageError, StartRefusal, Error when the database refuses */
export async function migrate(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const role = roleOf(args)
  const url = env['DATABASE_URL']
  if (url === undefined || url === '') throw new UsageError('DATABASE_URL must be set')
  const names = await applyMigrations(url)
  await prepareJobs(url)
  if (role !== null) await grantService(url, role)
  return names.length === 0
    ? 'The database has all migrations of this release.\n'
    : names.map((name) => `Applied ${name}\n`).join('')
}

function roleOf(args: readonly string[]): string | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { role: { type: 'string' } },
    })
    const [extra] = positionals
    if (extra !== undefined) throw new Error(`migrate takes no arguments, but got ${extra}`)
    return values.role ?? null
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
