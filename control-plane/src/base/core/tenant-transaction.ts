/** The transactions of tenants' requests, each within the limit of its project's owner. */
import { inRawTransaction, inTransaction, isCommitUnknown, type Tx } from '../db/database.js'
import { type RawTx } from '../db/raw-transaction.js'
import { type Caller } from './caller.js'
import { type Core } from './core.js'

/**
 * Like `inTransaction`, but waits for the turn of the caller's owner (`db/owner-gate.ts`).
 * Must not be nested: the inner transaction would wait for the outer transaction. @throws ApiError rate_limited,
 * service_unavailable
 */
export const inTenantTransaction = <T>(core: Core, of: Tenant, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTurn(core, of, () => inTransaction(core.db, work))

/** Like `inTenantTransaction`, for work that only sends raw statements. */
export const inRawTenantTransaction = <T>(
  core: Core,
  of: Tenant,
  work: (tx: RawTx) => Promise<T>,
): Promise<T> => inTurn(core, of, () => inRawTransaction(core.transact, work))

type Tenant = Pick<Caller, 'ownerId' | 'signal' | 'effects'>

const inTurn = <T>(
  core: Core,
  { ownerId, signal, effects }: Tenant,
  transaction: () => Promise<T>,
): Promise<T> =>
  core.ownerGate.run(
    ownerId,
    async () => {
      try {
        const result = await transaction()
        if (effects) effects.mayHaveBegun = true
        return result
      } catch (error) {
        if (effects && isCommitUnknown(error)) effects.mayHaveBegun = true
        throw error
      }
    },
    signal,
  )
