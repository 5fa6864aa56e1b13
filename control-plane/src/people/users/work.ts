/** Runs a user's change in a transaction, with its audit entry in the user's name. */
import { type Core } from '../../base/core/core.js'
import { addAudit } from '../../base/audit/audit.js'
import { inAuditedTransaction, type Change, type Work } from '../../base/audit/work.js'
import { type Actor } from './types.js'

/**
 * Waits for the user's turn, as transactions of tenants do, so that one user's transactions do not occupy the whole
 * pool. @param action the name in the audit log, for example `key.create`
 */
export async function asUser<T>(
  core: Core,
  { user, address, requestId }: Actor,
  action: string,
  act: (work: Work) => Promise<Change<T>>,
): Promise<T> {
  const actor = { tokenId: user.id, tokenName: user.email, address, requestId }
  return core.ownerGate.run(user.id, () =>
    inAuditedTransaction(core, actor, async (work) => {
      const change = await act(work)
      await addAudit(work, action, change)
      return change.result
    }),
  )
}
