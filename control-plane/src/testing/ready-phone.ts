/** Creates ready phones, for tests that only use phones. */
import { type CreatePhone } from '../rental/phones/types.js'
import { createBody, eventually, type Plane, type Tenant } from './world.js'

/**
 * Creates a phone that runs for an hour unless `change` sets another duration. Returns the phone's ID once it
 * is ready.
 */
export async function readyPhone(
  { app }: Plane,
  { caller }: Tenant,
  change: Partial<CreatePhone> = {},
): Promise<string> {
  const { phones } = app.services
  const body = createBody({ idleTimeout: 3600, maxDuration: 3600, ...change })
  const { phone } = await phones.create(caller, body, null)
  await eventually(async () => (await phones.get(caller, phone.id)).status === 'ready')
  return phone.id
}
