/**
 * The app io.appium.settings, which is installed at provisioning. It sets the settings that the shell cannot
 * set: location, locale, clipboard. Its receivers answer by the result of a broadcast (see the app's README).
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { outputOf, run } from '../../adb/device/run.js'
import { installPart } from '../../adb/parts/install.js'
import { settingsApp } from '../../adb/parts/parts.js'

const name = settingsApp.package
/** Android's `Activity.RESULT_OK`. */
const resultOk = -1

export interface Answer {
  ok: boolean
  data: string
}

/** Parses the output of `am broadcast` for an ordered broadcast's result. Null when no receiver answered. */
export function parseBroadcast(output: string): Answer | null {
  const match = /Broadcast completed: result=(-?\d+)(?:, data="([\s\S]*?)"(?:, extras|\s*$))?/.exec(output)
  return match ? { ok: Number(match[1]) === resultOk, data: match[2] ?? '' } : null
}

/**
 * Sends a broadcast to one of the app's receivers and returns its answer. @throws
 * ApiError provider_error when `am` fails or no receiver answers
 */
export async function broadcast(
  transport: Transport,
  receiver: string,
  action: string,
  extras: readonly string[],
  progress: Progress,
): Promise<Answer> {
  const output = await run(
    transport,
    command('am', 'broadcast', '-a', `${name}.${action}`, '-n', `${name}/.receivers.${receiver}`, ...extras),
    progress,
  )
  const answer = parseBroadcast(output)
  if (!answer) {
    throw new ApiError('provider_error', { details: { receiver, output: output.slice(0, 200) } })
  }
  return answer
}

/**
 * Installs the app and grants the permissions that it needs.
 * @throws Error with the phone's message
 */
export async function prepareSettingsApp(transport: Transport, progress: Progress): Promise<void> {
  await installPart(transport, settingsApp, progress)
  const result = await transport.shell(
    sequence(
      // The permission is granted before the app's process starts: otherwise Android 9 and newer deny the app
      // the method that sets the locale.
      command('settings', 'put', 'global', 'hidden_api_policy', '1'),
      command('pm', 'grant', name, 'android.permission.CHANGE_CONFIGURATION'),
      command('appops', 'set', name, 'android:mock_location', 'allow'),
    ),
    progress,
  )
  if (result.exitCode !== 0) throw new Error(outputOf(result).slice(0, 300))
}

export const locationService = `${name}/.LocationService`
