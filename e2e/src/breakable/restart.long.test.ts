/**
 * Reboot and reset of the chapter "Device" through `/v1`, on a phone with the fast way and on a phone without
 * it.
 */
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { errorOf, phoneSchema, type Api } from '../system/api.js'
import { faultsOf, type PhoneFaults } from '../system/faults.js'
import { rentOfKind } from '../system/chosen.js'
import { ctl } from '../system/system.js'
import { eventually, getPhone, newTenant, observe, sessionsOf, type Tenant } from '../system/tenant.js'

/** Seconds that a phone may be unreachable: a setting of the system. */
const grace = 20
const system = inject('system')
let tenant: Tenant
beforeAll(async () => {
  tenant = await newTenant(system)
})

interface Device {
  serial: string
  phone_id: string | null
  state: string
  reason: string | null
}
async function deviceOf(phoneId: string): Promise<Device> {
  const { data } = (await tenant.operator.get('/operator/v1/devices')).body as { data: Device[] }
  const device = data.find((each) => each.phone_id === phoneId)
  if (!device) throw new Error(`no device serves ${phoneId}`)
  return device
}

const phones: { id: string; faults: PhoneFaults }[] = []
beforeAll(async () => {
  const port = await faultsOf(system)
  for (const kind of ['fast', 'bare'] as const) {
    const { id } = await rentOfKind(system, tenant.admin, kind, { max_duration: 3600 })
    phones.push({ id, faults: await port.ofPhone(id) })
  }
}, 120_000)

const ready = async (api: Api, id: string) => {
  const answer = await api.get(`/v1/phones/${id}?wait=ready&timeout=55`)
  const phone = phoneSchema.parse(answer.body)
  expect(phone.status).toBe('ready')
  return phone
}

describe.each([
  { way: 'fast', at: 0 },
  { way: 'fallback', at: 1 },
])('a phone with the $way way', ({ at }) => {
  const phone = () => {
    const found = phones[at]
    if (!found) throw new Error('no phone')
    return { ...found, path: `/v1/phones/${found.id}` }
  }

  it('reboots within its session, once in 10 minutes, and keeps its files [1.14, 35.29, 35.30]', async () => {
    const { path, id, faults } = phone()
    const { admin, agent, readOnly } = tenant
    await admin.put(`${path}/files?path=/sdcard/kept.txt`, 'kept', {
      headers: { 'content-type': 'application/octet-stream' },
    })
    const before = await getPhone(admin, id)
    const seen = await observe(admin, id)
    const count = (await faults.counters()).reboots
    expect(errorOf(await readOnly.post(`${path}/reboot`)).code).toBe('insufficient_scope')

    const answer = await agent.post(`${path}/reboot`)
    expect(answer.status).toBe(202)
    const starting = phoneSchema.parse(answer.body)
    expect([starting.status, starting.session?.id]).toEqual(['starting', before.session?.id])
    expect(starting.session?.park_reason).toBe('max_duration')
    const meanwhile = await agent.get(`${path}/observe`)
    if (meanwhile.status !== 200) expect(errorOf(meanwhile).code).toBe('phone_starting')
    expect((await ready(agent, id)).session?.id).toBe(before.session?.id)
    expect((await faults.counters()).reboots).toBe(count + 1)
    expect((await admin.get(`${path}/files/content?path=/sdcard/kept.txt`)).bytes.toString()).toBe('kept')

    const ref = seen.elements[0]?.ref ?? 1
    const tap = { actions: [{ type: 'tap', target: { ref, snapshot_id: seen.snapshot_id } }] }
    const { results } = (await agent.post(`${path}/actions`, tap)).body as {
      results: { error: { code: string } }[]
    }
    expect(results[0]?.error.code).toBe('stale_snapshot')

    const again = await agent.post(`${path}/reboot`)
    const error = errorOf(again)
    expect([again.status, error.code]).toEqual([429, 'rate_limited'])
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(400)
    expect(error.details['retry_after_seconds']).toBe(Number(again.headers.get('retry-after')))
    expect((await faults.counters()).reboots).toBe(count + 1)
    expect((await getPhone(admin, id)).status).toBe('ready')
  })

  it('is reset within its session, once a minute, and contains no earlier data [1.15, 4.17, 35.34, 35.35, 35.37]', async () => {
    const { path, id, faults } = phone()
    const { admin, agent } = tenant
    await faults.leave('account', 'package', 'sdcard-file')
    const before = await getPhone(admin, id)
    const count = (await faults.counters()).wipes
    expect(errorOf(await agent.post(`${path}/reset`)).details['required']).toBe('phones:delete')

    const answer = await admin.post(`${path}/reset`)
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({
      phone: { id, status: 'starting', session: { id: before.session?.id } },
      wiped: ['apps', 'files', 'accounts', 'clipboard'],
    })
    const second = await admin.post(`${path}/reset`)
    expect([second.status, errorOf(second).code]).toEqual([409, 'phone_starting'])
    await ready(admin, id)
    expect((await faults.counters()).wipes).toBe(count + 1)
    expect((await admin.get(`${path}/files`)).body).not.toMatchObject({
      data: expect.arrayContaining([{ name: 'kept.txt' }]) as unknown,
    })
    expect((await admin.get(`${path}/files/content?path=/sdcard/kept.txt`)).status).toBe(404)
    expect((await getPhone(admin, id)).session?.id).toBe(before.session?.id)
  })

  it('refuses a reboot while it is parked', async () => {
    const { path } = phone()
    const { admin } = tenant
    expect((await admin.post(`${path}/park`)).status).toBe(200)
    for (const what of ['reboot', 'reset']) {
      const error = errorOf(await admin.post(`${path}/${what}`))
      expect([error.code, error.next]).toEqual(['phone_not_running', `POST ${path}/start`])
    }
    expect((await admin.post(`${path}/start`, { max_duration: 3600 })).status).toBe(200)
  })
})

it('a phone that does not come back is lost, and its device waits for the operator [35.33, 39.18]', async () => {
  const [, lost] = phones
  if (!lost) throw new Error('no phone')
  const { id } = lost
  const { admin } = tenant
  // The allowance is used up, so the test creates a new phone on the same device.
  const { serial } = await deviceOf(id)
  await admin.delete(`/v1/phones/${id}`)
  const next = await rentOfKind(system, admin, 'bare', { max_duration: 3600 })
  const again = await (await faultsOf(system)).ofPhone(next.id)
  expect((await deviceOf(next.id)).serial).toBe(serial)
  await again.neverComeBack(true)

  expect((await admin.post(`/v1/phones/${next.id}/reboot`)).status).toBe(202)
  const from = Date.now()
  let phone = await getPhone(admin, next.id)
  while (phone.status === 'starting' && Date.now() - from < (grace + 30) * 1000)
    phone = phoneSchema.parse((await admin.get(`/v1/phones/${next.id}?wait=ready&timeout=20`)).body)
  expect([phone.status, phone.failure?.code, phone.session]).toEqual([
    'unavailable',
    'phone_unavailable',
    null,
  ])
  expect((Date.now() - from) / 1000).toBeGreaterThan(grace - 2)
  const [session] = await sessionsOf(admin, next.id)
  expect(session?.end_reason).toBe('unavailable')
  expect(session?.billed_seconds).toBe(60)
  expect(await deviceOf(next.id)).toMatchObject({
    state: 'quarantined',
    reason: 'The phone did not come back after its restart.',
  })
  const start = await admin.post(`/v1/phones/${next.id}/start`)
  expect([start.status, errorOf(start).code]).toEqual([503, 'phone_unavailable'])

  // Other files of this system need the device again.
  await again.neverComeBack(false)
  await ctl(system, 'device', 'release', serial)
  for (const each of phones) await admin.delete(`/v1/phones/${each.id}`)
  await admin.delete(`/v1/phones/${next.id}`)
  await eventually('the devices to be free', 150_000, async () => {
    const { data } = (await tenant.operator.get('/operator/v1/devices')).body as { data: Device[] }
    return data.every(({ state }) => state === 'free')
  })
}, 150_000)
