/**
 * Approves or denies a waiting terminal. An operator enters the terminal's code and a project, and gets a link. The
 * person who opens the link sees both and decides, once. No page accepts an operator's token, and no page lets its
 * reader choose a project.
 */
import { ApiError, hashSecret, isSecret, newSecret } from '@phonerack/shared'
import { z } from 'zod'
import { type Tx } from '../../base/db/database.js'
import { createSecretLookup, type SecretLookup } from '../../base/db/secret-lookup.js'
import { type OperatorToken, type Project, type Setup } from '../../gen/prisma/client.js'
import { addAudit } from '../../base/audit/audit.js'
import { refusalOf } from '../../base/audit/auth.js'
import { invalidField, refSchema } from '../../base/validation/fields.js'
import { findProject } from '../../fleet/operator/projects.js'
import { inAuditedTransaction, type Change, type Work } from '../../base/audit/work.js'
import { type Core } from '../../base/core/core.js'
import { hashUserCode, readUserCode } from './user-code.js'

export const codeSchema = z.strictObject({ user_code: z.string().max(100) })
export const approvalSchema = codeSchema.extend({
  /** If omitted: the service's only project. */
  project: refSchema.optional(),
})

/** A terminal in the view of an operator. */
export interface WaitingTerminal {
  client: string | null
  /** The address from which the terminal sent its request. */
  address: string
  created_at: string
  expires_at: string
}

export const terminalOf = (setup: Setup): WaitingTerminal => ({
  client: setup.client,
  address: setup.address,
  created_at: setup.createdAt.toISOString(),
  expires_at: setup.expiresAt.toISOString(),
})

/**
 * Creates a link for one decision, which replaces an earlier link to the same terminal and expires with the code. The
 * holder of the link is often a tenant, so the operator chooses the project. @param baseUrl the public address @throws
 * ApiError not_found for an unknown code or project; validation_failed without a project unless the service has exactly
 * one project
 */
export async function approveSetup(
  work: Work,
  { user_code: typed, project: projectId }: z.infer<typeof approvalSchema>,
  baseUrl: string,
): Promise<Change<WaitingTerminal & { url: string; project: string; project_name: string }>> {
  const setup = await lockPending(work, typed)
  const project = projectId === undefined ? await onlyProject(work.tx) : await findProject(work.tx, projectId)
  const ticket = newSecret('setupLink')
  await work.tx.setup.update({
    where: { id: setup.id },
    data: { ticketHash: hashSecret(ticket), decidedBy: work.actor.tokenId, projectId: project.id },
  })
  const terminal = terminalOf(setup)
  return {
    // The code does not grant access. The database stores only its hash, so the link carries the code to the page.
    result: {
      url: `${baseUrl}/setup/confirm?ticket=${ticket}&code=${readUserCode(typed) ?? ''}`,
      project: project.id,
      project_name: project.name,
      ...terminal,
    },
    target: setup.id,
    before: { status: 'pending' },
    after: { status: 'pending', link: 'given', project: project.id, ...terminal },
  }
}

/** @throws ApiError validation_failed for several projects, which it names, and for none */
async function onlyProject(tx: Tx): Promise<Project> {
  const [project, another] = await tx.project.findMany({ take: 2 })
  if (project && !another) return project
  const message = 'is required when the service has more than one project (ctl: --project ID)'
  throw new ApiError('validation_failed', {
    message: `\`project\` ${message}.`,
    next: 'Run `./scripts/ctl setup approve CODE --project ID`. `./scripts/ctl project list` prints the IDs.',
    details: { validation_stage: 'body', issues: [{ path: ['project'], message }] },
  })
}

/** @throws ApiError not_found for an unknown code */
export async function denySetup(
  work: Work,
  typed: string,
): Promise<Change<WaitingTerminal & { status: 'denied' }>> {
  const setup = await lockPending(work, typed)
  await work.tx.setup.update({
    where: { id: setup.id },
    data: { status: 'denied', projectId: null, ticketHash: null },
  })
  const after = { status: 'denied', ...terminalOf(setup) } as const
  return { result: after, target: setup.id, before: { status: 'pending' }, after }
}

function hashTyped(typed: string): string {
  const code = readUserCode(typed)
  if (code === null)
    throw invalidField('user_code', 'must be the code that the terminal shows, such as 7KQM-2XPA')
  return hashUserCode(code)
}

/** @throws ApiError not_found for an unknown code */
export async function lockPending({ tx, now }: Work, typed: string): Promise<Setup> {
  await tx.$queryRaw`select 1 from setups where user_code_hash = ${hashTyped(typed)} for update`
  return readPending(tx, typed, now)
}

/** @throws ApiError not_found for an unknown code */
export async function readPending(db: Pick<Tx, 'setup'>, typed: string, now: Date): Promise<Setup> {
  const setup = await db.setup.findUnique({ where: { userCodeHash: hashTyped(typed) } })
  if (setup?.status === 'pending' && setup.expiresAt > now) return setup
  throw new ApiError('not_found', {
    message: 'There is no waiting terminal with this code. Codes expire after 15 minutes.',
    next: 'Start the setup again in the terminal, and use its new code.',
  })
}

/** Looks up links for addresses that have failed too often. Concurrent callers share a query. */
export const createTicketLookup = (core: Core): SecretLookup =>
  createSecretLookup(async (hashes) => {
    const rows = await core.db.setup.findMany({
      where: { ticketHash: { in: hashes }, status: 'pending', expiresAt: { gt: core.clock.now() } },
      select: { ticketHash: true },
    })
    return rows.flatMap(({ ticketHash }) => ticketHash ?? [])
  })

/**
 * Returns the terminal of a link; null for a used, expired or unknown link. @param code the code in the link, which the
 * person sees only if it is the terminal's code
 */
export async function terminalOfTicket(
  core: Core,
  ticket: string,
  code: string,
): Promise<(Setup & { code: string | null; projectName: string }) | null> {
  const found = await findByTicket(core.db, ticket, core.clock.now())
  if (!found) return null
  const read = readUserCode(code)
  const isSame = read !== null && hashUserCode(read) === found.setup.userCodeHash
  return { ...found.setup, code: isSame ? read : null, projectName: found.project.name }
}

/**
 * Approves or denies on behalf of the operator who created the link, and uses up the link. Returns false if the link is
 * no longer valid. @param person the address of the person who decides
 */
export async function decideSetup(
  core: Core,
  ticket: string,
  decision: 'allow' | 'deny',
  person: { address: string; requestId: string },
): Promise<boolean> {
  const giver = await findByTicket(core.db, ticket, core.clock.now())
  if (!giver) return false
  const operator = { tokenId: giver.token.id, tokenName: giver.token.name, ...person }
  return inAuditedTransaction(core, operator, async (work) => {
    const { tx, now } = work
    await tx.$queryRaw`select 1 from setups where id = ${giver.setup.id} for update`
    const found = await findByTicket(tx, ticket, now)
    if (!found) return false
    const isAllowed = decision === 'allow'
    const projectId = isAllowed ? found.project.id : null
    const status = isAllowed ? 'approved' : 'denied'
    await tx.setup.update({ where: { id: found.setup.id }, data: { status, projectId, ticketHash: null } })
    await addAudit(work, `setup.${decision}`, {
      target: found.setup.id,
      before: { status: 'pending' },
      after: { status, project: projectId, ...terminalOf(found.setup) },
    })
    return true
  })
}

/** A link ends with its code, with its use, or with its operator's token. */
async function findByTicket(
  db: Pick<Tx, 'setup' | 'operatorToken'>,
  ticket: string,
  now: Date,
): Promise<{ setup: Setup; project: Project; token: OperatorToken } | null> {
  if (!isSecret('setupLink', ticket)) return null
  const setup = await db.setup.findUnique({
    where: { ticketHash: hashSecret(ticket), status: 'pending' },
    include: { project: true },
  })
  // A link of an earlier release has no project.
  if (!setup?.decidedBy || !setup.project || setup.expiresAt <= now) return null
  const token = await db.operatorToken.findUnique({ where: { id: setup.decidedBy } })
  return token && !refusalOf(token, now) ? { setup, project: setup.project, token } : null
}
