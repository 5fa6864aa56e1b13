/** What an operator does with projects and their money. */
import { ApiError, newId, parseUsd } from '@phonerack/shared'
import { z } from 'zod'
import { addCredit } from '../billing/ledger.js'
import { inTransaction } from '../db/database.js'
import { type Project } from '../gen/prisma/client.js'
import { addJob } from '../jobs/queue.js'
import { type Core } from '../phones/core.js'
import { invalidField } from './input.js'

const usd = z.string().regex(/^-?\d{1,12}(\.\d{1,6})?$/, 'must be dollars with up to six decimal places')
const count = z.int().min(0).max(1_000_000)

export const newProjectSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  /** The owner's name; left out: an owner of its own. */
  owner: z.string().trim().min(1).max(80).optional(),
})
export const projectChangeSchema = z.strictObject({
  credit_usd: usd.optional(),
  spend_limit_usd: usd.optional(),
  max_phones: count.optional(),
  max_running: count.optional(),
  frozen: z.boolean().optional(),
})

/** Of a new project, until an operator says otherwise. */
const defaults = { spendLimitMicros: 1_000_000_000n, maxPhones: 100, maxRunning: 10 }

export async function createProject(core: Core, input: z.infer<typeof newProjectSchema>): Promise<Project> {
  const id = newId('project')
  const ownerName = input.owner ?? id
  const project = await inTransaction(core.db, async (tx) => {
    const owner = await tx.owner.upsert({
      where: { name: ownerName },
      create: { id: newId('owner'), name: ownerName },
      update: {},
    })
    return tx.project.create({ data: { id, ownerId: owner.id, name: input.name, ...defaults } })
  })
  core.log.info(
    { audit: 'project.created', project: id, owner: project.ownerId },
    'an operator made a project',
  )
  return project
}

/** @throws ApiError not_found */
export async function findProject(core: Core, id: string): Promise<Project> {
  const project = await core.db.project.findUnique({ where: { id } })
  if (!project)
    throw new ApiError('not_found', { message: 'There is no such project.', details: { project: id } })
  return project
}

/** Freezing parks the running phones: the job is added with the change. */
export async function changeProject(
  core: Core,
  id: string,
  change: z.infer<typeof projectChangeSchema>,
): Promise<Project> {
  await findProject(core, id)
  const now = core.clock.now()
  const spendLimit = change.spend_limit_usd === undefined ? null : parseUsd(change.spend_limit_usd)
  if (spendLimit !== null && spendLimit < 0n) throw invalidField('spend_limit_usd', 'must not be negative')
  const project = await inTransaction(core.db, async (tx) => {
    await tx.$queryRaw`select 1 from projects where id = ${id} for update`
    const before = await tx.project.findUniqueOrThrow({ where: { id } })
    const frozenAt =
      change.frozen === undefined ? before.frozenAt : change.frozen ? (before.frozenAt ?? now) : null
    await tx.project.update({
      where: { id },
      data: {
        frozenAt,
        ...(spendLimit === null ? {} : { spendLimitMicros: spendLimit }),
        ...(change.max_phones === undefined ? {} : { maxPhones: change.max_phones }),
        ...(change.max_running === undefined ? {} : { maxRunning: change.max_running }),
      },
    })
    if (change.credit_usd !== undefined) await addCredit(tx, id, parseUsd(change.credit_usd), now)
    if (frozenAt && !before.frozenAt) await addJob(tx, 'phones.park_all', { projectId: id })
    return tx.project.findUniqueOrThrow({ where: { id } })
  })
  core.log.info({ audit: 'project.changed', project: id, change }, 'an operator changed a project')
  return project
}
