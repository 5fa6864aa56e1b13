/**
 * Revokes on the broker the NATS users of retired hosts, and of earlier machines of hosts that joined again:
 * after a message of the replica that made the change, and after a periodic read of the tables, since
 * messages can be lost. Every replica does this; it is safe to repeat and to run concurrently.
 * docs/decisions/0221
 */
import { Alarm, subjects } from '@phonerack/shared'
import { revokeUsers, type BrokerAdmin } from '@phonerack/shared/broker'
import { isAway } from '../../base/db/away.js'
import { isBusy } from '../../base/db/busy.js'
import { type Core } from '../../base/core/core.js'

interface RevokedUsers {
  /** Sends the revocations that the broker does not have yet. A failure is logged and counted. */
  revoke(): Promise<void>
  close(): void
}

/** @param admin null: this replica cannot change the account on the broker */
export function watchRevokedUsers(core: Core, admin: BrokerAdmin | null): RevokedUsers {
  /** Public keys that the broker has confirmed since the last connection to it. */
  let confirmed = new Set<string>()
  let connections = 0
  let running: Promise<void> = Promise.resolve()
  let hasWarned = false

  const run = async (): Promise<void> => {
    const keys = await revokedKeys(core)
    if (keys.every((key) => confirmed.has(key))) return
    if (admin === null) {
      if (!hasWarned) core.log.warn(withoutAdmin)
      hasWarned = true
      return
    }
    const connection = connections
    const count = await revokeUsers(admin, keys)
    if (connection === connections) confirmed = new Set(keys)
    if (count > 0) core.log.info({ count }, 'revoked NATS users of hosts')
  }
  const failed = new Alarm(
    core.log,
    core.counters,
    'nats_revocations_failed',
    'could not revoke NATS users of hosts yet: they can connect to the broker',
  )
  const attempt = (): Promise<void> =>
    run().catch((error: unknown) => {
      // The broker was not asked, and another alarm reports Postgres.
      if (isAway(error) || isBusy(error))
        core.log.debug({ err: error }, 'the list of revoked users is unknown')
      else failed.raise({ err: error })
    })
  const revoke = (): Promise<void> => (running = running.then(attempt))

  const subscription = core.bus.subscribe(subjects.userRevoked, () => void revoke())
  let isClosed = false
  core.bus.onReconnect(() => {
    if (isClosed) return
    // The broker may have lost its store.
    confirmed = new Set()
    connections += 1
    void revoke()
  })
  return {
    revoke,
    close() {
      isClosed = true
      subscription.unsubscribe()
    },
  }
}

const withoutAdmin =
  'NATS users of retired hosts, and of earlier machines of hosts, can still connect to the broker: ' +
  'write its configuration again with `nats-config` of this release, restart it, and set NATS_SIGNING_SEED_FILE and NATS_SYSTEM_CREDS_FILE'

/**
 * Keys of current hosts are excluded: a machine must not end another machine's access by joining with its
 * public key.
 */
async function revokedKeys({ db }: Core): Promise<string[]> {
  const rows = await db.$queryRaw<{ key: string }[]>`
    select key from (
      select nats_public_key as key from hosts where retired_at is not null
      union select public_key from revoked_nats_users
    ) r where not exists (select 1 from hosts h where h.nats_public_key = r.key and h.retired_at is null)`
  return rows.map(({ key }) => key)
}
