/** Wakes and sleeps by separate key events, since the power key would toggle. */
import { ApiError, DeadlineExceeded, type Progress } from '@phonerack/shared'
import { command, pipe, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { bootId } from './boot-id.js'
import { DeviceGone, InvalidAnswer, isDisconnect } from '../../base/device-gone.js'
import type { Power } from '../../adb/device/device.js'
import { writing } from '../../adb/device/outcome.js'
import { outputOf, run } from '../../adb/device/run.js'

const sleepKey = command('input', 'keyevent', '223')
const wakeKey = command('input', 'keyevent', '224')
export const readWakefulness = pipe(
  command('dumpsys', 'power'),
  command('grep', '-E', 'mWakefulness=|getWakefulnessLocked[(][)]='),
)

/** Some phones print the name of the function that returns the state (appium-adb `isInDozingMode`). */
export const wakefulness = (output: string): string | undefined =>
  /\b(?:mWakefulness|getWakefulnessLocked\(\))=(\w+)/.exec(output)?.[1]

/** Whether the screen is on; null when not reported. */
export function parseAwake(output: string): boolean | null {
  const state = wakefulness(output)
  return state === undefined ? null : state === 'Awake'
}

/**
 * A screen saver (`Dreaming`) counts as on; `Dozing`, with a dark or ambient screen, as
 * off. Null when not reported.
 */
export function parseScreenOn(output: string): boolean | null {
  const state = wakefulness(output)
  if (state === 'Awake' || state === 'Dreaming') return true
  return state === 'Asleep' || state === 'Dozing' ? false : null
}

/** Milliseconds for which the state is cached. Without the cache, each tap would need another query. */
const cacheMs = 1000

export function createPower(transport: Transport): Power {
  /** Waits until the phone reports the state. A phone that does not report it counts as changed. */
  async function waitUntil(awake: boolean, progress: Progress): Promise<void> {
    for (;;) {
      const result = await transport.shell(readWakefulness, progress)
      const now = parseAwake(result.stdout.toString('utf8'))
      if (now === null || now === awake) return
      await progress.sleep(50, awake ? 'waking' : 'going to sleep')
    }
  }

  /** The last time when the screen was known to be on. */
  let onAt = -Infinity
  const forget = (): void => {
    onAt = -Infinity
  }

  return {
    forget,
    async isOn(progress) {
      const askedAt = performance.now()
      if (askedAt - onAt < cacheMs) return true
      const { stdout } = await transport.shell(readWakefulness, progress)
      const on = parseScreenOn(stdout.toString('utf8'))
      if (on === true) onAt = askedAt
      return on
    },
    async wake(progress) {
      await run(transport, wakeKey, progress)
      await transport.shell(sequence(command('wm', 'dismiss-keyguard')), progress)
      await waitUntil(true, progress)
    },
    async sleep(progress) {
      forget()
      await run(transport, sleepKey, progress)
      await waitUntil(false, progress)
    },
    async reboot(progress) {
      const refusal = await writing('its restart', () => requestReboot(transport, progress))
      if (refusal !== null) {
        throw new ApiError('provider_error', {
          message: 'The phone refused to restart.',
          details: { output: refusal.slice(0, 500) },
        })
      }
    },
  }
}

/**
 * Returns null once the phone has disconnected or booted again, otherwise the message with which it refused.
 */
async function requestReboot(transport: Transport, progress: Progress): Promise<string | null> {
  const before = await bootId(transport, progress)
  try {
    const result = await transport.shell(command('svc', 'power', 'reboot'), progress.within(5000))
    if (result.exitCode !== 0) return outputOf(result)
  } catch (error) {
    if (!(error instanceof DeviceGone) && !(error instanceof DeadlineExceeded)) throw error
  }
  for (;;) {
    try {
      if ((await bootId(transport, progress.within(2000))) !== before) return null
    } catch (error) {
      if (isDisconnect(error)) return null
      if (!(error instanceof DeadlineExceeded || error instanceof InvalidAnswer)) throw error
    }
    await progress.sleep(100, 'the shutdown of the phone')
  }
}
