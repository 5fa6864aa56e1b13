// The last use of a key, as the project's members see it.
import { beforeAll, expect, it } from 'vitest'
import { listKeys } from '../../fleet/operator/keys.js'
import { eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let planes: [Plane, Plane]
let tenant: Tenant
beforeAll(async () => {
  const plane = await world.start({ env: { PHONERACK_TRUSTED_PROXIES: '127.0.0.1' } })
  planes = [plane, await world.start({ beside: plane, env: { PHONERACK_TRUSTED_PROXIES: '127.0.0.1' } })]
  tenant = await plane.tenant()
})

const use = (on: Plane, address: string, key = tenant.key) =>
  on.server.inject({
    url: '/v1/account',
    headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address },
  })
const lastUse = async () => {
  const [key] = await listKeys(planes[0].app.core, tenant.projectId)
  return [key?.last_used_at, key?.last_used_address]
}

it('is written soon, and the latest use on any replica counts', async () => {
  expect(await lastUse()).toEqual([null, null])
  const before = Date.now()
  await use(planes[0], '192.0.2.1')
  await eventually(async () => (await lastUse())[1] === '192.0.2.1')
  expect(Math.abs(Date.parse(String((await lastUse())[0])) - before)).toBeLessThan(60_000)
  await use(planes[0], '192.0.2.2')
  await use(planes[1], '192.0.2.3')
  await eventually(async () => (await lastUse())[1] === '192.0.2.3')
})

it('does not change with a refused request', async () => {
  const known = await lastUse()
  expect((await use(planes[0], '192.0.2.9', `${tenant.key.slice(0, -4)}AAAA`)).statusCode).toBe(401)
  await planes[1].close()
  expect(await lastUse()).toEqual(known)
})
