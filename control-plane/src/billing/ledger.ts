/**
 * All money moves here: every movement changes the project's totals and adds the matching ledger
 * row, in the caller's transaction. The caller holds the project's lock.
 */
import { type Tx } from '../db/database.js'
import { billedSeconds, type Price } from './arithmetic.js'
import { type EndReason } from '../core/statuses.js'

/** Holds `micros` for a session. A renewal holds its amount in addition. */
export async function holdCredit(
  tx: Tx,
  hold: { projectId: string; sessionId: string; micros: bigint; at: Date },
): Promise<void> {
  await tx.project.update({
    where: { id: hold.projectId },
    data: { reservedMicros: { increment: hold.micros } },
  })
  await tx.ledgerEntry.create({
    data: {
      projectId: hold.projectId,
      sessionId: hold.sessionId,
      kind: 'reserve',
      reservedDelta: hold.micros,
      at: hold.at,
    },
  })
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
  tx: Tx,
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
  await tx.session.update({
    where: { id: session.id, endedAt: null },
    data: { endedAt, endReason: end.reason, billedSeconds: seconds, costMicros: cost },
  })
  await tx.project.update({
    where: { id: session.projectId },
    data: { balanceMicros: { decrement: cost }, reservedMicros: { decrement: session.reservedMicros } },
  })
  const entry = { projectId: session.projectId, sessionId: session.id, at: endedAt }
  await tx.ledgerEntry.createMany({
    data: [
      { ...entry, kind: 'charge', balanceDelta: -cost },
      { ...entry, kind: 'release', reservedDelta: -session.reservedMicros },
    ],
  })
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
 * Brings the reversed amount of a payment to `due` by booking the difference to what was booked
 * before. Both in micro-dollars of credit. The balance may become negative, which blocks admission
 * until it is paid.
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
