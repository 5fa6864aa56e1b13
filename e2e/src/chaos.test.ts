/** A system whose parts are killed while it works: what must hold afterwards, read from its database. */
import { actionBatchResultSchema } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, phoneSchema } from './system/api.js'
import { databaseUrl } from './system/database.js'
import { openInvariants } from './system/invariants.js'
import { keepDead, killService, pidOf } from './system/processes.js'
import { startSystem, stopSystem, type System } from './system/system.js'
import {
  eventually,
  getPhone,
  newTenant,
  observe,
  readyPhone,
  sessionsOf,
  type Tenant,
} from './system/tenant.js'

describe('when a part is killed', () => {
  let system: System
  let tenant: Tenant
  beforeAll(async () => {
    system = await startSystem({
      virtualPhones: 3,
      // Tests that try again until a part is back pass the specification's limit.
      env: { PHONERACK_LIFECYCLE_PER_MINUTE: '100000' },
    })
    tenant = await newTenant(system, { creditUsd: '1000' })
  })
  afterAll(() => stopSystem(system))

  /** Waits until nothing is underway, then reads every rule. */
  const settled = async (): Promise<void> => {
    await eventually('the database to answer', 60_000, async () => {
      try {
        const invariants = await openInvariants(await databaseUrl(system))
        await invariants.close()
        return true
      } catch (error) {
        if (error instanceof Error) return false
        throw error
      }
    })
    const invariants = await openInvariants(await databaseUrl(system))
    try {
      await eventually('phones to settle', 200_000, async () => (await invariants.underway()).length === 0)
      expect(await invariants.violations()).toEqual([])
    } finally {
      await invariants.close()
    }
  }
  const healthy = (): Promise<void> =>
    eventually('the control plane to answer', 60_000, async () => {
      try {
        return (await fetch(`${system.up.base_url}/healthz`, { signal: AbortSignal.timeout(2000) })).ok
      } catch (error) {
        if (error instanceof Error) return false
        throw error
      }
    })
  const removeAll = async (): Promise<void> => {
    const list = await tenant.admin.get('/v1/phones')
    const phones = (list.body as { data: { id: string }[] }).data
    await Promise.all(phones.map((phone) => tenant.admin.delete(`/v1/phones/${phone.id}`)))
  }

  test(
    'the host agent, in the middle of a batch: what ran is told, and the phone goes on',
    { timeout: 180_000 },
    async () => {
      const phone = await readyPhone(tenant.agent)
      const batch = tenant.agent.post(`/v1/phones/${phone.id}/actions`, {
        actions: [{ type: 'home' }, { type: 'wait', ms: 8000 }, { type: 'back' }],
        observe: 'none',
      })
      await new Promise((resolve) => setTimeout(resolve, 2000))
      const killed = await killService(system, 'host-agent')
      const answer = await batch
      expect(answer.status).toBe(200)
      const { results, completed } = actionBatchResultSchema.parse(answer.body)
      expect(completed).toBe(1)
      expect(results.map((result) => [result.type, result.ok, result.error?.code])).toEqual([
        ['home', true, undefined],
        ['wait', false, 'action_outcome_unknown'],
      ])
      await eventually('the agent to be back', 60_000, async () => {
        const pid = await pidOf(system, 'host-agent')
        return pid !== null && pid !== killed
      })
      await eventually('the phone to answer', 60_000, async () => {
        return (await tenant.agent.get(`/v1/phones/${phone.id}/observe`)).status === 200
      })
      expect((await getPhone(tenant.agent, phone.id)).session?.id).toBe(phone.session?.id)
      expect((await observe(tenant.agent, phone.id)).elements.length).toBeGreaterThan(0)
      await removeAll()
      await settled()
    },
  )

  test(
    'the control plane, in the middle of creates: none is lost or made twice',
    { timeout: 300_000 },
    async () => {
      for (const delayMs of [5, 30, 80, 200]) {
        const keys = [1, 2, 3].map(() => `chaos-${crypto.randomUUID()}`)
        const create = (key: string) =>
          tenant.agent.post('/v1/phones', { max_duration: 60 }, { headers: { 'idempotency-key': key } })
        const first = Promise.allSettled(keys.map(create))
        await new Promise((resolve) => setTimeout(resolve, delayMs))
        await killService(system, 'control-plane')
        await first
        await healthy()
        for (const key of keys) {
          await eventually(`a create to be accepted`, 60_000, async () => {
            const answer = await create(key)
            if (answer.status < 300) return true
            expect(errorOf(answer).retryable).toBe(true)
            return false
          })
        }
        await settled()
        const list = await tenant.agent.get('/v1/phones')
        expect((list.body as { data: unknown[] }).data.length).toBeLessThanOrEqual(3)
        await removeAll()
        await settled()
      }
    },
  )

  test(
    'the broker, for ten seconds: running phones run on, parks still come',
    { timeout: 180_000 },
    async () => {
      const phone = await readyPhone(tenant.agent)
      const dead = keepDead(system, 'nats', 10_000)
      await new Promise((resolve) => setTimeout(resolve, 1000))
      expect((await tenant.agent.get(`/v1/phones/${phone.id}/observe`)).status).toBe(200)
      const parked = await tenant.agent.post(`/v1/phones/${phone.id}/park`)
      expect(phoneSchema.parse(parked.body).status).toMatch(/^park/)
      await dead
      await healthy()
      await eventually('the phone to be parked', 30_000, async () => {
        return (await getPhone(tenant.agent, phone.id)).status === 'parked'
      })
      await eventually('a start to be accepted', 60_000, async () => {
        return (await tenant.agent.post(`/v1/phones/${phone.id}/start`)).status === 200
      })
      expect((await observe(tenant.agent, phone.id)).elements.length).toBeGreaterThan(0)
      await removeAll()
      await settled()
    },
  )

  test(
    'Postgres, for ten seconds: errors are envelopes, nothing is billed twice',
    { timeout: 240_000 },
    async () => {
      const phone = await readyPhone(tenant.agent)
      const parks = tenant.agent.post(`/v1/phones/${phone.id}/park`)
      const dead = keepDead(system, 'postgres', 10_000)
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const answer = await tenant.agent.get(`/v1/phones/${phone.id}`)
      if (answer.status >= 400) errorOf(answer)
      await dead
      await Promise.allSettled([parks])
      await healthy()
      await eventually('a park to be accepted', 60_000, async () => {
        return (await tenant.agent.post(`/v1/phones/${phone.id}/park`)).status === 200
      })
      const sessions = await sessionsOf(tenant.agent, phone.id)
      expect(sessions.filter((session) => session.ended_at === null)).toEqual([])
      await removeAll()
      await settled()
    },
  )

  test(
    'the host agent for over 30 s: the phone becomes unavailable and can be started again',
    { timeout: 240_000 },
    async () => {
      const phone = await readyPhone(tenant.agent, { max_duration: 600 })
      const dead = keepDead(system, 'host-agent', 40_000)
      const late = new Promise((resolve) => setTimeout(resolve, 14_000))
      await late
      const refused = errorOf(await tenant.agent.get(`/v1/phones/${phone.id}/observe`))
      expect(refused).toMatchObject({ code: 'phone_unavailable', retryable: true })
      await eventually('the phone to be unavailable', 30_000, async () => {
        return (await getPhone(tenant.readOnly, phone.id)).status === 'unavailable'
      })
      const [session] = await sessionsOf(tenant.agent, phone.id)
      expect(session?.end_reason).toBe('unavailable')
      // Billed to the last proof of life, not to when we noticed.
      const noticed = Date.parse(session?.ended_at ?? '') - Date.parse(session?.started_at ?? '')
      expect(noticed).toBeLessThan(20_000)
      const conflict = errorOf(await tenant.agent.get(`/v1/phones/${phone.id}/observe`))
      expect(conflict).toMatchObject({ code: 'phone_not_running', details: { status: 'unavailable' } })
      const unreachable = errorOf(await tenant.agent.post(`/v1/phones/${phone.id}/start`))
      expect(unreachable.code).toBe('phone_unavailable')
      await dead
      await eventually('a start to be accepted', 90_000, async () => {
        return (await tenant.agent.post(`/v1/phones/${phone.id}/start`)).status === 200
      })
      await removeAll()
      await settled()
    },
  )

  test('a paused service parks every phone and refuses new sessions', { timeout: 120_000 }, async () => {
    const phone = await readyPhone(tenant.agent)
    await tenant.operator.post('/operator/v1/service/pause')
    const parked = phoneSchema.parse((await tenant.agent.get(`/v1/phones/${phone.id}?wait=parked`)).body)
    expect(parked.status).toBe('parked')
    expect((await sessionsOf(tenant.agent, phone.id))[0]?.end_reason).toBe('service_paused')
    expect(errorOf(await tenant.agent.post('/v1/phones')).code).toBe('service_paused')
    await tenant.operator.post('/operator/v1/service/resume')
    expect((await tenant.agent.post(`/v1/phones/${phone.id}/start`)).status).toBe(200)
    await removeAll()
    await settled()
  })
})
