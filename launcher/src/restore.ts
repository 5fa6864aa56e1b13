/** `./scripts/restore`: the main program. */
import process from 'node:process'
import { parseRestoreArgs, restoreUsage, type RestoreOptions } from './backup/args.js'
import { runMain } from './backup/main.js'
import type { Content } from './backup/manifest.js'
import { restoreBackup } from './backup/read.js'

const report = ({ data, databaseUrl }: RestoreOptions, { created_at, objects }: Content): string => `${data}
  has the state of ${created_at}; the database has a new epoch
  ${objects.count} stored files belong into the storage: objects.jsonl of the backup lists them
  start it with ./scripts/up --data ${data}${databaseUrl === null ? '' : ' --database-url …'}
`

await runMain(
  'restore',
  restoreUsage,
  () => parseRestoreArgs(process.argv.slice(2)),
  async (options, signal) => report(options, await restoreBackup(options, signal)),
)
