/** The rows of "States and transitions" that a client can cause, each through `/v1` and with its money. */
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { errorOf, forLater, phoneSchema, type Answer, type Phone } from './system/api.js'
import { getPhone, moneyOf, newTenant, readyPhone, sessionsOf, type Tenant } from './system/tenant.js'

const phoneOf = (answer: Answer): Phone => phoneSchema.parse(answer.body)

describe('lifecycle', () => {
  let tenant: Tenant
  beforeAll(async () => {
    tenant = await newTenant(inject('system'))
  })

  test('create opens a session, reserves and bills from admission; ready sets its times [1.1, 4.11]', async () => {
    const before = await moneyOf(tenant.agent)
    const answer = await tenant.agent.post('/v1/phones', {
      wait: false,
      name: '  A phone ',
      max_duration: 120,
    })
    const phone = phoneOf(answer)
    expect([201, 202]).toContain(answer.status)
    expect(answer.headers.get('location')).toBe(`/v1/phones/${phone.id}`)
    expect(['creating', 'ready']).toContain(phone.status)
    expect(phone.name).toBe('A phone')
    expect(phone.session?.reserved_usd).toBe('0.120000')
    expect((await moneyOf(tenant.agent)).reserved - before.reserved).toBe(120_000n)

    const ready = phoneOf(await tenant.agent.get(`/v1/phones/${phone.id}?wait=ready&timeout=55`))
    expect(ready.status).toBe('ready')
    expect(ready.failure).toBeNull()
    expect(ready.session?.ready_at).not.toBeNull()
    expect(ready.last_active_at).not.toBeNull()
    const parksAt = Date.parse(ready.session?.parks_at ?? '')
    const deadline = Date.parse(ready.session?.started_at ?? '') + 120_000
    expect(ready.session?.park_reason).toBe('max_duration')
    expect(parksAt).toBe(deadline)

    const deleted = phoneOf(await tenant.admin.delete(`/v1/phones/${phone.id}`))
    expect(deleted.status).toBe('deleted')
    expect(deleted.session).toBeNull()
    const [session] = await sessionsOf(tenant.agent, phone.id)
    expect(session).toMatchObject({ end_reason: 'deleted', billed_seconds: 60, cost_usd: '0.060000' })
    const after = await moneyOf(tenant.agent)
    expect(after.reserved).toBe(before.reserved)
    expect(before.balance - after.balance).toBe(60_000n)
  })

  test('park, start again, renew, park: two sessions, two charges [4.14]', async () => {
    const phone = await readyPhone(tenant.agent, { max_duration: 100 })
    const parkedAnswer = await tenant.agent.post(`/v1/phones/${phone.id}/park`)
    expect(parkedAnswer.status).toBe(200)
    expect(phoneOf(parkedAnswer)).toMatchObject({ status: 'parked', session: null })
    const again = await tenant.agent.post(`/v1/phones/${phone.id}/park`)
    expect(again.status).toBe(200)

    const refused = errorOf(await tenant.agent.get(`/v1/phones/${phone.id}/observe`))
    expect(refused).toMatchObject({
      code: 'phone_not_running',
      next: `POST /v1/phones/${phone.id}/start`,
      details: { status: 'parked' },
    })

    const started = await tenant.agent.post(`/v1/phones/${phone.id}/start`, { max_duration: 60 })
    expect(started.status).toBe(200)
    const running = phoneOf(started)
    expect(running).toMatchObject({ id: phone.id, status: 'ready', session: { max_duration: 60 } })
    expect(running.session?.id).not.toBe(phone.session?.id)

    const renewed = phoneOf(await tenant.agent.post(`/v1/phones/${phone.id}/start`, { max_duration: 200 }))
    expect(renewed.session?.id).toBe(running.session?.id)
    expect(renewed.session?.reserved_usd).toBe('0.260000')
    expect(renewed.session?.max_duration).toBeGreaterThanOrEqual(200)

    await tenant.agent.post(`/v1/phones/${phone.id}/park`)
    const sessions = await sessionsOf(tenant.agent, phone.id)
    expect(sessions.map((session) => session.end_reason)).toEqual(['parked', 'parked'])
    expect(sessions.every((session) => session.billed_seconds === 60)).toBe(true)

    await tenant.admin.delete(`/v1/phones/${phone.id}`)
    const gone = errorOf(await tenant.agent.post(`/v1/phones/${phone.id}/start`))
    expect(gone.code).toBe('phone_deleted')
    expect((await sessionsOf(tenant.agent, phone.id)).length).toBe(2)
    const twice = await tenant.admin.delete(`/v1/phones/${phone.id}`)
    expect(twice.status).toBe(200)
    expect(phoneOf(twice).status).toBe('deleted')
  })

  test('parking a phone that is still starting ends its session and is billed [10.9]', async () => {
    const phone = await readyPhone(tenant.agent)
    await tenant.agent.post(`/v1/phones/${phone.id}/park`)
    await tenant.agent.post(`/v1/phones/${phone.id}/start`, { wait: false })
    const parked = await tenant.agent.post(`/v1/phones/${phone.id}/park`)
    expect(phoneOf(parked).status).toBe('parked')
    const [session] = await sessionsOf(tenant.agent, phone.id)
    expect(session).toMatchObject({ end_reason: 'parked', billed_seconds: 60 })
    await tenant.admin.delete(`/v1/phones/${phone.id}`)
  })

  test('a long poll wakes when the phone changes', async () => {
    const phone = await readyPhone(tenant.agent)
    // The poll's own timeout is far longer than this deadline.
    const poll = forLater(
      tenant.readOnly.request('GET', `/v1/phones/${phone.id}?wait=parked&timeout=55`, { timeoutMs: 40_000 }),
    )
    expect((await tenant.agent.post(`/v1/phones/${phone.id}/park`)).status).toBe(200)
    expect(phoneOf(await poll).status).toBe('parked')
    const early = phoneOf(await tenant.agent.get(`/v1/phones/${phone.id}?wait=ready&timeout=30`))
    expect(early.status).toBe('parked')
    await tenant.admin.delete(`/v1/phones/${phone.id}`)
  })

  test('heartbeat moves parks_at; a phone that does not run refuses it [10.10]', async () => {
    const phone = await readyPhone(tenant.agent, { idle_timeout: 120 })
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const beat = phoneOf(await tenant.agent.post(`/v1/phones/${phone.id}/heartbeat`))
    expect(Date.parse(beat.last_active_at ?? '')).toBeGreaterThan(Date.parse(phone.last_active_at ?? ''))
    expect(Date.parse(beat.session?.parks_at ?? '')).toBe(Date.parse(beat.last_active_at ?? '') + 120_000)
    await tenant.agent.post(`/v1/phones/${phone.id}/park`)
    expect(errorOf(await tenant.agent.post(`/v1/phones/${phone.id}/heartbeat`)).code).toBe(
      'phone_not_running',
    )
    await tenant.admin.delete(`/v1/phones/${phone.id}`)
  })

  test('freezing a project parks its running phones and refuses new sessions [23.9]', async () => {
    const frozen = await newTenant(inject('system'))
    const phone = await readyPhone(frozen.agent)
    await frozen.operator.patch(`/operator/v1/projects/${frozen.projectId}`, { frozen: true })
    const parked = phoneOf(await frozen.agent.get(`/v1/phones/${phone.id}?wait=parked&timeout=20`))
    expect(parked.status).toBe('parked')
    const [session] = await sessionsOf(frozen.agent, phone.id)
    expect(session?.end_reason).toBe('project_frozen')
    expect(errorOf(await frozen.agent.post(`/v1/phones/${phone.id}/start`)).code).toBe('project_frozen')
    expect(errorOf(await frozen.agent.post('/v1/phones')).code).toBe('project_frozen')
    await frozen.operator.patch(`/operator/v1/projects/${frozen.projectId}`, { frozen: false })
    expect((await frozen.agent.post(`/v1/phones/${phone.id}/start`)).status).toBe(200)
    await frozen.admin.delete(`/v1/phones/${phone.id}`)
  })

  test('patch changes name and metadata in any status but deleted [23.23]', async () => {
    const phone = await readyPhone(tenant.agent, { metadata: { 'run:id': '1' } })
    const changed = phoneOf(await tenant.agent.patch(`/v1/phones/${phone.id}`, { name: 'Ünïcode 📱' }))
    expect(changed).toMatchObject({ name: 'Ünïcode 📱', metadata: { 'run:id': '1' } })
    const listed = await tenant.agent.get('/v1/phones?metadata[run:id]=1')
    expect((listed.body as { data: Phone[] }).data.map((entry) => entry.id)).toEqual([phone.id])
    await tenant.agent.patch(`/v1/phones/${phone.id}`, { metadata: {} })
    expect((await getPhone(tenant.agent, phone.id)).metadata).toEqual({})
    await tenant.admin.delete(`/v1/phones/${phone.id}`)
    expect(errorOf(await tenant.agent.patch(`/v1/phones/${phone.id}`, { name: 'x' })).code).toBe(
      'phone_deleted',
    )
  })
})
