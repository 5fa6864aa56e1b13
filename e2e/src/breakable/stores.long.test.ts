/** The control plane, the broker and Postgres are killed while they work. */
import { expect, test } from 'vitest'
import { errorOf, phoneSchema } from '../system/api.js'
import { keepDead, killService } from '../system/processes.js'
import { eventually, getPhone, observe, readyPhone, sessionsOf } from '../system/tenant.js'
import { breakableSystem } from './plane.js'

const plane = breakableSystem()

test(
  'the control plane, in the middle of creates: no phone is lost or created twice',
  { timeout: 300_000 },
  async () => {
    for (const delayMs of [5, 60]) {
      const keys = [1, 2, 3].map(() => `chaos-${crypto.randomUUID()}`)
      const create = (key: string) =>
        plane.tenant.agent.post('/v1/phones', { max_duration: 60 }, { headers: { 'idempotency-key': key } })
      const first = Promise.allSettled(keys.map(create))
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      await killService(plane.system, 'control-plane')
      await first
      await plane.healthy()
      for (const key of keys) {
        await eventually(`a create to be accepted`, 150_000, async () => {
          const answer = await create(key)
          if (answer.status < 300) return true
          expect(errorOf(answer).retryable).toBe(true)
          return false
        })
      }
      await plane.settled()
      const list = await plane.tenant.agent.get('/v1/phones')
      expect((list.body as { data: unknown[] }).data.length).toBeLessThanOrEqual(3)
      await plane.removeAll()
      await plane.settled()
    }
  },
)

test(
  'the broker, for ten seconds: running phones continue, and parks still happen',
  { timeout: 180_000 },
  async () => {
    const phone = await readyPhone(plane.tenant.agent)
    const dead = keepDead(plane.system, 'nats', 10_000)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect((await plane.tenant.agent.get(`/v1/phones/${phone.id}/observe`)).status).toBe(200)
    const parked = await plane.tenant.agent.post(`/v1/phones/${phone.id}/park`)
    expect(phoneSchema.parse(parked.body).status).toMatch(/^park/)
    await dead
    await plane.healthy()
    await eventually('the phone to be parked', 150_000, async () => {
      return (await getPhone(plane.tenant.agent, phone.id)).status === 'parked'
    })
    await eventually('a start to be accepted', 150_000, async () => {
      return (await plane.tenant.agent.post(`/v1/phones/${phone.id}/start`)).status === 200
    })
    expect((await observe(plane.tenant.agent, phone.id)).elements.length).toBeGreaterThan(0)
    await plane.removeAll()
    await plane.settled()
  },
)

test(
  'Postgres, for ten seconds: errors are envelopes, nothing is billed twice [30.38]',
  { timeout: 240_000 },
  async () => {
    const phone = await readyPhone(plane.tenant.agent)
    const parks = plane.tenant.agent.post(`/v1/phones/${phone.id}/park`)
    const dead = keepDead(plane.system, 'postgres', 10_000)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const answer = await plane.tenant.agent.get(`/v1/phones/${phone.id}`)
    if (answer.status >= 400) errorOf(answer)
    // No work ran, and a retry may succeed: the key is still cached, and the phone cannot be read.
    const batch = await plane.tenant.agent.post(`/v1/phones/${phone.id}/actions`, {
      actions: [{ type: 'home' }],
    })
    expect(errorOf(batch)).toMatchObject({
      code: 'phone_unavailable',
      retryable: true,
      details: { retry_after_seconds: 2 },
    })
    expect(batch.headers.get('retry-after')).toBe('2')
    await dead
    await Promise.allSettled([parks])
    await plane.healthy()
    await eventually('a park to be accepted', 150_000, async () => {
      return (await plane.tenant.agent.post(`/v1/phones/${phone.id}/park`)).status === 200
    })
    const sessions = await sessionsOf(plane.tenant.agent, phone.id)
    expect(sessions.filter((session) => session.ended_at === null)).toEqual([])
    await plane.removeAll()
    await plane.settled()
  },
)
