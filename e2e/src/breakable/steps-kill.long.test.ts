/**
 * Steps while the control plane is killed: the step of every answered batch is kept, and an unknown outcome
 * is visible.
 */
import { beforeAll, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { killService } from '../system/processes.js'
import { eventually, newTenant, readyPhone, type Tenant } from '../system/tenant.js'

const system = inject('system')
let tenant: Tenant
beforeAll(async () => {
  tenant = await newTenant(system)
})

const kills = 4
const batches = 60
const pageSchema = z.object({
  data: z.array(z.object({ request_id: z.string(), status: z.string(), results: z.array(z.unknown()) })),
  next_cursor: z.string().nullable(),
})

it('no answered batch is missing after the control plane is killed', { timeout: 400_000 }, async () => {
  const { id } = await readyPhone(tenant.admin, { max_duration: 3600, idle_timeout: 3600 })
  const answered: string[] = []
  let lost = 0
  for (let kill = 0; kill < kills; kill += 1) {
    let killing: Promise<unknown> | null = null
    for (let batch = 0; batch < batches; batch += 1) {
      if (batch === batches / 2) killing = killService(system, 'control-plane')
      try {
        // This time is long enough for a kill to hit a running batch.
        const actions = [{ type: 'wait', ms: batch % 2 === 0 ? 30 : 1 }]
        const answer = await tenant.agent.post(`/v1/phones/${id}/actions`, { actions, observe: 'ui' })
        if (answer.status === 200) answered.push(answer.headers.get('x-request-id') ?? '')
      } catch {
        lost += 1
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
    await killing
    await eventually('the control plane to serve again', 60_000, async () => {
      try {
        return (await tenant.agent.get('/v1/account')).status === 200
      } catch {
        return false
      }
    })
  }
  const steps: z.infer<typeof pageSchema>['data'] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const answer = await tenant.agent.get(`/v1/phones/${id}/steps?observations=none&limit=100${query}`)
    const page = pageSchema.parse(answer.body)
    steps.push(...page.data)
    cursor = page.next_cursor
  }
  const byRequest = new Map(steps.map((step) => [step.request_id, step]))
  expect(answered.filter((request) => byRequest.get(request)?.status !== 'succeeded')).toEqual([])
  const others = steps.filter(({ request_id: request }) => !answered.includes(request))
  process.stdout.write(
    `steps: ${answered.length} answered, ${lost} requests without an answer, ${others.length} other steps (${others.map(({ status }) => status).join(', ')})\n`,
  )
  expect(answered.length).toBeGreaterThan(kills * 10)
  // A batch without an answer may still run, or its answer was lost.
  for (const { status } of others) expect(['running', 'succeeded', 'unknown']).toContain(status)
  await tenant.admin.delete(`/v1/phones/${id}`)
})
