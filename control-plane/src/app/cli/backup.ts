/** `backup` and `restore`: the code of `./scripts/backup` and `./scripts/restore`, with the settings of the control plane. */
import { backupService, restoreService, UsageError as Misuse } from '@phonerack/launcher/backup'
import { UsageError } from './usage-error.js'

export { backupUsage, restoreUsage } from '@phonerack/launcher/backup'

type Command = typeof backupService

const withOwnErrors =
  (command: Command): Command =>
  async (args, env) => {
    try {
      return await command(args, env)
    } catch (error) {
      throw error instanceof Misuse ? new UsageError(error.message, { cause: error }) : error
    }
  }

/** Returns the text to print. @throws UsageError */
export const backup = withOwnErrors(backupService)
/** Returns the text to print. @throws UsageError */
export const restore = withOwnErrors(restoreService)
