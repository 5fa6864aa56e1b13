/** A member of a project approves or denies a waiting terminal in the console, by the code that it shows. */
import { type Core } from '../core/core.js'
import { type Change, type Work } from '../operator/work.js'
import { lockPending, readPending, terminalOf, type WaitingTerminal } from './decision.js'

/** @throws ApiError not_found for an unknown code */
export const lookAtTerminal = async (core: Core, typed: string): Promise<WaitingTerminal> =>
  terminalOf(await readPending(core.db, typed, core.clock.now()))

/** The terminal then collects a key of the project. A link of an operator to it ends. @throws ApiError not_found */
export async function allowTerminal(
  work: Work,
  typed: string,
  projectId: string,
): Promise<Change<WaitingTerminal>> {
  const setup = await lockPending(work, typed)
  const decidedBy = work.operator.tokenId
  await work.tx.setup.update({
    where: { id: setup.id },
    data: { status: 'approved', projectId, decidedBy, ticketHash: null },
  })
  const after = { status: 'approved', project: projectId, ...terminalOf(setup) }
  return { result: terminalOf(setup), target: setup.id, before: { status: 'pending' }, after }
}
