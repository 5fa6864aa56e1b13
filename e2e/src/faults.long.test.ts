/** A phone of a running system is unplugged: its tenant's view, until the phone is back. */
import { expect, inject, it } from 'vitest'
import { errorOf } from './system/api.js'
import { faultsOf } from './system/faults.js'
import { eventually, newTenant, readyPhone } from './system/tenant.js'

it('answers phone_unavailable while the phone is unplugged, and works again after [23.67, 39.4]', async () => {
  const system = inject('system')
  const faults = await faultsOf(system)
  const tenant = await newTenant(system)
  const phone = await readyPhone(tenant.agent)
  const path = `/v1/phones/${phone.id}/observe`
  const home = { actions: [{ type: 'home' }], observe: 'none' }
  expect((await tenant.agent.get(path)).status).toBe(200)
  const device = await faults.ofPhone(phone.id)
  expect((await device.state()).booted).toBe(true)

  await device.unplug()
  await eventually('the phone to be out of reach', 150_000, async () => {
    // The test sends a write, since the agent retries reads for seconds before they fail.
    const answer = await tenant.agent.post(`/v1/phones/${phone.id}/actions`, home)
    return answer.status === 503 && errorOf(answer).code === 'phone_unavailable'
  })

  await device.replug()
  await eventually('the phone to be back', 150_000, async () => (await tenant.agent.get(path)).status === 200)
  expect((await tenant.admin.delete(`/v1/phones/${phone.id}`)).status).toBe(200)
})
