/** `./scripts/backup`: the main program. */
import path from 'node:path'
import process from 'node:process'
import { backupUsage, parseBackupArgs } from './backup/args.js'
import { runMain } from './backup/main.js'
import { writeBackup, type Backup } from './backup/write.js'

const root = path.resolve(import.meta.dirname, '..', '..')

const report = ({ dir, content }: Backup): string => `${dir}
  database: Postgres ${content.database.postgres}, ${content.database.migration}
  stored files: ${content.objects.count} (${(content.objects.bytes / 1e6).toFixed(1)} MB), listed and not copied
${
  content.contains_service_key
    ? '  ! contains the service key in clear text: any person who reads it can act as this installation'
    : `  ! a restore needs the service key ${content.service_key_id}: keep a copy of it in another place`
}
`

await runMain(
  'backup',
  backupUsage,
  () => parseBackupArgs(process.argv.slice(2), root),
  async (options, signal) => report(await writeBackup(options, signal)),
)
