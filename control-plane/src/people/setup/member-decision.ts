/** A member of a project approves or denies a waiting terminal in the console, by the terminal's code. */
import { type z } from 'zod'
import { type Core } from '../../base/core/core.js'
import { checkPhones, type keyRightsSchema } from '../../fleet/operator/keys.js'
import { type Change, type Work } from '../../base/audit/work.js'
import { lockPending, readPending, terminalOf, type WaitingTerminal } from './decision.js'

/** @throws ApiError not_found for an unknown code */
export const lookAtTerminal = async (core: Core, typed: string): Promise<WaitingTerminal> =>
  terminalOf(await readPending(core.db, typed, core.clock.now()))

/**
 * Approves the terminal, which then collects a key of the project with these rights. An operator's link to the terminal
 * ends. @throws ApiError not_found; validation_failed for phones of other projects
 */
export async function allowTerminal(
  work: Work,
  typed: string,
  projectId: string,
  rights: z.infer<typeof keyRightsSchema>,
): Promise<Change<WaitingTerminal>> {
  const setup = await lockPending(work, typed)
  await checkPhones(work.tx, projectId, rights.phones ?? [])
  const decidedBy = work.actor.tokenId
  await work.tx.setup.update({
    where: { id: setup.id },
    data: { status: 'approved', projectId, rights, decidedBy, ticketHash: null },
  })
  const after = { status: 'approved', project: projectId, rights, ...terminalOf(setup) }
  return { result: terminalOf(setup), target: setup.id, before: { status: 'pending' }, after }
}
