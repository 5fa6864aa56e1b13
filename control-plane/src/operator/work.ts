/** One change by an operator: a transaction, and what the audit log keeps of it. */
import { inTransaction, type Tx } from '../db/database.js'
import { type Core } from '../phones/core.js'
import { type Operator } from './auth.js'

export interface Work {
  core: Core
  tx: Tx
  now: Date
  operator: Operator
  /** For what must not happen when the transaction is rolled back, such as telling other replicas. */
  afterCommit: (effect: () => void) => void
}

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
