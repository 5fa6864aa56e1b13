/** Touches in a live view as steps, over a real socket. The agent is a double. */
import { beforeAll, expect, it } from 'vitest'
import { openLive } from '../testing/live-client.js'
import { readyPhone } from '../testing/ready-phone.js'
import { eventually, useWorld, type Plane, type Tenant } from '../testing/world.js'
import { type StepJson } from './types.js'

const world = useWorld()
let plane: Plane
let tenant: Tenant
let phoneId: string
let origin: string
beforeAll(async () => {
  plane = await world.start()
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  origin = new URL(plane.config.http.baseUrl).origin
  const agent = await plane.rack(1, { beatMs: 200 })
  agent.onWatch = (call) => {
    call.resume()
    call.on('error', () => undefined)
  }
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
})

const ask = (method: 'GET' | 'POST', path: string) =>
  plane.server.inject({
    method,
    url: `/v1/phones/${phoneId}${path}`,
    headers: { authorization: `Bearer ${tenant.key}` },
  })
const steps = async () => (await ask('GET', '/steps')).json<{ data: StepJson[] }>().data

it('touches of a person are a step without results', async () => {
  const seen = (await ask('GET', '/observe')).json<{ snapshot_id: string }>()
  const { url } = (await ask('POST', '/live')).json<{ url: string }>()
  const live = openLive(plane.server, origin, new URL(url).hash.slice(1))
  await live.opened()
  const at = { pointer: 0, x: 0.5, y: 0.25 }
  live.send({ type: 'touch', phase: 'down', ...at })
  live.send({ type: 'touch', phase: 'up', ...at })
  live.send({ type: 'text', text: 'a password' })
  await eventually(async () => (await steps()).length === 1)
  const [step] = await steps()
  expect(step).toMatchObject({
    status: 'stopped',
    by: { via: 'live', client: null },
    observe: null,
    actions: [
      { type: 'tap', fraction: [0.5, 0.25], target: { x: 5, y: 5 } },
      { type: 'type', text: '[redacted]' },
    ],
    results: [],
    before: { snapshot_id: seen.snapshot_id },
    after: null,
  })
  expect(step?.by.key_id).toBe(tenant.caller.keyId)
  live.close()
})
