/** Phones on devices that a test chooses. */
import { z } from 'zod'
import type { Api, Phone } from './api.js'
import { faultsOf } from './faults.js'
import type { System } from './system.js'
import { operatorOf, readyPhone } from './tenant.js'

const devicesSchema = z.object({
  data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
})

/** The serial of the device that serves a phone. */
export async function serialOf(system: System, phoneId: string): Promise<string> {
  const { data } = devicesSchema.parse((await operatorOf(system).get('/operator/v1/devices')).body)
  const device = data.find(({ phone_id: id }) => id === phoneId)
  if (!device) throw new Error(`no device serves ${phoneId}`)
  return device.serial
}

/**
 * Rents phones until one of them is on a wanted device, and deletes the others.
 * @param api of a key that may delete phones
 * @param body of the requests
 */
export async function rentWhere(
  system: System,
  api: Api,
  isWanted: (serial: string) => boolean,
  body: Record<string, unknown> = {},
): Promise<Phone> {
  const others: Phone[] = []
  try {
    for (;;) {
      const phone = await readyPhone(api, body)
      if (isWanted(await serialOf(system, phone.id))) return phone
      others.push(phone)
    }
  } finally {
    for (const { id } of others) await api.delete(`/v1/phones/${id}`)
  }
}

/** Rents a phone with or without the fast way, like `rentWhere`. */
export async function rentOfKind(
  system: System,
  api: Api,
  kind: 'fast' | 'bare',
  body: Record<string, unknown> = {},
): Promise<Phone> {
  const phones = await (await faultsOf(system)).phones()
  const wanted = phones.filter(({ without }) => without.length > 0 === (kind === 'bare'))
  return rentWhere(system, api, (serial) => wanted.some(({ port }) => serial.endsWith(`:${port}`)), body)
}
