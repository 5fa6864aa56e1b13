/** Projects with their keys and phones, by the services behind `/v1` and `/operator/v1`. */
import { formatUsd, limits } from '@phonerack/shared'
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { outlookOf } from '../../../rental/billing/outlook.js'
import { readPace } from '../../../rental/billing/spending.js'
import { parseBody } from '../../http/parse-body.js'
import { listKeys, newKeySchema } from '../../../fleet/operator/keys.js'
import { addProject } from '../../../people/users/members.js'
import { createProjectKey, limitNewKeys, revokeProjectKey } from '../../../people/users/project-keys.js'
import { invalidField, nameSchema, refSchema } from '../../../base/validation/fields.js'
import { statusIn } from '../phone-status.js'
import { accountJson, phoneJson } from '../views.js'
import { callerFor, phoneOf, projectPath, type OfPhone, type ProjectDeps } from './caller.js'
import { actorOf, apiPath, projectOf } from './gate.js'

const base = projectPath

const newProject = z.strictObject({ name: nameSchema })
const newKey = newKeySchema.omit({ project: true }).extend({ name: nameSchema })
const newPhone = z.strictObject({ name: nameSchema.optional(), country: z.string().max(2).optional() })

export function addProjects(app: FastifyInstance, deps: ProjectDeps): void {
  const { core, services } = deps
  app.post(`${apiPath}/projects`, async (request, reply) => {
    const { name } = parseBody(newProject, request)
    return reply.code(201).send(await addProject(core, actorOf(request), name))
  })
  app.get(base, async (request, reply) => {
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
      // Null: an operator adds credit.
      purchase: core.rules.sellsCredit ? { min_usd: min, max_usd: max, default_usd: defaultUsd } : null,
    }
  })

  app.get(`${base}/keys`, async (request) => ({ data: await listKeys(core, projectOf(request).id) }))
  app.post(`${base}/keys`, async (request, reply) => {
    const input = parseBody(newKey, request)
    await limitNewKeys(core, projectOf(request).id)
    const made = await createProjectKey(core, actorOf(request), { ...input, project: projectOf(request).id })
    return reply.code(201).send(made)
  })
  app.delete<{ Params: { key: string } }>(`${base}/keys/:key`, (request) =>
    revokeProjectKey(core, actorOf(request), projectOf(request).id, request.params.key),
  )
  addPhones(app, deps)
}

type Listed = { Querystring: Record<'status' | 'cursor' | 'key' | 'metadata' | 'search', unknown> }

const searchSchema = nameSchema.optional()

/** `name=value`, as the page's filter sends it. */
function pairOf(metadata: unknown): { key: string; value: string } | null {
  if (typeof metadata !== 'string') return null
  const [key = '', ...rest] = metadata.split('=')
  if (key === '' || rest.length === 0 || metadata.includes('\0'))
    throw invalidField('metadata', 'must have the form name=value')
  return { key, value: rest.join('=') }
}

function addPhones(app: FastifyInstance, deps: ProjectDeps): void {
  const { phones } = deps.services

  app.get<Listed>(`${base}/phones`, async (request, reply) => {
    const { status, cursor, key, metadata, search } = request.query
    const from = refSchema.optional().safeParse(key)
    if (!from.success) throw invalidField('key', 'must be the ID of a key')
    const sought = searchSchema.safeParse(search)
    if (!sought.success) throw invalidField('search', 'must be a part of a name, or an ID')
    const page = await phones.list(callerFor(request, reply), {
      status: statusIn(status),
      metadata: pairOf(metadata),
      limit: limits.page.max,
      cursor: typeof cursor === 'string' ? cursor : null,
      ...(from.data === undefined ? {} : { keyId: from.data }),
      ...(sought.data === undefined ? {} : { search: sought.data }),
    })
    return { data: page.data.map(phoneJson), next_cursor: page.nextCursor }
  })
  app.post(`${base}/phones`, async (request, reply) => {
    const { name = null, country = null } = parseBody(newPhone, request)
    const life = { onIdle: 'park', idleTimeout: limits.idleTimeout.default, maxDuration: null } as const
    const input = { name, country, metadata: {}, ...life }
    const { phone } = await phones.create(callerFor(request, reply), input, null)
    return reply.code(201).send(phoneJson(phone))
  })
  app.post<OfPhone>(`${base}/phones/:phone/start`, async (request, reply) => {
    const life = { idleTimeout: null, maxDuration: null }
    return phoneJson(await phones.start(callerFor(request, reply), phoneOf(request), life))
  })
  app.post<OfPhone>(`${base}/phones/:phone/park`, async (request, reply) =>
    phoneJson(await phones.park(callerFor(request, reply), phoneOf(request))),
  )
  app.delete<OfPhone>(`${base}/phones/:phone`, async (request, reply) =>
    phoneJson(await phones.delete(callerFor(request, reply), phoneOf(request))),
  )
}
