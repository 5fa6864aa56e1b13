/** The time of a tool call, with a fake clock: its polls, and requests without an answer. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiFailure, createApi, times, type Api, type ApiRequest, type Send } from './api.js'
import { type Tool } from './tool.js'
import { tools } from './tools/index.js'

const phone_id = 'ph_aaaaaaaaaaaa'
const handoff = { id: 'hnd_aaaaaaaaaaaa', phone: phone_id, status: 'taken', ended_at: null }
/** Milliseconds that no call may exceed. */
const longest = 50_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

let sent: ApiRequest[]
const apiOver = (answer: (request: ApiRequest) => Promise<object>, readStatus = 200): Api => {
  sent = []
  const send: Send = async (request) => {
    sent.push(request)
    const status = request.method === 'GET' ? readStatus : 200
    return { status, headers: {}, bytes: Buffer.from(JSON.stringify(await answer(request))) }
  }
  return createApi(send, 'req_aaaaaaaaaaaa', new AbortController().signal)
}
const never = (): Promise<never> => new Promise(() => undefined)
/** Answers like a route that waits for `timeout` seconds. */
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

const toolOf = (wanted: string): Tool => {
  const tool = tools.find(({ name }) => name === wanted)
  if (tool === undefined) throw new Error(`there is no ${wanted}`)
  return tool
}
const handOff = (api: Api): Promise<unknown> =>
  toolOf('hand_off').run({ phone_id, handoff_id: handoff.id }, api)

describe('hand_off with an id', () => {
  it('waits 49 s for the person, as its description says, and ends before 50 s [40.36]', async () => {
    const { result, ms } = await timed(handOff(apiOver(polled)))
    expect(sent).toMatchObject([{ method: 'GET', query: { wait: 'done', timeout: 49 } }])
    expect(result).toMatchObject({ structured: { status: 'taken' } })
    expect(ms).toBeGreaterThanOrEqual(49_000)
    expect(ms).toBeLessThan(longest)
    expect(toolOf('hand_off').description).toContain('wait up to 49 s')
  })

  it('ends before 50 s when the poll is not answered', async () => {
    const { result, ms } = await timed(handOff(apiOver(never)))
    expect(result).toMatchObject({ body: { code: 'provider_timeout', retryable: true } })
    expect(ms).toBeLessThan(longest)
  })
})

describe('a call', () => {
  it('answers a write without an answer as one with an unknown outcome [40.37]', async () => {
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

describe('a read after a write', () => {
  const writes: [name: string, args: object, written: object][] = [
    ['create_phone', {}, { id: phone_id, status: 'creating' }],
    ['install_app', { phone_id, package: 'a.b' }, { package: 'a.b', status: 'running' }],
    [
      'complete_app_upload',
      { upload_id: 'upl_a', storage_id: 'sto_a' },
      { id: 'upl_a', status: 'processing', error: null },
    ],
  ]
  const envelope = (code: string) => ({
    error: { type: 'api_error', code, message: 'No.', retryable: true, next: null, details: {} },
  })
  const runWith = (name: string, args: object, written: object, code: string) => {
    const answer = ({ method }: ApiRequest) => Promise.resolve(method === 'GET' ? envelope(code) : written)
    return timed(toolOf(name).run({ ...args }, apiOver(answer, 503)))
  }

  it.each(writes)(
    'leaves the answer of %s as it was when it cannot be held now',
    async (name, args, written) => {
      const { result } = await runWith(name, args, written, 'service_unavailable')
      const shown = Object.fromEntries(Object.entries(written).filter(([field]) => field !== 'error'))
      expect(result).toMatchObject({ structured: shown })
      expect(result).not.toHaveProperty('isError', true)
      expect(sent.map(({ method }) => method)).toEqual(['POST', 'GET'])
    },
  )

  it.each(writes)('ends %s with any other error', async (name, args, written) => {
    const { result } = await runWith(name, args, written, 'phone_deleted')
    expect(result).toMatchObject({ body: { code: 'phone_deleted' } })
  })
})
