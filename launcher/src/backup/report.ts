/** The output of a backup and of a restore. */
import type { Content } from './manifest.js'
import type { Backup } from './write.js'

export const backupReport = ({ dir, content }: Backup): string => `${dir}
  database: Postgres ${content.database.postgres}, ${content.database.migration}
  stored files: ${content.objects.count} (${(content.objects.bytes / 1e6).toFixed(1)} MB), listed and not copied
${
  content.contains_service_key
    ? '  ! contains the service key in clear text: any person who reads it can act as this installation'
    : `  ! a restore needs the service key ${content.service_key_id}: keep a copy of it in another place`
}
`

/** @param next the last line: how to start the service */
export const restoreReport = (
  data: string,
  { created_at, objects }: Content,
  next: string,
): string => `${data}
  has the state of ${created_at}; the database has a new epoch
  ${objects.count} stored files belong into the storage: objects.jsonl of the backup lists them
  ${next}
`
