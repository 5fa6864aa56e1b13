/** The time of a tool call, with a fake clock: its polls, and requests without an answer. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiFailure, createApi, times, type Api, type ApiRequest, type Send } from './api.js'
import { tools } from './tools/index.js'

const phone_id = 'ph_aaaaaaaaaaaa'
const handoff = { id: 'hnd_aaaaaaaaaaaa', phone: phone_id, status: 'taken', ended_at: null }
/** Milliseconds that no call may exceed. */
const longest = 50_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

let sent: ApiRequest[]
const apiOver = (answer: (request: ApiRequest) => Promise<object>): Api => {
  sent = []
  const send: Send = async (request) => {
    sent.push(request)
    return { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(await answer(request))) }
  }
  return createApi(send, 'req_aaaaaaaaaaaa', new AbortController().signal)
}
const never = (): Promise<never> => new Promise(() => undefined)
/** It answers after `timeout` seconds, like a route that waits. */
const polled = ({ query }: ApiRequest): Promise<object> =>
  new Promise((resolve) => setTimeout(() => resolve(handoff), Number(query?.['timeout']) * 1000))

async function timed<T>(work: Promise<T>): Promise<{ result: T | ApiFailure; ms: number }> {
  const startedAt = performance.now()
  const ended = work
    .catch((error: unknown) => {
      if (error instanceof ApiFailure) return error
      throw error
    })
    .then((result) => ({ result, ms: performance.now() - startedAt }))
  await vi.advanceTimersByTimeAsync(2 * longest)
  return ended
}

const handOff = (api: Api): Promise<unknown> => {
  const tool = tools.find(({ name }) => name === 'hand_off')
  if (tool === undefined) throw new Error('there is no hand_off')
  return tool.run({ phone_id, handoff_id: handoff.id }, api)
}

describe('hand_off with an id', () => {
  it('waits 49 s for the person, as its description says, and ends before 50 s', async () => {
    const { result, ms } = await timed(handOff(apiOver(polled)))
    expect(sent).toMatchObject([{ method: 'GET', query: { wait: 'done', timeout: 49 } }])
    expect(result).toMatchObject({ structured: { status: 'taken' } })
    expect(ms).toBeGreaterThanOrEqual(49_000)
    expect(ms).toBeLessThan(longest)
    expect(tools.find(({ name }) => name === 'hand_off')?.description).toContain('wait up to 49 s')
  })

  it('ends before 50 s when the poll is not answered', async () => {
    const { result, ms } = await timed(handOff(apiOver(never)))
    expect(result).toMatchObject({ body: { code: 'provider_timeout', retryable: true } })
    expect(ms).toBeLessThan(longest)
  })
})

describe('a call', () => {
  it('answers a write without an answer as one with an unknown outcome', async () => {
    const request = { method: 'POST', path: '/v1/phones' } as const
    const { result, ms } = await timed(apiOver(never).json(request))
    expect(result).toMatchObject({ body: { code: 'action_outcome_unknown', retryable: false } })
    expect(ms).toBe(times.call)
    expect(ms).toBeLessThan(longest)
  })

  it('gives a poll the time that is left, and at least a second', async () => {
    const api = apiOver(never)
    expect(api.pollSeconds()).toBe(45)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(api.pollSeconds()).toBe(19)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(api.pollSeconds()).toBe(1)
    await expect(api.json({ method: 'GET', path: '/v1/phones' })).rejects.toMatchObject({
      body: { code: 'provider_timeout', retryable: false },
    })
  })
})
