/** The transactions of tenants' requests, each within the limit of its project's owner. */
import { inTransaction, isCommitUnknown, type Tx } from '../db/database.js'
import { type Caller } from './caller.js'
import { type Core } from './core.js'

/**
 * As `inTransaction`, when it is the turn of the caller's owner (`db/owner-gate.ts`). Never within another one: it would
 * wait for itself.
 * @throws ApiError rate_limited, service_unavailable
 */
export const inTenantTransaction = <T>(
  core: Core,
  { ownerId, signal, effects }: Pick<Caller, 'ownerId' | 'signal' | 'effects'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  core.ownerGate.run(
    ownerId,
    async () => {
      try {
        const result = await inTransaction(core.db, work)
        if (effects) effects.mayHaveBegun = true
        return result
      } catch (error) {
        if (effects && isCommitUnknown(error)) effects.mayHaveBegun = true
        throw error
      }
    },
    signal,
  )
