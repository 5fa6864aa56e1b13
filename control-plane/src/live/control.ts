/** What the person does, from the page of the hand-over's link: takes control, and gives it back. */
import { Prisma } from '../gen/prisma/client.js'
import { type Core } from '../core/core.js'

/** How the person gives the phone back. */
export type Outcome = 'done' | 'declined'

/** False: it was not open any more; nothing was changed. */
export const takeControl = (core: Core, id: string): Promise<boolean> =>
  change(core, id, ['open'], (now) => Prisma.sql`status = 'taken', taken_at = ${now}`)

/**
 * Who has not taken control can still decline.
 * @param note null: nothing to say
 * @returns false: it was over already; nothing was changed
 */
export const giveBack = (core: Core, id: string, outcome: Outcome, note: string | null): Promise<boolean> =>
  change(
    core,
    id,
    outcome === 'done' ? ['taken'] : ['open', 'taken'],
    (now) => Prisma.sql`status = ${outcome}, note = ${note}, ended_at = ${now}`,
  )

/** One statement, so that of two people at once one is the first. */
async function change(
  core: Core,
  id: string,
  from: readonly ('open' | 'taken')[],
  to: (now: Date) => Prisma.Sql,
): Promise<boolean> {
  const now = core.clock.now()
  const rows = await core.db.$queryRaw<{ phoneId: string }[]>`update handoffs f set ${to(now)}
    from sessions s, api_keys k
    where f.id = ${id} and f.status in (${Prisma.join([...from])}) and f.expires_at > ${now}
      and s.id = f.session_id and s.ended_at is null and k.id = f.key_id and k.revoked_at is null
    returning f.phone_id as "phoneId"`
  const [changed] = rows
  if (changed) core.changes.publish(changed.phoneId)
  return changed !== undefined
}
