/** Reads the ID of the phone's boot, which confirms a restart. Used by `power.ts` and `wipe.ts`. */
import type { Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'

/** Changes with each start of the kernel; null when not reported. */
export async function bootId(transport: Transport, progress: Progress): Promise<string | null> {
  const result = await transport.shell(command('cat', '/proc/sys/kernel/random/boot_id'), progress)
  const id = result.stdout.toString('utf8').trim()
  return result.exitCode === 0 && id !== '' ? id : null
}
