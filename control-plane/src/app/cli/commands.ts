/** The commands of `phonerack-control-plane`. Exit codes: 0 done, 1 failed, 2 wrong command line. */
import { backup, backupUsage, restore, restoreUsage } from './backup.js'
import { readSecretFiles } from '../../base/config/secret-files.js'
import { migrate, migrateUsage } from './migrate.js'
import { natsConfig, natsConfigUsage } from './nats-config.js'
import { rotateAuthority, rotateAuthorityUsage } from './rotate-authority.js'
import { rotateCursorSecret, rotateCursorSecretUsage } from './rotate-cursor-secret.js'
import { rotateKey, rotateServiceKeyUsage } from './rotate-service-key.js'
import { UsageError } from './usage-error.js'

interface Output {
  write(text: string): unknown
}

const usage = `Usage: phonerack-control-plane              serves; see docs/settings.md for its environment
${migrateUsage}${natsConfigUsage}
${rotateServiceKeyUsage}
${rotateAuthorityUsage}
${rotateCursorSecretUsage}
${backupUsage}
${restoreUsage}`

export async function runCommand(
  [name, ...args]: readonly string[],
  out: Output,
  err: Output,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  try {
    if (name === '--help' || name === '-h' || args.includes('--help')) {
      out.write(usage)
      return 0
    }
    const env = readSecretFiles(environment)
    if (name === 'nats-config') out.write(await natsConfig(args, env))
    else if (name === 'migrate') out.write(await migrate(args, env))
    else if (name === 'rotate-service-key') out.write(await rotateKey(args, env))
    else if (name === 'rotate-authority') out.write(await rotateAuthority(args, env))
    else if (name === 'rotate-cursor-secret') out.write(await rotateCursorSecret(args, env))
    else if (name === 'backup') out.write(await backup(args, env))
    else if (name === 'restore') out.write(await restore(args, env))
    else throw new UsageError(`the command ${name} does not exist`)
    return 0
  } catch (error) {
    err.write(`phonerack-control-plane: ${error instanceof Error ? error.message : String(error)}\n`)
    if (!(error instanceof UsageError)) return 1
    err.write('See phonerack-control-plane --help\n')
    return 2
  }
}
