/**
 * Requests Android's data wipe, and explains a refusal. Used by `wipe.ts`. AOSP
 * `TestHarnessModeService` refuses while a screen lock is set; some vendors' versions
 * refuse while an account is on the phone.
 */
import type { Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { ShellResult } from '../../adb/shell-protocol.js'
import type { Transport } from '../../adb/transport.js'
import { isDisconnect } from '../../base/device-gone.js'
import { commandFailed, run } from '../../adb/device/run.js'

const order = command('cmd', 'testharness', 'enable')

/** @throws ApiError provider_error that names the obstacle and how to remove it */
export async function orderWipe(transport: Transport, isLocked: boolean, progress: Progress): Promise<void> {
  let refusal = await enable(transport, progress)
  if (refusal === null) return
  const before = await accountTypes(transport, progress)
  if (!isLocked && before.length > 0) {
    await uninstallApps(transport, progress)
    refusal = await enable(transport, progress)
    if (refusal === null) return
  }
  const why = await obstacle(transport, isLocked, progress)
  throw commandFailed(order, refusal, `The phone refused to be wiped${why}`)
}

/**
 * Returns null when the wipe has started: the command succeeded, or the phone restarted before it answered.
 * Otherwise returns the failed result.
 */
async function enable(transport: Transport, progress: Progress): Promise<ShellResult | null> {
  try {
    const result = await transport.shell(order, progress)
    return result.exitCode === 0 ? null : result
  } catch (error) {
    if (isDisconnect(error)) return null
    throw error
  }
}

async function obstacle(transport: Transport, isLocked: boolean, progress: Progress): Promise<string> {
  if (isLocked)
    return ': a screen lock is set, and this host does not know its PIN, pattern or password. Remove the lock in the settings of the phone, then release the device again.'
  const types = await accountTypes(transport, progress)
  if (types.length > 0)
    return `: accounts of these types are on the phone: ${types.join(', ')}. Remove these accounts in the settings of the phone, then release the device again.`
  return '.'
}

/** Returns the account types in `dumpsys account`. The accounts' names are a tenant's data, and are left out. */
export function accountTypesOf(output: string): string[] {
  const types = new Set<string>()
  for (const line of output.split(/\r?\n/)) {
    if (!line.includes('Account {name=')) continue
    // An account's name can contain any character.
    const [, type] = /^, type=([\w.]+)\}/.exec(line.slice(Math.max(0, line.lastIndexOf(', type=')))) ?? []
    if (type !== undefined) types.add(type)
  }
  return [...types].sort()
}

const accountTypes = async (transport: Transport, progress: Progress): Promise<string[]> =>
  accountTypesOf(await run(transport, command('dumpsys', 'account'), progress))

/** Removes accounts by uninstalling the apps that created them. The wipe removes these apps in any case. */
async function uninstallApps(transport: Transport, progress: Progress): Promise<void> {
  const listed = await run(transport, command('cmd', 'package', 'list', 'packages', '-3'), progress)
  for (const [, name = ''] of listed.matchAll(/^package:([\w.]+)\s*$/gm))
    await transport.shell(command('pm', 'uninstall', name), progress)
}
