/** Phones with the fast way and without it, on a system that has both. */
import { z } from 'zod'
import type { Api, Phone } from './api.js'
import { faultsOf } from './faults.js'
import type { System } from './system.js'
import { operatorOf, readyPhone } from './tenant.js'

const devicesSchema = z.object({
  data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
})

/**
 * Rents phones until one is of this kind, and deletes the others.
 * @param api of a key that may delete phones
 * @param body of the requests
 */
export async function rentOfKind(
  system: System,
  api: Api,
  kind: 'fast' | 'bare',
  body: Record<string, unknown> = {},
): Promise<Phone> {
  const virtual = await (await faultsOf(system)).phones()
  const others: Phone[] = []
  try {
    for (;;) {
      const phone = await readyPhone(api, body)
      const { data } = devicesSchema.parse((await operatorOf(system).get('/operator/v1/devices')).body)
      const device = data.find(({ phone_id: id }) => id === phone.id)
      const found = virtual.find(({ port }) => device?.serial.endsWith(`:${port}`))
      if (found !== undefined && found.without.length > 0 === (kind === 'bare')) return phone
      others.push(phone)
    }
  } finally {
    for (const { id } of others) await api.delete(`/v1/phones/${id}`)
  }
}
