/**
 * Deletes phones that nobody starts, since a phone without a session costs nothing and keeps its device. The
 * hourly job calls it.
 */
import { type Core } from '../../base/core/core.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { deletePhoneFor } from './run.js'
import { obstacleOf } from './start.js'

/** Milliseconds between the event `phone.expiring` and the deletion. */
const noticeMs = 86_400_000
/** Phones per statement. */
const batch = 500

/** Announces deletions that are due within a day, and deletes the phones that were announced a day ago. */
export async function endAbandoned(core: Core, now: Date): Promise<void> {
  const { parkedTtlMs } = core.rules
  if (parkedTtlMs === null) {
    await core.db.phone.updateMany({ where: { deletesAt: { not: null } }, data: { deletesAt: null } })
    return
  }
  await announce(core, parkedTtlMs, now)
  const due = await core.db.phone.findMany({
    where: { status: { in: ['parked', 'unavailable'] }, deletesAt: { lte: now } },
    select: { id: true },
    orderBy: { deletesAt: 'asc' },
  })
  const message = `The phone was deleted because it had not been started for ${daysOf(parkedTtlMs)}.`
  const failures: unknown[] = []
  for (const { id } of due)
    await deletePhoneFor(core, id, message, (tx, at) => isAbandoned(core, tx, id, at)).catch(
      (error: unknown) => failures.push(error),
    )
  if (failures.length > 0) throw new AggregateError(failures, 'could not delete abandoned phones')
}

/** Sets the deletion times. A trigger writes the events. */
async function announce({ db }: Core, ttlMs: number, now: Date): Promise<void> {
  const stoppedBefore = new Date(now.getTime() - ttlMs + noticeMs)
  const earliest = new Date(now.getTime() + noticeMs)
  for (;;) {
    const count = await db.$executeRaw`update phones set deletes_at =
        greatest(phone_stopped_at(id) + ${ttlMs}::float8 * interval '1 ms', ${earliest}::timestamptz)
      where id in (select id from phones where status in ('parked', 'unavailable') and deletes_at is null
        and phone_stopped_at(id) <= ${stoppedBefore}::timestamptz order by id limit ${batch} for update skip locked)`
    if (count < batch) return
  }
}

/**
 * Read again under the phone's lock: the phone may have been started, or the time to live raised. While the
 * project cannot start the phone, the deletion is announced again instead.
 */
async function isAbandoned(core: Core, tx: RawTx, phoneId: string, now: Date): Promise<boolean> {
  const stoppedBefore = new Date(now.getTime() - (core.rules.parkedTtlMs ?? Number.NaN))
  const [row] = await tx.$queryRaw<{ id: string }[]>`select id from phones
    where id = ${phoneId} and status in ('parked', 'unavailable') and deletes_at <= ${now}::timestamptz
      and phone_stopped_at(id) <= ${stoppedBefore}::timestamptz`
  if (!row) return false
  if ((await obstacleOf(core, tx, phoneId, now)) === null) return true
  await tx.$executeRaw`update phones set deletes_at = null where id = ${phoneId}`
  return false
}

const daysOf = (ms: number): string => {
  const days = Math.floor(ms / 86_400_000)
  return days === 1 ? 'a day' : `${days} days`
}
