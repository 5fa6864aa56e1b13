/** Reports which dependencies of this replica are available. */
import { type Core } from '../base/core/core.js'
import { type DatabaseClock } from '../base/db/clock.js'
import { type Health } from '../api/http/service-paths.js'

/** @param isStorageShared null if there is no storage */
export async function healthOf(
  core: Core,
  time: Pick<DatabaseClock, 'skewMs' | 'isSkewed'>,
  isStorageShared: boolean | null,
): Promise<Health> {
  const clock = { ok: !time.isSkewed, required: false, skew_ms: Math.round(time.skewMs) }
  const nats = { ok: core.bus.connected, required: false }
  const storage = isStorageShared === null ? {} : { storage: { ok: isStorageShared, required: false } }
  try {
    await core.db.$queryRaw`select 1 as alive`
    return { postgres: { ok: true, required: true }, nats, clock, ...storage }
  } catch (error) {
    core.log.warn({ err: error }, 'Postgres does not respond')
    return { postgres: { ok: false, required: true }, nats, clock, ...storage }
  }
}
