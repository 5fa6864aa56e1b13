/**
 * `/operator/v1`: for `ctl` and the launcher, with an operator token and the public error envelope.
 */
import { type FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { listActivity } from '../../../rental/activity/listing.js'
import { type Core } from '../../../base/core/core.js'
import { operatorApi, type OperatorApi } from './api.js'
import { listAudit } from '../../../base/audit/audit.js'
import { enrollDevice, findDevice, releaseHeldDevice } from '../../../fleet/operator/devices.js'
import {
  beginMaintenance,
  drainDevice,
  drainHost,
  drainSchema,
  endMaintenance,
  maintenanceSchema,
  undrainDevice,
  undrainHost,
} from '../../../fleet/operator/drain.js'
import {
  createJoinToken,
  createRejoinToken,
  listHosts,
  readService,
  setPaused,
} from '../../../fleet/operator/hosts.js'
import {
  deleteAnyPhone,
  findAnyPhone,
  listAllPhones,
  phoneDeletionSchema,
} from '../../../fleet/operator/phones.js'
import { moveDeviceTo, moveSchema } from '../../../fleet/operator/move.js'
import { changeHost, hostChangeSchema } from '../../../fleet/operator/host-names.js'
import { removeDevice, removeHost } from '../../../fleet/operator/remove.js'
import { retireHost } from '../../../fleet/operator/retire.js'
import { invalidField, readPage } from '../../../base/validation/fields.js'
import { createKey, listKeys, newKeySchema, revokeKey } from '../../../fleet/operator/keys.js'
import { declareRestored } from '../../../fleet/operator/restored.js'
import {
  changeProject,
  createProject,
  findProject,
  newProjectSchema,
  projectChangeSchema,
} from '../../../fleet/operator/projects.js'
import { createToken, listTokens, newTokenSchema, revokeToken } from '../../../base/audit/tokens.js'
import { statusIn } from '../phone-status.js'
import { deviceView, projectView } from '../../../fleet/operator/views.js'
import { listOf, pageBefore } from '../shape.js'
import {
  activityAnswer,
  anyPhoneAnswer,
  auditAnswer,
  deviceAnswer,
  hostAnswer,
  joinTokenAnswer,
  keyAnswer,
  newKeyAnswer,
  newTokenAnswer,
  pauseAnswer,
  projectAnswer,
  rejoinTokenAnswer,
  removedAnswer,
  restoreAnswer,
  retiredHostAnswer,
  revokedKeyAnswer,
  revokedTokenAnswer,
  serviceAnswer,
  tokenAnswer,
} from './answers.js'

const paged = ['project', 'limit', 'before'] as const
const phonesQuery = [...paged, 'status', 'stopped_for'] as const

const releaseSchema = z.strictObject({ keep: z.boolean().optional() })
const retireSchema = z.strictObject({ force: z.boolean().optional() })
/** A hundred years. */
const mostSeconds = 3_155_760_000
const enrollSchema = z.strictObject({ erase: z.boolean().optional(), fail_phone: z.string().nullish() })

/** @throws ApiError validation_failed */
function readAll({ all = 'false' }: { all?: unknown }): boolean {
  if (all !== 'true' && all !== 'false') throw invalidField('all', 'must be `true` or `false`')
  return all === 'true'
}

/** @param authority fingerprint of the hosts' certificate authority, for join tokens; a rotation changes it */
export const operatorPlugin =
  (core: Core, authority: () => string): FastifyPluginAsync =>
  (app) => {
    const api = operatorApi(app, core)
    addHostsAndDevices(api, core, authority)
    addPhones(api, core)
    addMoves(api)
    addDrains(api)
    addProjectsAndKeys(api, core)
    addService(api, core)
    return Promise.resolve()
  }

function addHostsAndDevices(api: OperatorApi, core: Core, authority: () => string): void {
  api.read('/hosts', { query: ['all'], answer: listOf(hostAnswer) }, async ({ query }) => ({
    data: await listHosts(core, readAll(query)),
  }))
  api.write(
    {
      method: 'POST',
      url: '/hosts/join-tokens',
      action: 'host.join_token',
      answer: joinTokenAnswer,
      status: 201,
    },
    (work) => createJoinToken(work, authority()),
  )

  api.write(
    {
      method: 'PATCH',
      url: '/hosts/:ref',
      action: 'host.change',
      answer: hostAnswer,
      body: hostChangeSchema,
    },
    (work, { params, body }) => changeHost(work, params.ref, body),
  )
  api.write(
    {
      method: 'POST',
      url: '/hosts/:ref/rejoin',
      action: 'host.rejoin_token',
      answer: rejoinTokenAnswer,
      status: 201,
    },
    (work, { params }) => createRejoinToken(work, params.ref, authority()),
  )

  api.write(
    {
      method: 'POST',
      url: '/hosts/:ref/retire',
      action: 'host.retire',
      answer: retiredHostAnswer,
      body: retireSchema,
    },
    (work, { params, body }) => retireHost(work, params.ref, body.force ?? false),
  )

  api.write(
    { method: 'DELETE', url: '/hosts/:ref', action: 'host.remove', answer: removedAnswer },
    (work, { params }) => removeHost(work, params.ref),
  )
  api.write(
    { method: 'DELETE', url: '/devices/:ref', action: 'device.remove', answer: removedAnswer },
    (work, { params }) => removeDevice(work, params.ref),
  )

  api.read('/devices', { answer: listOf(deviceAnswer) }, async () => {
    const where = { host: { retiredAt: null } }
    const devices = await core.db.device.findMany({
      where,
      include: { host: true },
      orderBy: { createdAt: 'asc' },
    })
    const now = core.clock.now()
    return { data: devices.map((device) => deviceView(device, now, core.rules)) }
  })
  api.read('/devices/:ref', { answer: deviceAnswer }, async ({ params }) =>
    deviceView(await findDevice(core.db, params.ref), core.clock.now(), core.rules),
  )
  api.write(
    {
      method: 'POST',
      url: '/devices/:ref/enroll',
      action: 'device.enroll',
      answer: deviceAnswer,
      status: 202,
      body: enrollSchema,
    },
    (work, { params, body }) => {
      if (body.erase !== true)
        throw invalidField('erase', 'must be `true`: enrolling wipes all data on the phone')
      return enrollDevice(work, params.ref, body.fail_phone)
    },
  )
  api.write(
    {
      method: 'POST',
      url: '/devices/:ref/release',
      action: 'device.release',
      answer: deviceAnswer,
      status: 202,
      body: releaseSchema,
    },
    (work, { params, body }) => releaseHeldDevice(work, params.ref, body.keep ?? false),
  )
}

function addPhones(api: OperatorApi, core: Core): void {
  api.read('/phones', { query: phonesQuery, answer: pageBefore(anyPhoneAnswer) }, async ({ query }) => {
    const { project = null, status, stopped_for: stoppedFor = null } = query
    if (project !== null && typeof project !== 'string')
      throw invalidField('project', 'must be the ID of a project')
    const seconds = z.coerce.number().int().min(0).max(mostSeconds).nullable().safeParse(stoppedFor)
    if (!seconds.success) throw invalidField('stopped_for', 'must be a number of seconds')
    const stoppedBefore =
      seconds.data === null ? null : new Date(core.clock.now().getTime() - seconds.data * 1000)
    return listAllPhones(core, {
      ...readPage(query),
      projectId: project,
      status: statusIn(status),
      stoppedBefore,
    })
  })
  api.read('/phones/:id', { answer: anyPhoneAnswer }, ({ params }) => findAnyPhone(core.db, params.id))
  api.write(
    {
      method: 'DELETE',
      url: '/phones/:id',
      action: 'phone.delete',
      answer: anyPhoneAnswer,
      body: phoneDeletionSchema,
    },
    (work, { params, body }) => deleteAnyPhone(work, params.id, body),
  )
}

function addMoves(api: OperatorApi): void {
  api.write(
    {
      method: 'POST',
      url: '/devices/:ref/move',
      action: 'device.move',
      answer: deviceAnswer,
      status: 202,
      body: moveSchema,
    },
    (work, { params, body }) => moveDeviceTo(work, params.ref, body),
  )
}

function addDrains(api: OperatorApi): void {
  api.write(
    { method: 'POST', url: '/hosts/:ref/drain', action: 'host.drain', answer: hostAnswer, body: drainSchema },
    (work, { params, body }) => drainHost(work, params.ref, body),
  )
  api.write(
    { method: 'POST', url: '/hosts/:ref/undrain', action: 'host.undrain', answer: hostAnswer },
    (work, { params }) => undrainHost(work, params.ref),
  )
  api.write(
    {
      method: 'POST',
      url: '/devices/:ref/drain',
      action: 'device.drain',
      answer: deviceAnswer,
      body: drainSchema,
    },
    (work, { params, body }) => drainDevice(work, params.ref, body),
  )
  api.write(
    { method: 'POST', url: '/devices/:ref/undrain', action: 'device.undrain', answer: deviceAnswer },
    (work, { params }) => undrainDevice(work, params.ref),
  )
  api.write(
    {
      method: 'POST',
      url: '/devices/:ref/maintenance',
      action: 'device.maintenance',
      answer: deviceAnswer,
      body: maintenanceSchema,
    },
    (work, { params, body }) => beginMaintenance(work, params.ref, body.note),
  )
  api.write(
    {
      method: 'DELETE',
      url: '/devices/:ref/maintenance',
      action: 'device.maintenance_end',
      answer: deviceAnswer,
    },
    (work, { params }) => endMaintenance(work, params.ref),
  )
}

function addProjectsAndKeys(api: OperatorApi, core: Core): void {
  api.read('/projects', { answer: listOf(projectAnswer) }, async () => ({
    data: (await core.db.project.findMany({ orderBy: { createdAt: 'asc' } })).map(projectView),
  }))
  api.write(
    {
      method: 'POST',
      url: '/projects',
      action: 'project.create',
      answer: projectAnswer,
      status: 201,
      body: newProjectSchema,
    },
    (work, { body }) => createProject(work, body),
  )
  api.read('/projects/:id', { answer: projectAnswer }, async ({ params }) =>
    projectView(await findProject(core.db, params.id)),
  )
  api.write(
    {
      method: 'PATCH',
      url: '/projects/:id',
      action: 'project.change',
      answer: projectAnswer,
      body: projectChangeSchema,
    },
    (work, { params, body }) => changeProject(work, params.id, body),
  )

  api.read('/keys', { query: ['project'], answer: listOf(keyAnswer) }, async ({ query: { project } }) => {
    if (typeof project !== 'string') throw invalidField('project', 'must be the ID of a project')
    return { data: await listKeys(core, project) }
  })
  api.write(
    {
      method: 'POST',
      url: '/keys',
      action: 'key.create',
      answer: newKeyAnswer,
      status: 201,
      body: newKeySchema,
    },
    (work, { body }) => createKey(work, body),
  )
  api.write(
    { method: 'DELETE', url: '/keys/:id', action: 'key.revoke', answer: revokedKeyAnswer },
    (work, { params }) => revokeKey(work, params.id),
  )

  api.read('/activity', { query: paged, answer: pageBefore(activityAnswer) }, async ({ query }) => {
    const { project: projectId } = query
    if (typeof projectId !== 'string') throw invalidField('project', 'must be the ID of a project')
    const page = readPage(query)
    await findProject(core.db, projectId)
    return listActivity(core, { projectId, ...page })
  })
}

function addService(api: OperatorApi, core: Core): void {
  api.read('/service', { answer: serviceAnswer }, () => readService(core))
  api.write({ method: 'POST', url: '/service/pause', action: 'service.pause', answer: pauseAnswer }, (work) =>
    setPaused(work, true),
  )
  api.write(
    { method: 'POST', url: '/service/resume', action: 'service.resume', answer: pauseAnswer },
    (work) => setPaused(work, false),
  )
  api.write(
    { method: 'POST', url: '/service/restored', action: 'service.restored', answer: restoreAnswer },
    (work) => declareRestored(work),
  )

  api.read('/operator-tokens', { answer: listOf(tokenAnswer) }, async () => ({
    data: await listTokens(core),
  }))
  api.write(
    {
      method: 'POST',
      url: '/operator-tokens',
      action: 'operator_token.create',
      answer: newTokenAnswer,
      status: 201,
      body: newTokenSchema,
    },
    (work, { body }) => createToken(work, body),
  )
  api.write(
    {
      method: 'DELETE',
      url: '/operator-tokens/:id',
      action: 'operator_token.revoke',
      answer: revokedTokenAnswer,
    },
    (work, { params }) => revokeToken(work, params.id),
  )
  api.read('/audit', { query: ['limit', 'before'], answer: pageBefore(auditAnswer) }, ({ query }) =>
    listAudit(core, readPage(query)),
  )
}
