/** One change by an operator: a transaction, and what the audit log keeps of it. */
import { inTransaction, type Tx } from '../db/database.js'
import { type Core } from '../core/core.js'
import { type Operator } from './auth.js'

export interface Work {
  core: Core
  tx: Tx
  now: Date
  operator: Operator
  /** For what must not happen when the transaction is rolled back, such as telling other replicas. */
  afterCommit: (effect: () => void) => void
}

/** From where a request comes, as the audit log has it. */
export type Origin = Pick<Operator, 'address' | 'requestId'>

/** JSON of an object as the operator API shows it. Never with a secret. */
export type Facts = Record<string, unknown> | null

/** What a change came to. */
export interface Change<T> {
  result: T
  /** ID of what was changed; null when there is no single one. */
  target: string | null
  /** Null: there was nothing before, or there is nothing now. */
  before: Facts
  after: Facts
}

/** Runs `act` in one transaction. It may run again after a deadlock, so it has no effect of its own outside of it. */
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

/** An operator by ID of the token; null: an earlier version did not note who it was. */
export type FindGiver = (tokenId: string | null) => Promise<Omit<Operator, 'secret'>>

/**
 * As `asOperator`, for a party that uses what an operator gave it, such as a join token: `giver` finds who to name in the
 * audit entry.
 */
export const onBehalf = <T>(
  core: Core,
  from: Origin,
  act: (work: Work, giver: FindGiver) => Promise<T>,
): Promise<T> => {
  const nobody: Operator = {
    ...{ tokenId: '', tokenName: '', ...from },
    secret: () => {
      throw new Error('this request has no token of an operator')
    },
  }
  return asOperator(core, nobody, (work) =>
    act(work, async (tokenId) => {
      const token =
        tokenId === null ? null : await work.tx.operatorToken.findUnique({ where: { id: tokenId } })
      return { ...from, tokenId: tokenId ?? '', tokenName: token?.name ?? '' }
    }),
  )
}
