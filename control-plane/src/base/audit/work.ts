/** Runs an operator's change in a transaction, with its audit entry. */
import { type AuditedChange } from '../db/audit-log.js'
import { inTransaction, type Tx } from '../db/database.js'
import { type Core } from '../core/core.js'
import { type Operator } from './auth.js'

export interface Work {
  core: Core
  tx: Tx
  now: Date
  operator: Operator
  /** For effects that a rollback must prevent, such as notifying other replicas. */
  afterCommit: (effect: () => void) => void
}

/** Where a request comes from, as the audit log records it. */
export type Origin = Pick<Operator, 'address' | 'requestId'>

/** The result of a change. `before` or `after` is null when the object did not exist before, or does not exist now. */
export interface Change<T> extends Omit<AuditedChange, 'action'> {
  result: T
}

/**
 * Runs `act` in one transaction. It may run again after a deadlock, so it must have no effect
 * outside the transaction.
 */
export async function asOperator<T>(
  core: Core,
  operator: Operator,
  act: (work: Work) => Promise<T>,
): Promise<T> {
  let effects: (() => void)[] = []
  const result = await inTransaction(core.db, (tx) => {
    effects = []
    const afterCommit = (effect: () => void): void => void effects.push(effect)
    return act({ core, tx, now: core.clock.now(), operator, afterCommit })
  })
  for (const effect of effects) effect()
  return result
}

/** Finds an operator by the ID of a token, or of a user of the console; null: an earlier version did not record it. */
export type FindGiver = (tokenId: string | null) => Promise<Omit<Operator, 'secret'>>

/**
 * Like `asOperator`, for a party that uses a credential from an operator, such as a join token:
 * `giver` finds the operator to name in the audit entry.
 */
export const onBehalf = <T>(
  core: Core,
  from: Origin,
  act: (work: Work, giver: FindGiver) => Promise<T>,
): Promise<T> => {
  const nobody: Operator = {
    tokenId: '',
    tokenName: '',
    ...from,
    secret: () => {
      throw new Error('this request has no token of an operator')
    },
  }
  return asOperator(core, nobody, (work) =>
    act(work, async (tokenId) => {
      const token =
        tokenId === null ? null : await work.tx.operatorToken.findUnique({ where: { id: tokenId } })
      const user =
        tokenId === null || token ? null : await work.tx.user.findUnique({ where: { id: tokenId } })
      return { ...from, tokenId: tokenId ?? '', tokenName: token?.name ?? user?.email ?? '' }
    }),
  )
}
