/**
 * Takes a PNG with `screencap`. With several displays (foldables, a screen on the back, emulators) `screencap` captures
 * "the first display found" and prints a warning, on some phones before the PNG. Used by `screen.ts`. Forms: AOSP
 * `screencap` and `DisplayInfo.toString`, Android 10 to 16; docs/parsers.md
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, pipe } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { commandFailed, outputOf } from '../../adb/device/run.js'
import { notUnderstood } from '../../adb/device/unreadable.js'

const listDisplays = command('dumpsys', 'SurfaceFlinger', '--display-id')
const readStates = pipe(
  command('dumpsys', 'display'),
  command('grep', '-E', '^[^ ]|mBaseDisplayInfo=DisplayInfo[{]'),
)

/**
 * Returns all physical displays, such as `Display 4619827259835644672 (HWC display 0): port=0 …`. Empty when not
 * reported.
 */
export const physicalDisplays = (output: string): string[] =>
  [...output.matchAll(/^Display (\d{1,20})\b/gm)].map(([, id = '']) => id)

/**
 * Returns the physical display that shows the screen: the display of logical display 0, unless that display is off and
 * another display is on, as on a folded phone. Null when the output has another form.
 */
export function litDisplay(output: string): string | null {
  const displays = output.split(/\r?\n/).flatMap((line) => {
    const [, info = ''] = /mBaseDisplayInfo=DisplayInfo\{(.{0,4000})/.exec(line) ?? []
    const [, logical] = /\bdisplayId (\d{1,9})\b/.exec(info) ?? []
    const [, id] = /\buniqueId[ =]"local:(\d{1,20})"/.exec(info) ?? []
    const [, state] = /\bstate (\w{1,30})/.exec(info) ?? []
    return logical === undefined || id === undefined || state === undefined ? [] : [{ logical, id, state }]
  })
  const main = displays.find(({ logical }) => logical === '0')
  if (main?.state === 'ON') return main.id
  return (displays.find(({ state }) => state === 'ON') ?? main)?.id ?? null
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * Returns the PNG in the output, between texts of the phone. Null when the output has no PNG, or the PNG has no end.
 */
export function pngIn(output: Buffer): Buffer | null {
  const begin = output.indexOf(signature)
  if (begin === -1) return null
  // A chunk has its length, its type, its content and a checksum.
  for (let at = begin + signature.length; at + 12 <= output.length;) {
    const end = at + 12 + output.readUInt32BE(at)
    if (output.toString('latin1', at + 4, at + 8) === 'IEND')
      return end <= output.length ? output.subarray(begin, end) : null
    at = end
  }
  return null
}

export function createScreencap(transport: Transport): (progress: Progress) => Promise<Buffer> {
  let hasSeveral: boolean | null = null

  async function options(progress: Progress): Promise<string[]> {
    hasSeveral ??= physicalDisplays(outputOf(await transport.shell(listDisplays, progress))).length > 1
    if (!hasSeveral) return []
    const output = outputOf(await transport.shell(readStates, progress))
    const display = litDisplay(output)
    if (display === null) throw notUnderstood('its displays', output)
    return ['-d', display]
  }

  return async (progress) => {
    const screencap = command('screencap', '-p', ...(await options(progress)))
    const result = await transport.shell(screencap, progress)
    if (result.exitCode !== 0) throw commandFailed(screencap, result)
    const png = pngIn(result.stdout)
    if (png) return png
    if (result.stdout.includes(signature))
      throw new ApiError('provider_error', { message: "The phone's screenshot was truncated." })
    throw notUnderstood('its screen', outputOf(result))
  }
}
