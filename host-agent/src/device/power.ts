/** Waking and sleeping by key events that say which, never by the power key, which toggles. */
import type { Progress } from '@phonerack/shared'
import { command, pipe, sequence } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import type { Power } from './device.js'
import { run } from './run.js'

const sleepKey = command('input', 'keyevent', '223')
const wakeKey = command('input', 'keyevent', '224')
export const readWakefulness = pipe(command('dumpsys', 'power'), command('grep', 'mWakefulness='))

/** Null when the phone does not say. */
export function parseAwake(output: string): boolean | null {
  const state = /mWakefulness=(\w+)/.exec(output)?.[1]
  return state === undefined ? null : state === 'Awake'
}

export function createPower(transport: Transport): Power {
  /** Waits until the phone says so itself; a phone that says nothing of it is taken at its word. */
  async function waitUntil(awake: boolean, progress: Progress): Promise<void> {
    for (;;) {
      const result = await transport.shell(readWakefulness, progress)
      const now = parseAwake(result.stdout.toString('utf8'))
      if (now === null || now === awake) return
      await progress.sleep(50, awake ? 'waking' : 'going to sleep')
    }
  }

  return {
    async wake(progress) {
      await run(transport, wakeKey, progress)
      await transport.shell(sequence(command('wm', 'dismiss-keyguard')), progress)
      await waitUntil(true, progress)
    },
    async sleep(progress) {
      await run(transport, sleepKey, progress)
      await waitUntil(false, progress)
    },
  }
}
