/** `./scripts/restore`: the main program. */
import process from 'node:process'
import { parseRestoreArgs, restoreUsage } from './backup/args.js'
import { runMain } from './backup/main.js'
import { restoreBackup } from './backup/read.js'
import { restoreReport } from './backup/report.js'

await runMain(
  'restore',
  restoreUsage,
  () => parseRestoreArgs(process.argv.slice(2)),
  async (options, signal) => {
    const { data, databaseUrl } = options
    const next = `start it with ./scripts/up --data ${data}${databaseUrl === null ? '' : ' --database-url …'}`
    return restoreReport(data, await restoreBackup(options, signal), next)
  },
)
