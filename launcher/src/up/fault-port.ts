/**
 * For tests only, by the environment: what the virtual phones lack (`PHONERACK_TEST_WITHOUT`) and the port by which
 * tests break them (`PHONERACK_TEST_FAULT_PORT`). Its token lies in the data directory, for the owner alone.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Arguments of `virtual-phone/dist/main.js`. @throws when a variable is wrong */
export function testArguments(
  env: NodeJS.ProcessEnv,
  folder: string,
  phonePorts: readonly number[],
): string[] {
  const args: string[] = []
  const without = env['PHONERACK_TEST_WITHOUT'] ?? ''
  if (without !== '') args.push('--without', byPort(without, phonePorts))
  const port = env['PHONERACK_TEST_FAULT_PORT'] ?? ''
  if (port !== '') args.push('--fault-port', port, '--fault-token-file', tokenFile(folder))
  return args
}

/** `2:scrcpy`, of the second phone, becomes `7713:scrcpy`; a part without a number is every phone's. */
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

/** Mode 0600; made when absent. */
function tokenFile(folder: string): string {
  const file = path.join(folder, 'fault-token')
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
  return file
}
