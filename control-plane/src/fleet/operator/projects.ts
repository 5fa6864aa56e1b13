/** Operators' changes of projects and their credit. */
import { ApiError, newId, parseUsd } from '@phonerack/shared'
import { z } from 'zod'
import { addCredit } from '../../rental/billing/ledger.js'
import { pictureModes } from '../../base/core/caller.js'
import { type Tx } from '../../base/db/database.js'
import { type Project } from '../../gen/prisma/client.js'
import { addJob } from '../../base/queue/queue.js'
import { invalidField, nameSchema } from '../../base/validation/fields.js'
import { projectView } from './views.js'
import { type Change, type Origin, type Work } from '../../base/audit/work.js'

const usd = z
  .string()
  .regex(/^-?\d{1,12}(\.\d{1,6})?$/, 'must be an amount in dollars with at most six decimal places')
const count = z.int().min(0).max(1_000_000)
const mostStepBytes = 1_000_000_000_000

export const newProjectSchema = z.strictObject({
  name: nameSchema,
  /** The owner's name. Omitted: the project gets a new owner. */
  owner: nameSchema.optional(),
  credit_usd: usd.optional(),
})
export const projectChangeSchema = z.strictObject({
  credit_usd: usd.optional(),
  spend_limit_usd: usd.optional(),
  max_phones: count.optional(),
  max_running: count.optional(),
  /** The limit of phones without a session, checked at create; null: none. */
  parked_limit: count.nullable().optional(),
  frozen: z.boolean().optional(),
  /** Whether phones of the project run shell commands. */
  shell: z.boolean().optional(),
  /**
   * Whether steps are recorded, whether typed text is recorded, which pictures are recorded, and the quota of
   * the steps in bytes.
   */
  steps: z.boolean().optional(),
  steps_text: z.boolean().optional(),
  steps_pictures: z.enum(pictureModes).optional(),
  steps_max_bytes: z.int().min(0).max(mostStepBytes).optional(),
})

type ProjectView = ReturnType<typeof projectView>

/** Limits of a new project. */
const defaults = { spendLimitMicros: 1_000_000_000n, maxPhones: 100, maxRunning: 10 }

/** Adds the project's first credit when an amount is given. */
export async function createProject(
  work: Work<Origin>,
  input: z.infer<typeof newProjectSchema>,
): Promise<Change<ProjectView>> {
  const { tx, now } = work
  const id = newId('project')
  const credit = input.credit_usd === undefined ? 0n : parseUsd(input.credit_usd)
  if (credit < 0n) throw invalidField('credit_usd', 'must not be negative')
  const ownerName = input.owner ?? id
  // Prisma's upsert fails when another request creates the same owner at the same moment.
  await tx.owner.createMany({ data: [{ id: newId('owner'), name: ownerName }], skipDuplicates: true })
  const owner = await tx.owner.findUniqueOrThrow({ where: { name: ownerName } })
  await tx.project.create({ data: { id, ownerId: owner.id, name: input.name, ...defaults } })
  if (credit > 0n) await addCredit(tx, id, credit, now)
  const view = projectView(await tx.project.findUniqueOrThrow({ where: { id } }))
  return { result: view, target: id, before: null, after: view }
}

/** @throws ApiError not_found */
export async function findProject(db: Pick<Tx, 'project'>, id: string): Promise<Project> {
  return known(await db.project.findUnique({ where: { id } }), id)
}

function known(project: Project | null, id: string): Project {
  if (project) return project
  throw new ApiError('not_found', { message: 'There is no such project.', details: { project: id } })
}

/** Freezing parks the running phones: the transaction of the change adds the job. */
export async function changeProject(
  work: Work,
  id: string,
  change: z.infer<typeof projectChangeSchema>,
): Promise<Change<ProjectView>> {
  const { tx, now } = work
  const spendLimit = change.spend_limit_usd === undefined ? null : parseUsd(change.spend_limit_usd)
  if (spendLimit !== null && spendLimit < 0n) throw invalidField('spend_limit_usd', 'must not be negative')
  await tx.$queryRaw`select 1 from projects where id = ${id} for update`
  const before = known(await tx.project.findUnique({ where: { id } }), id)
  const frozenAt =
    change.frozen === undefined ? before.frozenAt : change.frozen ? (before.frozenAt ?? now) : null
  await tx.project.update({
    where: { id },
    data: {
      frozenAt,
      ...(spendLimit === null ? {} : { spendLimitMicros: spendLimit }),
      ...(change.max_phones === undefined ? {} : { maxPhones: change.max_phones }),
      ...(change.max_running === undefined ? {} : { maxRunning: change.max_running }),
      ...(change.parked_limit === undefined ? {} : { parkedLimit: change.parked_limit }),
      ...(change.shell === undefined ? {} : { shellEnabled: change.shell }),
      ...stepsData(change),
    },
  })
  if (change.credit_usd !== undefined) await addCredit(tx, id, parseUsd(change.credit_usd), now)
  if (frozenAt && !before.frozenAt) await addJob(tx, 'phones.park_all', { projectId: id })
  const after = projectView(await tx.project.findUniqueOrThrow({ where: { id } }))
  return { result: after, target: id, before: projectView(before), after }
}

const stepsData = (change: z.infer<typeof projectChangeSchema>) => ({
  ...(change.steps === undefined ? {} : { stepsEnabled: change.steps }),
  ...(change.steps_text === undefined ? {} : { stepsText: change.steps_text }),
  ...(change.steps_pictures === undefined ? {} : { stepsPictures: change.steps_pictures }),
  ...(change.steps_max_bytes === undefined ? {} : { stepsMaxBytes: BigInt(change.steps_max_bytes) }),
})
