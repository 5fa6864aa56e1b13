/**
 * Moves all money: every movement changes the project's totals and adds the matching ledger row, in the
 * caller's transaction. The caller holds the project's lock.
 */
import { type Tx } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { Prisma } from '../../gen/prisma/client.js'
import { billedSeconds, type Price } from './arithmetic.js'
import { type EndReason } from '../../base/core/statuses.js'

interface Hold {
  projectId: string
  sessionId: string
  micros: bigint
  at: Date
}

/**
 * Builds the expressions `reserved` and `held` of a `with`, which hold `micros` for a session of the same
 * statement. When `ifAny` has no row, they change nothing; otherwise `held` has one row.
 */
export const holding = ({ projectId, sessionId, micros, at }: Hold, ifAny: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`reserved as (
      update projects set reserved_micros = reserved_micros + ${micros}::bigint
      where id = ${projectId} and exists (select 1 from ${ifAny}) returning id),
    held as (
      insert into ledger (project_id, session_id, kind, reserved_delta, at)
      select id, ${sessionId}::text, 'reserve', ${micros}::bigint, ${at}::timestamptz from reserved returning id)`

/** Holds `micros` for an open session, in addition to the credit that the session holds. */
export async function holdCredit(tx: RawTx, hold: Hold): Promise<void> {
  const rows = await tx.$queryRaw<
    unknown[]
  >`with ${holding(hold, Prisma.sql`(values (1)) always`)} select 1 as held from held`
  if (rows.length === 0) throw new Error(`project ${hold.projectId} does not exist`)
}

export interface OpenSession {
  id: string
  projectId: string
  startedAt: Date
  readyAt: Date | null
  reservedMicros: bigint
}

/** Ends a session: charges its use and releases its reservation. */
export async function closeSession(
  tx: RawTx,
  price: Price,
  session: OpenSession,
  end: { reason: EndReason; at: Date },
): Promise<void> {
  const endedAt = new Date(Math.max(end.at.getTime(), session.startedAt.getTime()))
  const seconds = billedSeconds(price, {
    startedAt: session.startedAt.getTime(),
    endedAt: endedAt.getTime(),
    everReady: session.readyAt !== null,
    endReason: end.reason,
    reservedMicros: session.reservedMicros,
  })
  const cost = BigInt(seconds) * price.perSecondMicros
  const { id, projectId, reservedMicros } = session
  const rows = await tx.$queryRaw<unknown[]>`with ended as (
      update sessions set ended_at = ${endedAt}, end_reason = ${end.reason}, billed_seconds = ${seconds},
        cost_micros = ${cost}
      where id = ${id} and ended_at is null returning id),
    paid as (
      update projects set balance_micros = balance_micros - ${cost}::bigint,
        reserved_micros = reserved_micros - ${reservedMicros}::bigint
      where id = ${projectId} and exists (select 1 from ended) returning id)
    insert into ledger (project_id, session_id, kind, balance_delta, reserved_delta, at)
    select paid.id, ${id}::text, kind, balance, reserved, ${endedAt}::timestamptz
    from paid, (values ('charge', -${cost}::bigint, 0::bigint), ('release', 0, -${reservedMicros}::bigint))
      as entry (kind, balance, reserved)
    returning kind`
  if (rows.length !== 2) throw new Error(`session ${id} is not open`)
}

/** Adds or removes credit, on the operator's order or for the payment of a checkout link. */
export async function addCredit(
  tx: Tx,
  projectId: string,
  micros: bigint,
  at: Date,
  checkoutId: string | null = null,
): Promise<void> {
  await move(tx, { projectId, kind: 'credit', balanceDelta: micros, at, checkoutId })
}

/**
 * Brings the reversed amount of a payment to `due`, by booking the difference to the amount booked before.
 * Both are micro-dollars of credit. The balance may become negative, which blocks admission until the project
 * has paid.
 */
export async function bookReversals(
  tx: Tx,
  payment: { projectId: string; checkoutId: string; at: Date },
  due: { refund: bigint; chargeback: bigint },
): Promise<void> {
  for (const kind of ['refund', 'chargeback'] as const) {
    const booked = await tx.ledgerEntry.aggregate({
      where: { checkoutId: payment.checkoutId, kind },
      _sum: { balanceDelta: true },
    })
    const balanceDelta = -due[kind] - (booked._sum.balanceDelta ?? 0n)
    if (balanceDelta !== 0n) await move(tx, { ...payment, kind, balanceDelta })
  }
}

interface Movement {
  projectId: string
  kind: 'credit' | 'refund' | 'chargeback'
  balanceDelta: bigint
  checkoutId: string | null
  at: Date
}

async function move(tx: Tx, movement: Movement): Promise<void> {
  await tx.project.update({
    where: { id: movement.projectId },
    data: { balanceMicros: { increment: movement.balanceDelta } },
  })
  await tx.ledgerEntry.create({ data: movement })
}
