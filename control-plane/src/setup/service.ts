/** `SetupService` of the wall, and what its page does: finding a setup by its user code, and deciding. */
import { randomBytes } from 'node:crypto'
import { ApiError, hashSecret, isId, isSecret, limits, newId, newSecret } from '@phonerack/shared'
import { inTransaction } from '../db/database.js'
import { createSecretLookup } from '../db/secret-lookup.js'
import { addKey } from '../operator/keys.js'
import { type Core } from '../phones/core.js'
import { type SetupService } from '../services.js'
import { hashUserCode, newUserCode, readUserCode } from './user-code.js'

const lifeMs = limits.setup.life * 1000
const startAgain = 'Start a new setup: POST /v1/setup'

export function createSetupService(core: Core): SetupService & { close(): void } {
  const tokens = createSecretLookup(async (hashes) => {
    const rows = await core.db.setup.findMany({
      where: { tokenHash: { in: hashes } },
      select: { tokenHash: true },
    })
    return rows.map(({ tokenHash }) => tokenHash)
  })
  return {
    isKnown: (token) => tokens.has(hashSecret(token)),
    close: () => tokens.close(),

    async create({ client, address }) {
      const token = newSecret('setup')
      const userCode = newUserCode()
      const now = core.clock.now()
      await core.db.setup.create({
        data: {
          id: newId('setup'),
          tokenHash: hashSecret(token),
          userCodeHash: hashUserCode(userCode),
          client,
          address,
          status: 'pending',
          createdAt: now,
          expiresAt: new Date(now.getTime() + lifeMs),
        },
      })
      return { token, userCode }
    },

    collect: (token) =>
      inTransaction(core.db, async (tx) => {
        const tokenHash = isSecret('setup', token) ? hashSecret(token) : ''
        await tx.$queryRaw`select 1 from setups where token_hash = ${tokenHash} for update`
        const setup = await tx.setup.findUnique({ where: { tokenHash }, include: { project: true } })
        if (!setup) throw new ApiError('not_found', { message: 'There is no such setup.', next: startAgain })
        if (setup.status === 'denied') throw new ApiError('setup_denied', { next: startAgain })
        if (setup.status === 'used') throw new ApiError('setup_used', { next: startAgain })
        const now = core.clock.now()
        if (setup.expiresAt <= now) throw new ApiError('setup_expired', { next: startAgain })
        const { project } = setup
        if (setup.status !== 'approved' || !project) return { status: 'pending' }
        const name = setup.client === null ? 'Terminal setup' : `${setup.client} (terminal setup)`
        const made = await addKey(tx, { project: project.id, preset: 'agent', expires: 'never', name }, now)
        await tx.setup.update({ where: { id: setup.id }, data: { status: 'used' } })
        core.log.info(
          { audit: 'setup.collected', setup: setup.id, api_key: made.id, project: project.id },
          'a terminal collected its key',
        )
        return { status: 'approved', apiKey: made.key, project: project.name }
      }),
  }
}

/** A setup as the person who decides sees it. */
export interface Reviewed {
  /** Names the setup in the decision; nobody else has it. */
  ticket: string
  client: string | null
  address: string
  createdAt: Date
  expiresAt: Date
}

export type Look = { found: Reviewed } | { refused: 'token' | 'code' | 'locked' }

/** Finds the pending setup of a user code for an operator, who has five tries. */
export async function reviewSetup(core: Core, operatorToken: string, typed: string): Promise<Look> {
  const code = readUserCode(typed)
  const ticket = randomBytes(32).toString('base64url')
  const now = core.clock.now()
  return inTransaction(core.db, async (tx): Promise<Look> => {
    const secretHash = isSecret('operator', operatorToken) ? hashSecret(operatorToken) : ''
    await tx.$queryRaw`select 1 from operator_tokens where secret_hash = ${secretHash} for update`
    const operator = await tx.operatorToken.findUnique({ where: { secretHash } })
    if (!operator) return { refused: 'token' }
    const isOver = operator.wrongSince === null || now.getTime() - operator.wrongSince.getTime() > lifeMs
    const wrongBefore = isOver ? 0 : operator.wrongCodes
    if (wrongBefore >= limits.setup.wrongCodes) return { refused: 'locked' }
    const setup = code
      ? await tx.setup.findUnique({ where: { userCodeHash: hashUserCode(code), status: 'pending' } })
      : null
    if (!setup || setup.expiresAt <= now) {
      const wrongSince = isOver ? now : operator.wrongSince
      await tx.operatorToken.update({
        where: { secretHash },
        data: { wrongCodes: wrongBefore + 1, wrongSince },
      })
      return { refused: 'code' }
    }
    await tx.operatorToken.update({ where: { secretHash }, data: { wrongCodes: 0, wrongSince: null } })
    await tx.setup.update({
      where: { id: setup.id },
      data: { ticketHash: hashSecret(ticket), decidedBy: operator.name },
    })
    const { client, address, createdAt, expiresAt } = setup
    return { found: { ticket, client, address, createdAt, expiresAt } }
  })
}

/** Allows or denies. False when the setup is no longer waiting, or the project does not exist. */
export async function decideSetup(
  core: Core,
  ticket: string,
  decision: { allow: true; projectId: string } | { allow: false },
): Promise<boolean> {
  const now = core.clock.now()
  if (decision.allow && !(await isProject(core, decision.projectId))) return false
  const { count } = await core.db.setup.updateMany({
    where: { ticketHash: hashSecret(ticket), status: 'pending', expiresAt: { gt: now } },
    data: decision.allow ? { status: 'approved', projectId: decision.projectId } : { status: 'denied' },
  })
  if (count > 0) core.log.info({ audit: 'setup.decided', allowed: decision.allow }, 'a setup was decided')
  return count > 0
}

const isProject = async ({ db }: Core, id: string): Promise<boolean> =>
  isId('project', id) && (await db.project.findUnique({ where: { id }, select: { id: true } })) !== null
