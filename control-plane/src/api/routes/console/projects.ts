/** Projects with their keys and phones, from the services behind `/v1` and `/operator/v1`. */
import { formatUsd, limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { outlookOf } from '../../../rental/billing/outlook.js'
import { readPace } from '../../../rental/billing/spending.js'
import { listKeys, newKeySchema } from '../../../fleet/operator/keys.js'
import { addProject } from '../../../people/users/members.js'
import { createProjectKey, limitNewKeys, revokeProjectKey } from '../../../people/users/project-keys.js'
import { invalidField, nameSchema, refSchema } from '../../../base/validation/fields.js'
import { statusIn } from '../phone-status.js'
import { accountJson, phoneJson } from '../views.js'
import { callerFor, phoneOf, type ProjectDeps } from './caller.js'
import { actorOf, projectOf } from './gate.js'
import { ownProjectAnswer } from './answers.js'
import { keyAnswer, newKeyAnswer, projectAnswer } from '../operator/answers.js'
import { listOf } from '../shape.js'
import { route } from './route.js'
import { phonePageSchema, phoneSchema } from '../schemas.js'

const newProject = z.strictObject({ name: nameSchema })
const newKey = newKeySchema.omit({ project: true }).extend({ name: nameSchema })
const newPhone = z.strictObject({ name: nameSchema.optional(), country: z.string().max(2).optional() })

export function addProjects(app: FastifyInstance, deps: ProjectDeps): void {
  const { core, services } = deps
  route(app, 'POST /projects', { body: newProject, answer: projectAnswer, status: 201 }, async (request) => {
    const { name } = request.body
    return await addProject(core, actorOf(request), name)
  })
  route(app, 'GET /projects/:project', { answer: ownProjectAnswer }, async (request, reply) => {
    const { id, name, role } = projectOf(request)
    const [account, pace] = await Promise.all([
      services.phones.account(callerFor(request, reply)),
      readPace(core.db, id, core.clock.now()),
    ])
    const { state, perDayMicros, lastsSeconds } = outlookOf(core.rules, account, pace)
    const { minUsd: min, maxUsd: max, defaultUsd } = limits.checkout
    return {
      ...accountJson(account),
      id,
      name,
      role,
      available_usd: formatUsd(account.balanceMicros - account.reservedMicros),
      outlook: { state, per_day_usd: formatUsd(perDayMicros), lasts_seconds: lastsSeconds },
      // Null: only an operator can add credit.
      purchase: core.rules.sellsCredit ? { min_usd: min, max_usd: max, default_usd: defaultUsd } : null,
    }
  })

  route(app, 'GET /projects/:project/keys', { answer: listOf(keyAnswer) }, async (request) => ({
    data: await listKeys(core, projectOf(request).id),
  }))
  route(
    app,
    'POST /projects/:project/keys',
    { body: newKey, answer: newKeyAnswer, status: 201 },
    async (request) => {
      const input = request.body
      await limitNewKeys(core, projectOf(request).id)
      const made = await createProjectKey(core, actorOf(request), {
        ...input,
        project: projectOf(request).id,
      })
      return made
    },
  )
  route(app, 'DELETE /projects/:project/keys/:key', {}, (request) =>
    revokeProjectKey(core, actorOf(request), projectOf(request).id, request.params.key),
  )
  addPhones(app, deps)
}

const searchSchema = nameSchema.optional()

/** Parses `name=value`, the form of the page's filter. */
function pairOf(metadata: unknown): { key: string; value: string } | null {
  if (typeof metadata !== 'string') return null
  const [key = '', ...rest] = metadata.split('=')
  if (key === '' || rest.length === 0 || metadata.includes('\0'))
    throw invalidField('metadata', 'must have the form name=value')
  return { key, value: rest.join('=') }
}

function addPhones(app: FastifyInstance, deps: ProjectDeps): void {
  const { phones } = deps.services

  route(
    app,
    'GET /projects/:project/phones',
    { query: ['status', 'cursor', 'key', 'metadata', 'search'], answer: phonePageSchema },
    async (request, reply) => {
      const { status, cursor, key, metadata, search } = request.query
      const from = refSchema.optional().safeParse(key)
      if (!from.success) throw invalidField('key', 'must be the ID of a key')
      const sought = searchSchema.safeParse(search)
      if (!sought.success) throw invalidField('search', 'must be part of a name, or an ID')
      const page = await phones.list(callerFor(request, reply), {
        status: statusIn(status),
        metadata: pairOf(metadata),
        limit: limits.page.max,
        cursor: typeof cursor === 'string' ? cursor : null,
        ...(from.data === undefined ? {} : { keyId: from.data }),
        ...(sought.data === undefined ? {} : { search: sought.data }),
      })
      return { data: page.data.map(phoneJson), next_cursor: page.nextCursor }
    },
  )
  route(
    app,
    'POST /projects/:project/phones',
    { body: newPhone, answer: phoneSchema, status: 201 },
    async (request, reply) => {
      const { name = null, country = null } = request.body
      const life = { onIdle: 'park', idleTimeout: limits.idleTimeout.default, maxDuration: null } as const
      const input = { name, country, metadata: {}, ...life }
      const { phone } = await phones.create(callerFor(request, reply), input, null)
      return phoneJson(phone)
    },
  )
  route(
    app,
    'POST /projects/:project/phones/:phone/start',
    { answer: phoneSchema },
    async (request, reply) => {
      const life = { idleTimeout: null, maxDuration: null }
      return phoneJson(await phones.start(callerFor(request, reply), phoneOf(request), life))
    },
  )
  route(app, 'POST /projects/:project/phones/:phone/park', { answer: phoneSchema }, async (request, reply) =>
    phoneJson(await phones.park(callerFor(request, reply), phoneOf(request))),
  )
  route(app, 'DELETE /projects/:project/phones/:phone', { answer: phoneSchema }, async (request, reply) =>
    phoneJson(await phones.delete(callerFor(request, reply), phoneOf(request))),
  )
}
