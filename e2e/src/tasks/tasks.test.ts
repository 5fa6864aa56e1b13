/** Twenty things that an agent is asked to do on a phone, each done through `/v1` alone and seen on the phone itself. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, readyPhone, type Tenant } from '../system/tenant.js'
import { PhoneAgent } from './phone-agent.js'
import { PhoneState } from './phone-state.js'
import { phoneCount, tasks } from './tasks.js'

/** A phone, and the end of the last task on it: tasks of one phone wait for each other. */
interface Lane {
  phoneId: string
  agent: PhoneAgent
  state: PhoneState
  last: Promise<unknown>
}

describe('tasks', () => {
  let tenant: Tenant
  const lanes: Lane[] = []
  beforeAll(async () => {
    tenant = await newTenant(inject('system'))
    const phones = await Promise.all(Array.from({ length: phoneCount }, () => readyPhone(tenant.agent)))
    for (const { id } of phones) {
      const state = await PhoneState.of(tenant, id)
      lanes.push({ phoneId: id, agent: new PhoneAgent(tenant.agent, id), state, last: Promise.resolve() })
    }
  })
  afterAll(async () => {
    for (const { state, phoneId } of lanes) {
      await state.stop()
      await tenant.admin.delete(`/v1/phones/${phoneId}`)
    }
  })

  test('are twenty', () => {
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(20)
  })

  test.concurrent.each(tasks.map((task, at) => ({ task, at })))('$task.name', async ({ task, at }) => {
    const lane = lanes[at % phoneCount]
    if (!lane) throw new Error('there are fewer phones than lanes')
    const done = lane.last.then(async () => {
      expect(await task.state(lane.state), 'before').not.toEqual(task.wanted)
      await lane.state.goHome()
      await task.solve(lane.agent)
      expect(await task.state(lane.state), 'after').toEqual(task.wanted)
      await lane.state.goHome()
    })
    lane.last = done.catch(() => lane.state.goHome())
    await done
  })
})
