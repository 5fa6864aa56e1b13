/** Devices: their list, and the changes that an operator makes. */
import { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type PhoneStatus } from '../../../../base/core/statuses.js'
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
import { changeFor } from './change.js'
import { runningDeviceAnswer } from '../answers.js'
import { listOf } from '../../shape.js'
import { route } from '../route.js'

const enrollBody = z.strictObject({
  /** The operator types the serial, since enrolling wipes the phone. */
  serial: z.string().max(300),
  fail_phone: z.string().nullish(),
})
const releaseBody = z.strictObject({ keep: z.boolean().default(false) })

export function addOperatorDevices(app: FastifyInstance, { core }: Pick<GateDeps, 'core'>): void {
  route(app, 'GET /operator/devices', { answer: listOf(runningDeviceAnswer) }, async () => {
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
  route(app, 'POST /operator/devices/:device/enroll', { body: enrollBody, status: 202 }, async (request) => {
    const { serial, fail_phone: failPhone } = request.body
    const begun = await changeFor(core, request, 'device.enroll', async (work) => {
      const device = await findDevice(work.tx, request.params.device)
      if (device.serial !== serial)
        throw invalidField(
          'serial',
          'must be the serial of this device: enrolling wipes all data on the phone',
        )
      return enrollDevice(work, device.id, failPhone)
    })
    return begun
  })
  route(
    app,
    'POST /operator/devices/:device/release',
    { body: releaseBody, status: 202 },
    async (request) => {
      const { keep } = request.body
      const begun = await changeFor(core, request, 'device.release', (work) =>
        releaseHeldDevice(work, request.params.device, keep),
      )
      return begun
    },
  )
  route(app, 'POST /operator/devices/:device/drain', { body: drainSchema }, (request) => {
    const drain = request.body
    return changeFor(core, request, 'device.drain', (work) => drainDevice(work, request.params.device, drain))
  })
  route(app, 'POST /operator/devices/:device/undrain', {}, (request) =>
    changeFor(core, request, 'device.undrain', (work) => undrainDevice(work, request.params.device)),
  )
  route(app, 'POST /operator/devices/:device/maintenance', { body: maintenanceSchema }, (request) => {
    const { note } = request.body
    return changeFor(core, request, 'device.maintenance', (work) =>
      beginMaintenance(work, request.params.device, note),
    )
  })
  route(app, 'DELETE /operator/devices/:device/maintenance', {}, (request) =>
    changeFor(core, request, 'device.maintenance_end', (work) => endMaintenance(work, request.params.device)),
  )
}
