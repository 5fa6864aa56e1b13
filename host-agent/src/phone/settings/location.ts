/**
 * Sets the location by the mock providers of io.appium.settings, whose service repeats the location every two
 * seconds while it runs.
 */
import { ApiError, type Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { Coordinates, Location } from '../../adb/device/device.js'
import { writing } from '../../adb/device/outcome.js'
import { run } from '../../adb/device/run.js'
import type { DesiredState } from './desired.js'
import { broadcast, locationService } from './settings-app.js'

/** The tolerance in degrees, which is about a metre. The app answers with seven decimals. */
const tolerance = 1e-5
const readBackMs = 8000

export interface KeptLocation extends Location {
  /** Sets the stored location again when the phone lost it after a restart, or when the app died. */
  keep(progress: Progress): Promise<void>
}

export function createLocation(transport: Transport, desired: DesiredState): KeptLocation {
  async function read(progress: Progress): Promise<Coordinates | null> {
    const { ok, data } = await broadcast(transport, 'LocationInfoReceiver', 'location', [], progress)
    const [latitude, longitude] = data.trim().split(/\s+/).map(Number)
    if (!ok || latitude === undefined || longitude === undefined) return null
    return Number.isFinite(latitude) && Number.isFinite(longitude) ? { latitude, longitude } : null
  }

  async function send({ latitude, longitude }: Coordinates, progress: Progress): Promise<void> {
    await run(
      transport,
      sequence(
        command('settings', 'put', 'secure', 'location_mode', '3'),
        command(
          ...['am', 'start-foreground-service', '--user', '0', '-n', locationService],
          ...['--es', 'longitude', longitude.toFixed(7), '--es', 'latitude', latitude.toFixed(7)],
        ),
      ),
      progress,
    )
    const within = progress.within(readBackMs)
    for (;;) {
      if (isClose(await read(within), { latitude, longitude })) return
      if (within.remaining < 200) {
        throw new ApiError('provider_error', { message: 'The phone did not accept the location.' })
      }
      await within.sleep(100, 'the change of the location')
    }
  }

  return {
    get: () => Promise.resolve(desired.get().location),
    async set(location, progress) {
      await writing('the location', async () => {
        if (location) await send(location, progress)
        else
          await run(transport, command('am', 'stopservice', '--user', '0', '-n', locationService), progress)
      })
      desired.set({ location })
    },
    async keep(progress) {
      const { location } = desired.get()
      if (location && !isClose(await read(progress), location)) await send(location, progress)
    },
  }
}

const isClose = (found: Coordinates | null, wanted: Coordinates): boolean =>
  found !== null &&
  Math.abs(found.latitude - wanted.latitude) < tolerance &&
  Math.abs(found.longitude - wanted.longitude) < tolerance
