/**
 * Handles a person's decisions on the page of a hand-over's link, or in the console: taking control, and
 * returning it.
 */
import { Prisma } from '../../gen/prisma/client.js'
import { type Core } from '../../base/core/core.js'
import { joined, standing } from '../../rental/phones/control.js'

/** How the person returns the phone. */
export type Outcome = 'done' | 'declined'

/** Gives control to the person. Returns false and changes nothing if the hand-over was no longer open. */
export const takeControl = (core: Core, id: string): Promise<boolean> =>
  change(core, id, ['open'], (now) => Prisma.sql`status = 'taken', taken_at = ${now}`)

/**
 * Ends the hand-over. A person who has not taken control can still decline. @param note null for no note @returns false
 * if the hand-over had already ended; nothing was changed
 */
export const giveBack = (core: Core, id: string, outcome: Outcome, note: string | null): Promise<boolean> =>
  change(
    core,
    id,
    outcome === 'done' ? ['taken'] : ['open', 'taken'],
    (now) => Prisma.sql`status = ${outcome}, note = ${note}, ended_at = ${now}`,
  )

/** Changes the hand-over with one statement, so that only the first of two simultaneous decisions counts. */
async function change(
  core: Core,
  id: string,
  from: readonly ('open' | 'taken')[],
  to: (now: Date) => Prisma.Sql,
): Promise<boolean> {
  const now = core.clock.now()
  const rows = await core.db.$queryRaw<{ phoneId: string }[]>`update handoffs f set ${to(now)}
    where f.id = ${id} and f.status in (${Prisma.join([...from])}) and f.expires_at > ${now}
      and exists (select 1 from ${joined} where f.id = ${id} and ${standing(now)})
    returning f.phone_id as "phoneId"`
  const [changed] = rows
  if (changed) core.changes.publish(changed.phoneId)
  return changed !== undefined
}
