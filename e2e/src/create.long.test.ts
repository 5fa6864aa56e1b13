/** Errors of `POST /v1/phones` in the order of its table, idempotency, and limits under parallel creates. */
import { setTimeout } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { Api, errorOf, phoneSchema } from './system/api.js'
import { moneyOf, newKey, newTenant, readyPhone, untilFree } from './system/tenant.js'

describe('create', () => {
  const key = (): string => `test-${crypto.randomUUID()}`

  test('each error comes before the errors below it in the table [6.18, 22.23, 23.40, 23.41]', async () => {
    const system = inject('system')
    const poor = await newTenant(system, { creditUsd: '0.050000', maxPhones: 1, maxRunning: 1 })
    const { operator, projectId } = poor
    const set = (change: Record<string, unknown>) =>
      operator.patch(`/operator/v1/projects/${projectId}`, change)
    const code = async (api: Api, body: unknown, headers: Record<string, string> = {}) =>
      errorOf(await api.post('/v1/phones', body, { headers })).code

    // 400 and 413 come before the scope.
    expect(await code(poor.readOnly, { idle_timeout: 59 })).toBe('validation_failed')
    expect(await code(poor.readOnly, {}, { 'idempotency-key': 'short' })).toBe('validation_failed')
    expect(await code(poor.readOnly, { name: 'x'.repeat(100_001) })).toBe('payload_too_large')
    expect(await code(poor.agent, { country: 'ZZ' })).toBe('validation_failed')
    const scope = errorOf(await poor.readOnly.post('/v1/phones'))
    expect(scope).toMatchObject({ code: 'insufficient_scope', details: { required: 'phones:create' } })

    // The service checks money last, after capacity. This project reaches no other limit, and `untilFree` repeats the request
    // while other tests hold all phones.
    const refusal = (maxDuration: number) =>
      untilFree(
        async () => errorOf(await poor.agent.post('/v1/phones', { max_duration: maxDuration })),
        (error) => error.code === 'capacity_unavailable',
      )
    const broke = { code: 'insufficient_credits', details: { max_affordable_seconds: 0 } }
    expect(await refusal(61)).toMatchObject(broke)
    await set({ credit_usd: '0.150000' })
    expect(await refusal(201)).toMatchObject({ ...broke, details: { max_affordable_seconds: 200 } })
    await set({ spend_limit_usd: '0.100000' })
    expect(await refusal(101)).toMatchObject({ code: 'spend_limit_reached' })
    expect(await refusal(201)).toMatchObject({ code: 'insufficient_credits' })

    await set({ spend_limit_usd: '1000.000000' })
    const used = key()
    const phone = await readyPhone(poor.agent, { max_duration: 60 })
    const first = await poor.agent.post(
      '/v1/phones',
      { max_duration: 60 },
      { headers: { 'idempotency-key': used } },
    )
    expect(errorOf(first)).toMatchObject({ code: 'running_limit_reached', details: { limit: 1 } })
    await poor.agent.post(`/v1/phones/${phone.id}/park`)
    expect(errorOf(await poor.agent.post('/v1/phones', { max_duration: 60 }))).toMatchObject({
      code: 'phone_limit_reached',
      details: { limit: 1 },
    })

    await set({ frozen: true })
    expect(await code(poor.agent, { max_duration: 60 })).toBe('project_frozen')
    await set({ frozen: false })

    const limited = new Api(
      system.up.base_url,
      await newKey(system, projectId, 'admin', { phones: [phone.id] }),
    )
    expect(errorOf(await limited.post('/v1/phones'))).toMatchObject({
      code: 'insufficient_scope',
      details: { required: 'phones:create' },
    })
    await poor.admin.delete(`/v1/phones/${phone.id}`)
  })

  test('60 lifecycle requests a minute, then 429 with Retry-After; replays do not count', async () => {
    const busy = await newTenant(inject('system'))
    const phone = await readyPhone(busy.agent)
    await busy.agent.post(`/v1/phones/${phone.id}/park`)
    // A new minute begins, so that the whole burst is in one minute.
    await setTimeout(60_500 - (Date.now() % 60_000))
    const answers = await Promise.all(
      Array.from({ length: 65 }, () => busy.agent.post(`/v1/phones/${phone.id}/park`)),
    )
    const refused = answers.filter((answer) => answer.status === 429)
    expect(refused.length).toBe(5)
    const error = errorOf(refused[0] ?? expect.fail('no refusal'))
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(error.details['retry_after_seconds']).toBe(Number(refused[0]?.headers.get('retry-after')))
  })

  test('eight parallel creates with one Idempotency-Key create one phone', async () => {
    const body = { name: 'once', metadata: { a: '1', b: '2' }, max_duration: 60 }
    // Each attempt sends eight of the 60 lifecycle requests that a project may send per minute.
    const attempt = async () => {
      const own = await newTenant(inject('system'))
      const headers = { 'idempotency-key': key() }
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          own.agent.post('/v1/phones', index % 2 ? body : { ...body, wait: false }, { headers }),
        ),
      )
      const isFull = answers.some(
        (each) => each.status >= 300 && errorOf(each).code === 'capacity_unavailable',
      )
      if (isFull)
        for (const each of answers.filter(({ status }) => status < 300))
          await own.admin.delete(`/v1/phones/${phoneSchema.parse(each.body).id}`)
      return { own, headers, answers, isFull }
    }
    const { own, headers, answers } = await untilFree(attempt, ({ isFull }) => isFull)
    const ids = new Set(answers.map((answer) => phoneSchema.parse(answer.body).id))
    expect(ids.size).toBe(1)
    const [id = ''] = ids
    expect((await moneyOf(own.agent)).reserved).toBe(60_000n)

    const reordered = { metadata: { b: '2', a: '1' }, max_duration: 60, name: 'once' }
    expect(phoneSchema.parse((await own.agent.post('/v1/phones', reordered, { headers })).body).id).toBe(id)
    const conflict = errorOf(await own.agent.post('/v1/phones', { ...body, name: 'twice' }, { headers }))
    expect(conflict).toMatchObject({ code: 'idempotency_conflict', details: { phone: id } })

    await own.admin.delete(`/v1/phones/${id}`)
    const replay = await own.agent.post('/v1/phones', body, { headers })
    expect(phoneSchema.parse(replay.body)).toMatchObject({ id, status: 'deleted' })
  })

  test('parallel creates never exceed the running limit or the credit', async () => {
    const narrow = await newTenant(inject('system'), { creditUsd: '0.200000', maxRunning: 2 })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => narrow.agent.post('/v1/phones', { max_duration: 90, wait: false })),
    )
    const made = answers
      .filter((answer) => answer.status < 300)
      .map((answer) => phoneSchema.parse(answer.body))
    expect(made.length).toBeLessThanOrEqual(2)
    for (const answer of answers.filter((each) => each.status >= 300)) {
      const allowed = ['running_limit_reached', 'insufficient_credits', 'capacity_unavailable']
      expect(allowed).toContain(errorOf(answer).code)
    }
    const money = await moneyOf(narrow.agent)
    expect(money.reserved).toBe(BigInt(made.length) * 90_000n)
    expect(money.reserved).toBeLessThanOrEqual(money.balance)
    await Promise.all(made.map((phone) => narrow.admin.delete(`/v1/phones/${phone.id}`)))
  })

  test('returns 503 with Retry-After while no phone is free, and reserves nothing [23.66]', async () => {
    const greedy = await newTenant(inject('system'), { maxPhones: 50, maxRunning: 50 })
    const before = await moneyOf(greedy.agent)
    const answers = await Promise.all(
      // There are more requests than the system has phones.
      Array.from({ length: 16 }, () => greedy.agent.post('/v1/phones', { wait: false, max_duration: 60 })),
    )
    const made = answers.filter((answer) => answer.status < 300)
    const refused = answers.filter((answer) => answer.status === 503)
    expect(made.length + refused.length).toBe(16)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expect(errorOf(answer)).toMatchObject({ code: 'capacity_unavailable', retryable: true })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await moneyOf(greedy.agent)).reserved - before.reserved).toBe(BigInt(made.length) * 60_000n)
    await Promise.all(
      made.map((answer) => greedy.admin.delete(`/v1/phones/${phoneSchema.parse(answer.body).id}`)),
    )
  })
})
