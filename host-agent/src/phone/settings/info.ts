/** Reads a phone's public properties. Never reads hardware identifiers. */
import type { Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { DeviceInfo, Info, Screen } from '../../adb/device/device.js'
import { run } from '../../adb/device/run.js'

const properties = ['ro.product.brand', 'ro.product.model', 'ro.build.version.release', 'gsm.operator.alpha']

const readCommand = sequence(...properties.map((name) => command('getprop', name)), command('wm', 'density'))

/**
 * Parses the properties, one per line, then `Physical density: 420` and optionally
 * `Override density: 360`.
 */
export function parseInfo(output: string, size: { width: number; height: number }): DeviceInfo {
  const lines = output.split('\n').map((line) => line.trim())
  const [brand, model, osVersion, carrier] = lines
  const density =
    /Override density: (\d+)/.exec(output)?.[1] ?? /Physical density: (\d+)/.exec(output)?.[1] ?? '0'
  // Phones with two SIM cards report both, `A,B`; a phone without a SIM reports a single comma.
  const carriers = (carrier ?? '').split(',').filter((part) => part !== '')
  return {
    brand: orNull(brand),
    model: orNull(model),
    osVersion: orNull(osVersion),
    screen: { ...size, density: Number(density) },
    carrier: orNull(carriers[0]),
  }
}

const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text)

export function createInfo(transport: Transport, screen: Screen): Info {
  return {
    async read(progress: Progress) {
      const [size, output] = await Promise.all([screen.size(progress), run(transport, readCommand, progress)])
      return parseInfo(output, size)
    },
  }
}
