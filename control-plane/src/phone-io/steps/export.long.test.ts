/** Exports of a long session. `e2e/src/steps.long.test.ts` tests the content of an export. */
import { newId } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../../testing/api.js'
import { pack } from './pack.js'

let api: TestApi
let phoneId: string
const steps = 40
beforeAll(async () => {
  api = await startApi()
  phoneId = await api.placePhone('parked')
  const sessionId = newId('session')
  // Each step has 200 KB of JSON, which is stored in about 2 KB and becomes 600 KB of a script.
  const action = { type: 'type', text: '\u{1f600}'.repeat(10_000), clear: false, submit: false }
  const request = pack(JSON.stringify({ actions: Array(5).fill(action), observe: 'none' }))
  const results = Array.from({ length: 5 }, (_, index) => ({ index, type: 'type', ok: true, ms: 1 }))
  const outcome = pack(JSON.stringify({ results, completed: 5, error: null }))
  const { db, clock } = api.plane.app.core
  for (let each = 0; each < steps; each += 1) {
    const at = new Date(clock.now().getTime() - 60_000 + each)
    await db.step.create({
      data: {
        id: newId('step'),
        projectId: api.tenant.projectId,
        phoneId,
        sessionId,
        bytes: 1,
        requestId: newId('request'),
        keyId: newId('key'),
        via: 'api',
        status: 'succeeded',
        startedAt: at,
        endedAt: at,
        textKept: true,
        request: new Uint8Array(request),
        outcome: new Uint8Array(outcome),
      },
    })
  }
})
afterAll(() => api.close())

it.each(['ts', 'python'])(
  'ends a %s script at ten million characters, and notes that in its head',
  async (form) => {
    const answer = await api.request('GET', `/v1/phones/${phoneId}/steps/export?format=${form}`)
    expect(answer.statusCode).toBe(200)
    expect(answer.body.length).toBeGreaterThan(9_000_000)
    expect(answer.body.length).toBeLessThan(11_000_000)
    expect(answer.body.slice(0, 1000)).toContain('The session has more steps than this script.')
  },
)

it('exports each step of a session as lines', async () => {
  const answer = await api.request('GET', `/v1/phones/${phoneId}/steps/export?format=jsonl`)
  expect(answer.body.trim().split('\n')).toHaveLength(steps)
})
