/**
 * How a waiting terminal is allowed or denied. An operator names its code and gets a link; whoever opens the link sees
 * who asks and decides, once. No page ever takes an operator's token.
 */
import { ApiError, hashSecret, isId, isSecret, newSecret } from '@phonerack/shared'
import { z } from 'zod'
import { type Tx } from '../db/database.js'
import { type OperatorToken, type Setup } from '../gen/prisma/client.js'
import { addAudit } from '../operator/audit.js'
import { refusalOf } from '../operator/auth.js'
import { invalidField } from '../operator/input.js'
import { asOperator, type Change, type Work } from '../operator/work.js'
import { type Core } from '../phones/core.js'
import { hashUserCode, readUserCode } from './user-code.js'

export const codeSchema = z.strictObject({ user_code: z.string().max(100) })

/** A terminal as an operator sees it. */
interface WaitingTerminal {
  client: string | null
  /** From where it asked. */
  address: string
  created_at: string
  expires_at: string
}

const terminalOf = (setup: Setup): WaitingTerminal => ({
  client: setup.client,
  address: setup.address,
  created_at: setup.createdAt.toISOString(),
  expires_at: setup.expiresAt.toISOString(),
})

/**
 * A link by which one person decides, once; an earlier link to the same terminal ends. It lives as long as the code.
 * @param baseUrl the public address
 * @throws ApiError not_found for a code that no terminal waits with
 */
export async function approveSetup(
  work: Work,
  typed: string,
  baseUrl: string,
): Promise<Change<WaitingTerminal & { url: string }>> {
  const setup = await lockPending(work, typed)
  const ticket = newSecret('setupLink')
  await work.tx.setup.update({
    where: { id: setup.id },
    data: { ticketHash: hashSecret(ticket), decidedBy: work.operator.tokenId },
  })
  const terminal = terminalOf(setup)
  return {
    // The code gives no access, and is stored as its hash alone: the page shows it from the link.
    result: {
      url: `${baseUrl}/setup/confirm?ticket=${ticket}&code=${readUserCode(typed) ?? ''}`,
      ...terminal,
    },
    target: setup.id,
    before: { status: 'pending' },
    after: { status: 'pending', link: 'given', ...terminal },
  }
}

/** @throws ApiError not_found for a code that no terminal waits with */
export async function denySetup(
  work: Work,
  typed: string,
): Promise<Change<WaitingTerminal & { status: 'denied' }>> {
  const setup = await lockPending(work, typed)
  await work.tx.setup.update({ where: { id: setup.id }, data: { status: 'denied', ticketHash: null } })
  const after = { status: 'denied', ...terminalOf(setup) } as const
  return { result: after, target: setup.id, before: { status: 'pending' }, after }
}

async function lockPending({ tx, now }: Work, typed: string): Promise<Setup> {
  const code = readUserCode(typed)
  if (code === null)
    throw invalidField('user_code', 'must be the code that the terminal shows, such as 7KQM-2XPA')
  const userCodeHash = hashUserCode(code)
  await tx.$queryRaw`select 1 from setups where user_code_hash = ${userCodeHash} for update`
  const setup = await tx.setup.findUnique({ where: { userCodeHash } })
  if (setup?.status === 'pending' && setup.expiresAt > now) return setup
  throw new ApiError('not_found', {
    message: 'No terminal is waiting with this code. Codes expire after 15 minutes.',
    next: 'Start again in the terminal, and use the code that it shows then.',
  })
}

/**
 * The terminal that a link is for; null when the link is spent, has ended or never was.
 * @param code as the link has it; shown to the person only when it is that of the terminal
 */
export async function terminalOfTicket(
  core: Core,
  ticket: string,
  code: string,
): Promise<(Setup & { code: string | null }) | null> {
  const found = await findByTicket(core.db, ticket, core.clock.now())
  if (!found) return null
  const read = readUserCode(code)
  const isSame = read !== null && hashUserCode(read) === found.setup.userCodeHash
  return { ...found.setup, code: isSame ? read : null }
}

export type Decision = { allow: true; projectId: string } | { allow: false }

/**
 * Allows or denies, in the name of the operator who gave the link, and spends it. False when the link no longer counts,
 * or the project does not exist.
 * @param person from where the decision comes
 */
export async function decideSetup(
  core: Core,
  ticket: string,
  decision: Decision,
  person: { address: string; requestId: string },
): Promise<boolean> {
  const giver = await findByTicket(core.db, ticket, core.clock.now())
  if (!giver) return false
  const operator = {
    tokenId: giver.token.id,
    tokenName: giver.token.name,
    ...person,
    secret: () => {
      throw new Error('a link is no operator token')
    },
  }
  return asOperator(core, operator, async (work) => {
    const { tx, now } = work
    await tx.$queryRaw`select 1 from setups where id = ${giver.setup.id} for update`
    const found = await findByTicket(tx, ticket, now)
    if (!found) return false
    const projectId = decision.allow ? decision.projectId : null
    if (projectId !== null && !(await isProject(tx, projectId))) return false
    const status = decision.allow ? 'approved' : 'denied'
    await tx.setup.update({ where: { id: found.setup.id }, data: { status, projectId, ticketHash: null } })
    await addAudit(work, decision.allow ? 'setup.allow' : 'setup.deny', {
      target: found.setup.id,
      before: { status: 'pending' },
      after: { status, project: projectId, ...terminalOf(found.setup) },
    })
    return true
  })
}

const isProject = async (tx: Tx, id: string): Promise<boolean> =>
  isId('project', id) && (await tx.project.findUnique({ where: { id }, select: { id: true } })) !== null

/** A link ends with its code, with its use, and with the token of the operator who gave it. */
async function findByTicket(
  db: Pick<Tx, 'setup' | 'operatorToken'>,
  ticket: string,
  now: Date,
): Promise<{ setup: Setup; token: OperatorToken } | null> {
  if (!isSecret('setupLink', ticket)) return null
  const setup = await db.setup.findUnique({ where: { ticketHash: hashSecret(ticket), status: 'pending' } })
  if (!setup?.decidedBy || setup.expiresAt <= now) return null
  const token = await db.operatorToken.findUnique({ where: { id: setup.decidedBy } })
  return token && !refusalOf(token, now) ? { setup, token } : null
}
