/** `/operator/v1`: for `ctl` and the launcher, with an operator token, under the public error envelope. */
import { type FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { type Core } from '../phones/core.js'
import { listActivity } from '../activity/listing.js'
import { requireOperator } from './auth.js'
import { enrollDevice, findDevice, releaseHeldDevice } from './devices.js'
import { createJoinToken, listHosts, readService, setPaused } from './hosts.js'
import { invalidField, parseBody } from './input.js'
import { createKey, listKeys, newKeySchema, revokeKey } from './keys.js'
import {
  changeProject,
  createProject,
  findProject,
  newProjectSchema,
  projectChangeSchema,
} from './projects.js'
import { deviceView, projectView } from './views.js'

const nothing = z.strictObject({})
const releaseSchema = z.strictObject({ keep: z.boolean().optional() })
const enrollSchema = z.strictObject({ erase: z.boolean().optional() })

export const operatorPlugin =
  (core: Core): FastifyPluginAsync =>
  (app) => {
    app.addHook('onRequest', (request) => requireOperator(core, request))
    const base = '/operator/v1'

    app.get(`${base}/hosts`, async () => ({ data: await listHosts(core) }))
    app.post(`${base}/hosts/join-tokens`, async (request, reply) => {
      parseBody(nothing, request)
      return reply.code(201).send(await createJoinToken(core))
    })

    app.get(`${base}/devices`, async () => {
      const devices = await core.db.device.findMany({
        include: { host: true },
        orderBy: { createdAt: 'asc' },
      })
      return { data: devices.map(deviceView) }
    })
    app.get<{ Params: { ref: string } }>(`${base}/devices/:ref`, async (request) =>
      deviceView(await findDevice(core, request.params.ref)),
    )
    app.post<{ Params: { ref: string } }>(`${base}/devices/:ref/enroll`, async (request, reply) => {
      if (parseBody(enrollSchema, request).erase !== true) {
        throw invalidField('erase', 'must be true: enrolling wipes all data of the phone')
      }
      return reply.code(202).send(deviceView(await enrollDevice(core, request.params.ref)))
    })
    app.post<{ Params: { ref: string } }>(`${base}/devices/:ref/release`, async (request, reply) => {
      const { keep = false } = parseBody(releaseSchema, request)
      return reply.code(202).send(deviceView(await releaseHeldDevice(core, request.params.ref, keep)))
    })

    app.get(`${base}/projects`, async () => ({
      data: (await core.db.project.findMany({ orderBy: { createdAt: 'asc' } })).map(projectView),
    }))
    app.post(`${base}/projects`, async (request, reply) =>
      reply.code(201).send(projectView(await createProject(core, parseBody(newProjectSchema, request)))),
    )
    app.get<{ Params: { id: string } }>(`${base}/projects/:id`, async (request) =>
      projectView(await findProject(core, request.params.id)),
    )
    app.patch<{ Params: { id: string } }>(`${base}/projects/:id`, async (request) =>
      projectView(await changeProject(core, request.params.id, parseBody(projectChangeSchema, request))),
    )

    app.get<{ Querystring: { project?: string } }>(`${base}/keys`, async (request) => {
      const { project } = request.query
      if (typeof project !== 'string') throw invalidField('project', 'must name a project')
      return { data: await listKeys(core, project) }
    })
    app.post(`${base}/keys`, async (request, reply) =>
      reply.code(201).send(await createKey(core, parseBody(newKeySchema, request))),
    )
    app.delete<{ Params: { id: string } }>(`${base}/keys/:id`, (request) =>
      revokeKey(core, request.params.id),
    )

    app.get<{ Querystring: { project?: string; limit?: string; before?: string } }>(
      `${base}/activity`,
      async (request) => {
        const { project: projectId, limit = '50', before } = request.query
        if (typeof projectId !== 'string') throw invalidField('project', 'must name a project')
        if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidField('limit', 'must be 1 to 100')
        if (Array.isArray(before)) throw invalidField('before', 'may be given at most once')
        await findProject(core, projectId)
        return listActivity(core, {
          projectId,
          limit: Number(limit),
          before: before ?? null,
        })
      },
    )

    app.get(`${base}/service`, () => readService(core))
    app.post(`${base}/service/pause`, () => setPaused(core, true))
    app.post(`${base}/service/resume`, () => setPaused(core, false))
    return Promise.resolve()
  }
