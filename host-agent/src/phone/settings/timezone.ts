/**
 * Sets the time zone by AlarmManager's shell command, which needs no root and notifies
 * all apps.
 */
import { ApiError, ownNow, type Progress } from '@phonerack/shared'
import { command, sequence, type ShellCommand } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { Timezone } from '../../adb/device/device.js'
import { writing } from '../../adb/device/outcome.js'
import { run } from '../../adb/device/run.js'
import type { DesiredState } from './desired.js'

const readBackMs = 1500

interface TimezoneParts {
  transport: Transport
  desired: DesiredState
  /** The zone of the phone after its first wipe; null before the first wipe. */
  defaultZone: () => string | null
}

export function createTimezone({ transport, desired, defaultZone }: TimezoneParts): Timezone {
  const read = async (progress: Progress): Promise<string> =>
    (await run(transport, command('getprop', 'persist.sys.timezone'), progress)).trim()

  async function waitUntilZone(zone: string, progress: Progress): Promise<boolean> {
    // Process pauses are excluded, since the agent does not read the zone during a pause.
    const lookUntil = ownNow() + readBackMs
    for (;;) {
      if ((await read(progress)) === zone) return true
      if (ownNow() > lookUntil) return false
      await progress.sleep(50, 'the change of the time zone')
    }
  }

  /** False when the phone does not know the zone. */
  async function change(zone: string, auto: '0' | '1', progress: Progress): Promise<boolean> {
    const methods: ShellCommand[] = [
      command('cmd', 'alarm', 'set-timezone', zone),
      // Some vendors' Android 9 to 11 lack this command; the number is from AOSP's
      // interface.
      command('service', 'call', 'alarm', '3', 's16', zone),
    ]
    for (const method of methods) {
      const automatic = command('settings', 'put', 'global', 'auto_time_zone', auto)
      await transport.shell(sequence(automatic, method), progress)
      if (await waitUntilZone(zone, progress)) return true
    }
    return false
  }

  return {
    async get(progress) {
      const zone = await read(progress)
      return desired.get().timezone === null && zone === defaultZone() ? null : zone
    },
    async set(timezone, progress) {
      const before = await read(progress)
      const wanted = timezone ?? defaultZone()
      if (wanted === null) return null
      if (!(await writing('the time zone', () => change(wanted, timezone === null ? '1' : '0', progress)))) {
        await writing('the time zone', () => change(before, '0', progress))
        throw new ApiError('validation_failed', {
          message: `\`timezone\` is \`${wanted}\`, which this phone does not support.`,
          details: {
            validation_stage: 'phone',
            issues: [{ path: ['timezone'], message: 'is not a time zone that this phone supports' }],
          },
        })
      }
      desired.set({ timezone })
      return timezone
    },
  }
}
