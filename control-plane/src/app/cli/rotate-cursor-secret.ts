/** `rotate-cursor-secret`: replaces the secret that signs the cursors of lists. */
import { commandActor } from '../../base/db/audit-log.js'
import { replaceServiceSecret } from '../../base/db/service-secret.js'
import { openDatabase } from '../../base/db/database.js'
import { UsageError } from './usage-error.js'

export const rotateCursorSecretUsage = `       phonerack-control-plane rotate-cursor-secret

Replaces the secret that signs the cursors of lists. Run it with DATABASE_URL of the control plane,
then restart the replicas one after another. Until all have restarted, lists that are being read can
answer 400, also repeatedly.
`

/** Returns the text to print. @throws UsageError */
export async function rotateCursorSecret(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  if (args.length > 0) throw new UsageError('rotate-cursor-secret takes no options')
  const url = env['DATABASE_URL']
  if (!url) throw new UsageError('DATABASE_URL must be set as for the control plane')
  const database = openDatabase(url, 1)
  try {
    await replaceServiceSecret(database.db, 'cursors', commandActor('rotate-cursor-secret', new Date()))
    return 'The secret of cursors is replaced. Restart the replicas one after another: each uses the new secret after its restart.\n'
  } finally {
    await database.close()
  }
}
