/**
 * Sweeps the hosts periodically while this replica's clock agrees with Postgres. A replica with another time
 * does not end sessions. Called by `app.ts` each second.
 */
import { Alarm } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type DatabaseClock } from '../../base/db/clock.js'
import { ListenedTime } from '../../rental/devices/listened.js'
import { type Silence } from './silence.js'
import { Listening, sweepHosts } from './sweep.js'

export function createHostSweep(
  core: Core,
  postgresTime: DatabaseClock,
  silence: Silence,
): () => Promise<void> {
  const listening = new Listening()
  const listened = new ListenedTime()
  const skewed = new Alarm(
    core.log,
    core.counters,
    'clock_skewed',
    "this machine's clock differs from Postgres by more than 2 s: this replica does not end sessions of silent hosts",
  )
  return async () => {
    await postgresTime.measure()
    if (postgresTime.isSkewed) {
      listened.pause()
      return skewed.raise({ skew_ms: Math.round(postgresTime.skewMs) })
    }
    await sweepHosts(core, listening, listened, silence)
  }
}
