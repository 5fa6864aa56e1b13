/** Implements `SetupService`: a terminal requests its first key, and collects the key after a person has approved. */
import { ApiError, hashSecret, isSecret, limits, newId, newSecret } from '@phonerack/shared'
import { createSecretLookup } from '../../base/db/secret-lookup.js'
import { Prisma } from '../../gen/prisma/client.js'
import { addAudit } from '../../base/audit/audit.js'
import { addKey, keyRightsSchema } from '../../fleet/operator/keys.js'
import { actingFor, inAuditedTransaction } from '../../base/audit/work.js'
import { type Core } from '../../base/core/core.js'
import { type SetupService } from './types.js'
import { createPendingSetups } from './pending.js'
import { hashUserCode, newUserCode } from './user-code.js'

const lifeMs = limits.setup.life * 1000
const startAgain = 'Start a new setup: POST /v1/setup'

export function createSetupService(core: Core): SetupService & { close(): void } {
  const tokens = createSecretLookup(async (hashes) => {
    const rows = await core.db.setup.findMany({
      where: {
        tokenHash: { in: hashes },
        status: { in: ['pending', 'approved'] },
        expiresAt: { gt: core.clock.now() },
      },
      select: { tokenHash: true },
    })
    return rows.map(({ tokenHash }) => tokenHash)
  })
  const pending = createPendingSetups(core)
  const collect: SetupService['collect'] = (token, from) =>
    inAuditedTransaction(core, from, async (work) => {
      const { tx, now } = work
      const tokenHash = isSecret('setup', token) ? hashSecret(token) : ''
      await tx.$queryRaw`select 1 from setups where token_hash = ${tokenHash} for update`
      const setup = await tx.setup.findUnique({ where: { tokenHash }, include: { project: true } })
      if (!setup)
        throw new ApiError('not_found', { message: 'There is no setup with this token.', next: startAgain })
      if (setup.status === 'denied') throw new ApiError('setup_denied', { next: startAgain })
      if (setup.status === 'used') throw new ApiError('setup_used', { next: startAgain })
      if (setup.expiresAt <= now) throw new ApiError('setup_expired', { next: startAgain })
      const { project } = setup
      if (setup.status !== 'approved' || !project) return { status: 'pending' }
      const name = setup.client === null ? 'Terminal setup' : `${setup.client} (terminal setup)`
      // A setup approved by an operator's link, or by an earlier release, has no stored rights.
      const rights = keyRightsSchema.parse(setup.rights ?? { preset: 'agent', expires: 'never' })
      const made = await addKey(tx, { ...rights, project: project.id, name }, now)
      await tx.setup.update({ where: { id: setup.id }, data: { status: 'used', rights: Prisma.DbNull } })
      const { key, ...after } = made
      const change = { target: made.id, before: null, after: { ...after, setup: setup.id } }
      await addAudit(await actingFor(work, setup.decidedBy), 'setup.collected', change)
      return { status: 'approved', apiKey: key, project: project.name }
    })

  return {
    isKnown: (token) => tokens.has(hashSecret(token)),
    close: () => tokens.close(),

    async create({ client, address }) {
      await pending.add()
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

    async collect(token, from) {
      try {
        return await collect(token, from)
      } catch (error) {
        tokens.forget(hashSecret(token))
        throw error
      }
    },
  }
}
