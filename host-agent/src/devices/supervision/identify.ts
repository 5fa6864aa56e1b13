/**
 * Reads a device's identity and whether it has booted, from properties only. From a phone that was never enrolled the agent
 * reads nothing else, except its identity (`phone-identity.ts`), and its boot id and the agent's marks (`phone-mark.ts`) while
 * another serial is in use.
 */
import type { Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'

export interface DeviceIdentity {
  booted: boolean
  /** `ro.serialno`; null when not reported. */
  hardwareSerial: string | null
  maker: string | null
  model: string | null
  sdk: number | null
  /** `ro.hardware`; null when not reported. */
  hardware: string | null
}

const properties = [
  'sys.boot_completed',
  'ro.serialno',
  'ro.product.manufacturer',
  'ro.product.model',
  'ro.build.version.sdk',
  'ro.hardware',
] as const

/** The largest number of characters; Android allows 91. The texts are in every heartbeat. */
const longestProperty = 200

const readProperties = sequence(...properties.map((name) => command('getprop', name)))

export async function identify(transport: Transport, progress: Progress): Promise<DeviceIdentity> {
  const result = await transport.shell(readProperties, progress)
  const lines = result.stdout.toString('utf8').split('\n')
  if (lines.length < properties.length) throw new Error('the phone does not report its properties')
  const [booted, hardwareSerial, maker, model, sdk, hardware] = lines.map(
    (line) => line.trim().slice(0, longestProperty) || null,
  )
  return {
    booted: booted === '1',
    hardwareSerial: hardwareSerial ?? null,
    maker: maker ?? null,
    model: model ?? null,
    sdk: sdk && /^\d+$/.test(sdk) ? Number(sdk) : null,
    hardware: hardware ?? null,
  }
}
