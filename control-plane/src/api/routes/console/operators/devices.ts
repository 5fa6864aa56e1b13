/** Devices: their list, and the changes of an operator. */
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type PhoneStatus } from '../../../../base/core/statuses.js'
import { parseBody } from '../../../http/parse-body.js'
import { enrollDevice, findDevice, releaseHeldDevice } from '../../../../fleet/operator/devices.js'
import {
  beginMaintenance,
  drainDevice,
  drainSchema,
  endMaintenance,
  maintenanceSchema,
  undrainDevice,
} from '../../../../fleet/operator/drain.js'
import { deviceView } from '../../../../fleet/operator/views.js'
import { isRunning } from '../../../../rental/phones/machine.js'
import { invalidField } from '../../../../base/validation/fields.js'
import { type GateDeps } from '../gate.js'
import { changeFor, operatorPath } from './change.js'

type OfDevice = { Params: { device: string } }

const enrollBody = z.strictObject({
  /** Typed by the person, since enrolling wipes the phone. */
  serial: z.string().max(300),
  fail_phone: z.string().nullish(),
})
const releaseBody = z.strictObject({ keep: z.boolean().default(false) })

export function addOperatorDevices(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  const base = `${operatorPath}/devices`
  app.get(base, async () => {
    const devices = await core.db.device.findMany({
      where: { host: { retiredAt: null } },
      include: { host: true, phone: { select: { status: true } } },
      orderBy: { createdAt: 'asc' },
    })
    const now = core.clock.now()
    return {
      data: devices.map(({ phone, ...device }) => ({
        ...deviceView(device, now, core.rules),
        is_running: phone !== null && isRunning(phone.status as PhoneStatus),
      })),
    }
  })
  app.post<OfDevice>(`${base}/:device/enroll`, async (request, reply) => {
    const { serial, fail_phone: failPhone } = parseBody(enrollBody, request)
    const begun = await changeFor(core, request, 'device.enroll', async (work) => {
      const device = await findDevice(work.tx, request.params.device)
      if (device.serial !== serial)
        throw invalidField(
          'serial',
          'must be the serial of this device: enrolling wipes all data on the phone',
        )
      return enrollDevice(work, device.id, failPhone)
    })
    return reply.code(202).send(begun)
  })
  app.post<OfDevice>(`${base}/:device/release`, async (request, reply) => {
    const { keep } = parseBody(releaseBody, request)
    const begun = await changeFor(core, request, 'device.release', (work) =>
      releaseHeldDevice(work, request.params.device, keep),
    )
    return reply.code(202).send(begun)
  })
  app.post<OfDevice>(`${base}/:device/drain`, (request) => {
    const drain = parseBody(drainSchema, request)
    return changeFor(core, request, 'device.drain', (work) => drainDevice(work, request.params.device, drain))
  })
  app.post<OfDevice>(`${base}/:device/undrain`, (request) =>
    changeFor(core, request, 'device.undrain', (work) => undrainDevice(work, request.params.device)),
  )
  app.post<OfDevice>(`${base}/:device/maintenance`, (request) => {
    const { note } = parseBody(maintenanceSchema, request)
    return changeFor(core, request, 'device.maintenance', (work) =>
      beginMaintenance(work, request.params.device, note),
    )
  })
  app.delete<OfDevice>(`${base}/:device/maintenance`, (request) =>
    changeFor(core, request, 'device.maintenance_end', (work) => endMaintenance(work, request.params.device)),
  )
}
