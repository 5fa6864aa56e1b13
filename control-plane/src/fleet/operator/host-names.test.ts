// Each host has a unique name, a country that is never guessed, and labels; operators change them.
import { generateKeyPairSync } from 'node:crypto'
import { createUser } from '@nats-io/jwt'
import { protocol } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
beforeAll(async () => {
  plane = await world.start()
})

const { publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

type Method = 'GET' | 'POST' | 'PATCH'
async function call(method: Method, path: string, payload?: object) {
  const answer = await plane.operator.inject({
    method,
    url: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    ...(payload ? { payload } : {}),
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}
const tokenFor = async (path: string) => String((await call('POST', path)).body['token'])
async function join(payload: object, token?: string) {
  const answer = await plane.server.inject({
    method: 'POST',
    url: '/host/v1/join',
    headers: { [protocol.header]: String(protocol.version), [protocol.rejoinHeader]: 'yes' },
    payload: {
      token: token ?? (await tokenFor('/hosts/join-tokens')),
      public_key_pem: publicKey,
      nats_public_key: createUser().getPublicKey(),
      ...payload,
    },
  })
  const body = answer.json<{
    host_id?: string
    name?: string
    country?: string
    error?: { message: string }
  }>()
  return { status: answer.statusCode, id: body.host_id ?? '', why: body.error?.message ?? '', ...body }
}

it('takes the country of the other hosts, and asks for it while they have none or several', async () => {
  const token = await tokenFor('/hosts/join-tokens')
  const first = await join({ name: 'one' }, token)
  expect([first.status, first.why]).toEqual([400, expect.stringMatching(/first host: pass `--country`/)])
  // The refusal did not use the token.
  expect(await join({ name: 'one', country: 'DE' }, token)).toMatchObject({
    status: 201,
    name: 'one',
    country: 'DE',
  })
  expect(await join({ name: 'two' })).toMatchObject({ status: 201, country: 'DE' })
  expect(await join({ name: 'three', country: 'FR' })).toMatchObject({ status: 201, country: 'FR' })
  const fourth = await join({ name: 'four' })
  expect([fourth.status, fourth.why]).toEqual([400, expect.stringMatching(/are in DE, FR: pass `--country`/)])
  expect((await join({ name: 'hst_four', country: 'DE' })).status).toBe(400)
  expect((await join({ name: 'fo\u001bur', country: 'DE' })).status).toBe(400)
})

it('refuses a second host with the same name, but not a host that rejoins, and keeps hosts that share a name', async () => {
  const [same, other] = await Promise.all([
    join({ name: 'rack', country: 'DE' }),
    join({ name: 'rack', country: 'DE' }),
  ])
  expect([same.status, other.status].sort()).toEqual([201, 400])
  const { id } = same.status === 201 ? same : other
  const { why } = same.status === 201 ? other : same
  expect(why).toContain(`is the name of the host ${id}`)
  expect(why).toContain(`ctl host rejoin ${id}`)
  const again = await join({ name: 'rack' }, await tokenFor(`/hosts/${id}/rejoin`))
  expect(again).toMatchObject({ status: 201, host_id: id, name: 'rack', country: 'DE' })

  const third = await join({ name: 'rack 3', country: 'DE' })
  // An earlier release accepted the shared name.
  await plane.app.core.db.host.update({ where: { id: third.id }, data: { name: 'rack' } })
  expect(await join({ name: 'rack' }, await tokenFor(`/hosts/${third.id}/rejoin`))).toMatchObject({
    status: 201,
    host_id: third.id,
    name: 'rack',
  })
  expect((await call('PATCH', `/hosts/${third.id}`, { country: 'FR' })).status).toBe(200)
  expect((await call('PATCH', '/hosts/rack', { country: 'FR' })).status).toBe(400)
  expect((await call('PATCH', `/hosts/${third.id}`, { name: 'rack 3' })).body).toMatchObject({
    name: 'rack 3',
  })
  await call('POST', `/hosts/${id}/retire`)
  expect((await join({ name: 'rack', country: 'DE' })).status).toBe(201)
})

it('changes the name, the country and labels of a host', async () => {
  const { id } = await join({ name: 'old', country: 'DE' })
  const labels = { room: 'a', 'example.com/rack': '7' }
  const changed = await call('PATCH', '/hosts/old', { name: 'new', country: 'AT', labels })
  expect(changed).toMatchObject({ status: 200, body: { id, name: 'new', country: 'AT', labels } })
  const { body } = await call('PATCH', `/hosts/${id}`, { labels: { room: null, floor: '2' } })
  expect(body).toMatchObject({ name: 'new', country: 'AT' })
  expect(body['labels']).toEqual({ 'example.com/rack': '7', floor: '2' })
  const { data } = (await call('GET', '/hosts')).body as { data: { id: string; labels: object }[] }
  expect(data.find((host) => host.id === id)?.labels).toEqual(body['labels'])
  const [entry] = await plane.app.core.db.auditEntry.findMany({
    where: { action: 'host.change', target: id },
    orderBy: { id: 'asc' },
  })
  expect(entry).toMatchObject({
    before: { name: 'old', country: 'DE', labels: {} },
    after: { name: 'new', labels },
  })
  const many = Object.fromEntries(Array.from({ length: 19 }, (_, at) => [`k${at}`, 'v']))
  for (const wrong of [
    { name: 'three' },
    { name: '' },
    { name: 'hst_x' },
    { country: 'Germany' },
    { labels: { '-a': 'b' } },
    { labels: { a: 'b\u0007' } },
    { labels: many },
    { colour: 'red' },
  ])
    expect([wrong, (await call('PATCH', `/hosts/${id}`, wrong)).status]).toEqual([wrong, 400])
  expect((await call('PATCH', '/hosts/nothing', { country: 'DE' })).status).toBe(404)
})
