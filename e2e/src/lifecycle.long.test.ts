/**
 * The rows of "States and transitions" that depend on time, through `/v1`. `lifecycle.test.ts` has the rows
 * that a client causes.
 */
import { expect, inject, test } from 'vitest'
import { phoneSchema, type Answer, type Phone } from './system/api.js'
import { newTenant, readyPhone, sessionsOf } from './system/tenant.js'

const phoneOf = (answer: Answer): Phone => phoneSchema.parse(answer.body)

test('idle timeout and max duration park a phone within a second of parks_at', async () => {
  const tenant = await newTenant(inject('system'))
  const [idle, capped] = await Promise.all([
    readyPhone(tenant.agent, { idle_timeout: 60, max_duration: 600 }),
    readyPhone(tenant.agent, { idle_timeout: 600, max_duration: 60 }),
  ])
  // Reads with a Read-only key do not keep the phone awake.
  const watch = async (phone: Phone, reason: string): Promise<void> => {
    const before = phoneOf(await tenant.readOnly.get(`/v1/phones/${phone.id}`))
    expect(before.session?.park_reason).toBe(reason)
    const due = Date.parse(before.session?.parks_at ?? '')
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now() - 3000)))
    const parked = phoneOf(await tenant.readOnly.get(`/v1/phones/${phone.id}?wait=parked&timeout=20`))
    expect(parked.status).toBe('parked')
    const [session] = await sessionsOf(tenant.readOnly, phone.id)
    expect(session?.end_reason).toBe(reason)
    const late = Date.parse(session?.ended_at ?? '') - due
    expect(late).toBeGreaterThanOrEqual(0)
    // A second is enough on a machine with no other work.
    expect(late).toBeLessThan(5000)
  }
  await Promise.all([watch(idle, 'idle'), watch(capped, 'max_duration')])
  await Promise.all([idle, capped].map((phone) => tenant.admin.delete(`/v1/phones/${phone.id}`)))
})
