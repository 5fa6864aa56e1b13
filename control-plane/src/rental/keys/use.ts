/**
 * Remembers when and from where keys were last used, and writes that in batches, so that no request waits for
 * the write. A killed process loses the last seconds.
 */
import { Ticker } from '../../base/core/ticker.js'
import { type Core } from '../../base/core/core.js'

const flushEveryMs = 5000

interface Use {
  at: Date
  address: string
}

interface KeyUse {
  note(keyId: string, address: string): void
  /** Writes the remaining uses. */
  close(): Promise<void>
}

export function createKeyUse(core: Pick<Core, 'db' | 'clock' | 'log'>): KeyUse {
  let uses = new Map<string, Use>()

  const flush = async (): Promise<void> => {
    if (uses.size === 0) return
    const taken = uses
    uses = new Map()
    // The rows are written in one order, so that replicas cannot deadlock.
    const rows = [...taken].sort(([a], [b]) => (a < b ? -1 : 1))
    const ids = rows.map(([id]) => id)
    const times = rows.map(([, { at }]) => at.toISOString())
    const addresses = rows.map(([, { address }]) => address)
    try {
      await core.db.$executeRaw`
        update api_keys k set last_used_at = v.at, last_used_address = v.address
        from unnest(${ids}::text[], ${times}::text[]::timestamptz[], ${addresses}::text[]) as v (id, at, address)
        where k.id = v.id and (k.last_used_at is null or k.last_used_at < v.at)`
    } catch (error) {
      // A later use replaces an earlier use.
      uses = new Map([...taken, ...uses])
      throw error
    }
  }
  const ticker = new Ticker('last use of keys', flushEveryMs, core.log, flush)

  return {
    note: (keyId, address) => void uses.set(keyId, { at: core.clock.now(), address }),
    async close() {
      await ticker.stop()
      await flush().catch((error: unknown) => {
        core.log.warn({ err: error }, 'could not write the last use of keys')
      })
    },
  }
}
