/**
 * Test-only environment variables: `PHONERACK_TEST_WITHOUT` lists parts that the virtual phones lack,
 * `PHONERACK_TEST_MAKERS` lists makers whose forms of outputs the phones print, in turn,
 * `PHONERACK_TEST_ADB_KEYS` lists public keys of further adb servers that the phones accept (files, separated
 * by commas), and `PHONERACK_TEST_FAULT_PORT` opens the port through which tests inject faults. The port's
 * token is in the data directory, readable by its owner only.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const testKeys = (env: NodeJS.ProcessEnv): string[] =>
  (env['PHONERACK_TEST_ADB_KEYS'] ?? '').split(',').filter((file) => file !== '')

/** Arguments of `virtual-phone/dist/main.js`. @throws Error when a variable is invalid */
export function testArguments(
  env: NodeJS.ProcessEnv,
  folder: string,
  phonePorts: readonly number[],
): string[] {
  const args: string[] = []
  const without = env['PHONERACK_TEST_WITHOUT'] ?? ''
  if (without !== '') args.push('--without', byPort(without, phonePorts))
  const makers = env['PHONERACK_TEST_MAKERS'] ?? ''
  if (makers !== '') args.push('--maker', makers)
  const port = env['PHONERACK_TEST_FAULT_PORT'] ?? ''
  if (port !== '') args.push('--fault-port', port, '--fault-token-file', tokenFile(folder))
  return args
}

/**
 * `2:scrcpy`, for the second phone, becomes `7713:scrcpy`; a part without a number applies to every phone.
 */
function byPort(text: string, phonePorts: readonly number[]): string {
  return text
    .split(',')
    .map((entry) => {
      const [, number, part] = /^(\d+):(.+)$/.exec(entry) ?? []
      if (number === undefined || part === undefined) return entry
      const port = phonePorts[Number(number) - 1]
      if (port === undefined) throw new Error(`PHONERACK_TEST_WITHOUT: phone ${number} does not exist`)
      return `${port}:${part}`
    })
    .join(',')
}

/** Mode 0600; created when absent. */
function tokenFile(folder: string): string {
  const file = path.join(folder, 'fault-token')
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  return file
}
