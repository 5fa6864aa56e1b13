/** Runs the change of a request in a transaction, with its audit entry. */
import { type AuditActor, type AuditedChange } from '../db/audit-log.js'
import { inTransaction, type Tx } from '../db/database.js'
import { type Core } from '../core/core.js'

/** The origin of a request in the audit log. */
export type Origin = Pick<AuditActor, 'address' | 'requestId'>

/** In a `Work<Origin>`, the transaction itself determines the actor from a proof, such as a join token. */
export interface Work<A extends Origin = AuditActor> {
  core: Core
  tx: Tx
  now: Date
  actor: A
  /** Registers effects that must not happen after a rollback, such as notifying other replicas. */
  afterCommit: (effect: () => void) => void
}

/** The result of a change. `before` is null for a created object, and `after` for a deleted object. */
export interface Change<T> extends Omit<AuditedChange, 'action'> {
  result: T
}

/** Runs `act` in one transaction. A deadlock repeats `act`, so it must have no effect outside the transaction. */
export async function inAuditedTransaction<T, A extends Origin>(
  core: Core,
  actor: A,
  act: (work: Work<A>) => Promise<T>,
): Promise<T> {
  let effects: (() => void)[] = []
  const result = await inTransaction(core.db, (tx) => {
    effects = []
    const afterCommit = (effect: () => void): void => void effects.push(effect)
    return act({ core, tx, now: core.clock.now(), actor, afterCommit })
  })
  for (const effect of effects) effect()
  return result
}

export const actingAs = (work: Work<Origin>, tokenId: string, tokenName: string): Work => ({
  ...work,
  actor: { ...work.actor, tokenId, tokenName },
})

/**
 * Acts for the party that created a credential, such as a join token. @param giver the ID of an operator's token or of
 * a user; null if an earlier release did not record it
 */
export async function actingFor(work: Work<Origin>, giver: string | null): Promise<Work> {
  const { operatorToken, user } = work.tx
  const token = giver === null ? null : await operatorToken.findUnique({ where: { id: giver } })
  const person = giver === null || token ? null : await user.findUnique({ where: { id: giver } })
  return actingAs(work, giver ?? '', token?.name ?? person?.email ?? '')
}
