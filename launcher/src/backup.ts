/** `./scripts/backup`: the main program. */
import path from 'node:path'
import process from 'node:process'
import { backupUsage, parseBackupArgs } from './backup/args.js'
import { runMain } from './backup/main.js'
import { backupReport } from './backup/report.js'
import { writeBackup } from './backup/write.js'

const root = path.resolve(import.meta.dirname, '..', '..')

await runMain(
  'backup',
  backupUsage,
  () => parseBackupArgs(process.argv.slice(2), root),
  async (options, signal) => backupReport(await writeBackup(options, signal)),
)
