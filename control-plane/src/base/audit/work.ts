/** Runs a change by a request in a transaction, with its audit entry. */
import { type AuditActor, type AuditedChange } from '../db/audit-log.js'
import { inTransaction, type Tx } from '../db/database.js'
import { type Core } from '../core/core.js'

/** Where a request comes from, as the audit log records it. */
export type Origin = Pick<AuditActor, 'address' | 'requestId'>

/** `Work<Origin>`: the transaction finds out who makes the change, from a proof such as a join token. */
export interface Work<A extends Origin = AuditActor> {
  core: Core
  tx: Tx
  now: Date
  actor: A
  /** For effects that a rollback must prevent, such as notifying other replicas. */
  afterCommit: (effect: () => void) => void
}

/** The result of a change. `before` or `after` is null when the object did not exist before, or does not exist now. */
export interface Change<T> extends Omit<AuditedChange, 'action'> {
  result: T
}

/**
 * Runs `act` in one transaction. It may run again after a deadlock, so it must have no effect
 * outside the transaction.
 */
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
 * Acts for the party who created a credential, such as a join token. @param giver the ID of a token of an operator, or of a user;
 * null: an earlier version did not record it
 */
export async function actingFor(work: Work<Origin>, giver: string | null): Promise<Work> {
  const { operatorToken, user } = work.tx
  const token = giver === null ? null : await operatorToken.findUnique({ where: { id: giver } })
  const person = giver === null || token ? null : await user.findUnique({ where: { id: giver } })
  return actingAs(work, giver ?? '', token?.name ?? person?.email ?? '')
}
