/** Twenty tasks for an agent on a phone, each done only through `/v1` and verified on the phone itself. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { forLater } from '../system/api.js'
import { newTenant, readyPhone, type Tenant } from '../system/tenant.js'
import { PhoneAgent } from './phone-agent.js'
import { PhoneState } from './phone-state.js'
import { phoneCount, tasks } from './tasks.js'
import { httpWay } from './way.js'

interface Rented {
  phoneId: string
  agent: PhoneAgent
  state: PhoneState
}

/** A phone, and the end of the last task on it. Tasks of one phone wait for each other. */
interface Lane {
  phone: Rented
  last: Promise<unknown>
}

describe('tasks', () => {
  let tenant: Tenant
  const lanes: Lane[] = []
  beforeAll(async () => {
    tenant = await newTenant(inject('system'))
    const phones = await Promise.all(Array.from({ length: phoneCount }, rent))
    for (const phone of phones) lanes.push({ phone, last: Promise.resolve() })
  })
  afterAll(async () => {
    for (const { phone } of lanes) await giveBack(phone)
  })

  async function rent(): Promise<Rented> {
    const { id } = await readyPhone(tenant.agent)
    return {
      phoneId: id,
      agent: new PhoneAgent(httpWay(tenant.agent, id)),
      state: await PhoneState.of(tenant, id),
    }
  }
  async function giveBack({ state, phoneId }: Rented): Promise<void> {
    await state.stop()
    await tenant.admin.delete(`/v1/phones/${phoneId}`)
  }
  /** The phone may be in the middle of a task, so a retry uses a new phone. */
  async function renew(lane: Lane): Promise<void> {
    await giveBack(lane.phone)
    lane.phone = await rent()
  }

  test('are twenty', () => {
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(20)
  })

  test.concurrent.each(tasks.map((task, at) => ({ task, at })))('$task.name', async ({ task, at }) => {
    const lane = lanes[at % phoneCount]
    if (!lane) throw new Error('there are fewer phones than lanes')
    const done = lane.last.then(async () => {
      const { agent, state } = lane.phone
      expect(await task.state(state), 'before').not.toEqual(task.wanted)
      await state.goHome()
      await task.solve(agent)
      expect(await task.state(state), 'after').toEqual(task.wanted)
      await state.goHome()
    })
    lane.last = forLater(done.catch(() => renew(lane)))
    await done
  })
})
