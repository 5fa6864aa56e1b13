/**
 * Limits the setups that wait for a person. Anyone may begin a setup, and a single IPv6 /48 contains 65,536 networks.
 */
import { ApiError, limits } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'

/**
 * Milliseconds for which a count is reused, so that the number of queries does not grow with the number of requests.
 */
const countEveryMs = 1000
/** Seconds after which waiting setups may have expired. */
const retryAfterSeconds = 60

interface PendingSetups {
  /** Counts one more setup. @throws ApiError rate_limited when too many setups are waiting */
  add(): Promise<void>
}

/**
 * @param most limit across all replicas. Each replica may exceed it by the setups that other replicas begin within a
 * second
 */
export function createPendingSetups(core: Core, most = limits.setup.pending): PendingSetups {
  let count = 0
  let countedAt = -Infinity
  let counting: Promise<void> | null = null

  const countPending = async (): Promise<void> => {
    const now = core.clock.now()
    const [row] = await core.db.$queryRaw<[{ count: bigint }]>`select count(*) from
      (select 1 from setups where status = 'pending' and expires_at > ${now} limit ${most}) pending`
    count = Number(row.count)
    countedAt = performance.now()
  }
  return {
    async add() {
      if (performance.now() - countedAt >= countEveryMs)
        await (counting ??= countPending().finally(() => (counting = null)))
      if (count < most) {
        count += 1
        return
      }
      throw new ApiError('rate_limited', {
        message: `${most} terminals already wait for confirmation.`,
        next: 'Wait a minute, then send the request again.',
        details: { limit: most },
        retryAfterSeconds,
      })
    },
  }
}
