/** Keeps devices from tenants for a while. */
import { z } from 'zod'
import type { System } from './system.js'
import { operatorOf } from './tenant.js'

const devicesSchema = z.object({
  data: z.array(z.object({ serial: z.string(), phone_id: z.string().nullable() })),
})

/**
 * Begins the maintenance of every device except `kept`. No phone may use them. Returns a function that ends
 * the maintenance.
 */
export async function maintainAll(system: System, kept?: string): Promise<() => Promise<void>> {
  const operator = operatorOf(system)
  const { data } = devicesSchema.parse((await operator.get('/operator/v1/devices')).body)
  const paths = data
    .filter(({ serial }) => serial !== kept)
    .map(({ serial }) => `/operator/v1/devices/${serial}/maintenance`)
  for (const at of paths) {
    const begun = await operator.post(at, { note: 'a test' })
    if (begun.status !== 200) throw new Error(`maintenance: ${JSON.stringify(begun.body)}`)
  }
  return async () => {
    for (const at of paths) await operator.delete(at)
  }
}
