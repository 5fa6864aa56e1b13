// Invalid responses of a host over real gRPC, Postgres and broker. The callers of that host get its error,
// and nothing else is affected.
import { Metadata, status, type ServerDuplexStream } from '@grpc/grpc-js'
import { ObserveResponse, type WatchRequest, type WatchResponse } from '@phonerack/proto'
import { actionBatchResultSchema, ApiError, type Action } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closings } from '../../phone-io/live/page/wire.js'
import { observationJson, withTrailer, type AgentDouble } from '../../testing/agent-double.js'
import { errorOf } from '../../testing/api.js'
import { openLive } from '../../testing/live-client.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string

beforeAll(async () => {
  plane = await world.start()
  await plane.server.listen({ host: '127.0.0.1', port: 0 })
  agent = await plane.rack(1)
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
})
beforeEach(() => {
  agent.onAnswer = (_, bytes) => bytes
  agent.onCall = () => Promise.resolve()
  agent.onBatch = () => Promise.resolve()
})

const send = (method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) =>
  plane.server.inject({
    method,
    url: `/v1/phones/${phoneId}/${path}`,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      ...(payload ? { 'content-type': 'application/json' } : {}),
    },
    ...(payload ? { payload: JSON.stringify(payload) } : {}),
  })

const plain = (code: string, more: object = {}) =>
  Buffer.from(JSON.stringify({ code, message: 'm', retryable: false, next: null, details: {}, ...more }))
const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const trailers: [string, Buffer][] = [
  ['is not JSON', Buffer.from('{')],
  ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['has an unknown code', plain('flux_capacitor_empty')],
  ["is about the client's key", plain('invalid_api_key')],
  ["is the control plane's own fault", plain('internal_error')],
  [
    'is nested without end',
    Buffer.from(
      `{"code":"provider_error","message":"","retryable":false,"next":null,"details":{"a":${nested}}}`,
    ),
  ],
]

describe('an error trailer that', () => {
  it.each(trailers)('%s is the host’s fault, and the outcome of a write is unknown', async (_, bytes) => {
    agent.onCall = () => Promise.reject(withTrailer(bytes))
    errorOf(await send('GET', 'device'), 502, 'provider_error')
    errorOf(await send('PUT', 'clipboard', { text: 'a' }), 502, 'action_outcome_unknown')
    agent.onBatch = () => Promise.reject(withTrailer(bytes))
    errorOf(await send('POST', 'actions', { actions: [{ type: 'home' }] }), 500, 'internal_error')
  })

  it.each(trailers)('%s ends a live view and nothing else', async (_, bytes) => {
    agent.onWatch = (call: ServerDuplexStream<WatchRequest, WatchResponse>) => {
      call.once('data', () => call.emit('error', withTrailer(bytes)))
    }
    const { url } = (await send('POST', 'live')).json<{ url: string }>()
    const { origin } = new URL(plane.config.http.baseUrl)
    const client = openLive(plane.server, origin, new URL(url).hash.slice(1))
    expect((await client.closed()).code).toBe(closings.away.code)
  })

  it('asks for a wait of years does not set the header', async () => {
    const bytes = plain('rate_limited', { details: { retry_after_seconds: 1e300 } })
    agent.onBatch = () => Promise.reject(withTrailer(bytes))
    const answer = await send('POST', 'actions', { actions: [{ type: 'home' }] })
    expect(errorOf(answer, 429, 'rate_limited').details['retry_after_seconds']).toBe(30)
    expect(answer.headers['retry-after']).toBe('30')
  })

  it('is missing, since an older agent does not know the call, means that nothing was done', async () => {
    agent.onCall = () =>
      Promise.reject(
        Object.assign(withTrailer(Buffer.alloc(0), status.UNIMPLEMENTED), { metadata: new Metadata() }),
      )
    errorOf(await send('PUT', 'clipboard', { text: 'a' }), 422, 'feature_unavailable')
  })
})

describe('a screen that', () => {
  const good = { snapshotId: 'snp_aaaaaaaaaaaa', text: 'app x', observationJson: observationJson() }
  const seen = JSON.parse(observationJson().toString()) as object
  const screen = (change: object) => Buffer.from(JSON.stringify({ ...seen, ...change }))
  it.each<[string, Partial<ObserveResponse>]>([
    ['is not JSON', { observationJson: Buffer.from('{"elements":') }],
    ['lists no elements', { observationJson: screen({ elements: undefined }) }],
    ['lacks fields', { observationJson: Buffer.from('{"elements":[]}') }],
    ['has an element of another kind', { observationJson: screen({ elements: [{ ref: 'one' }] }) }],
    ['breaks the header', { snapshotId: 'snp_aaaaaaaaaaaa\r\nset-cookie: a=b' }],
    ['is larger than any screen', { text: 'x'.repeat(5_000_000) }],
    ['is larger than any message', { observationJson: Buffer.alloc(9_000_000, ' ') }],
  ])('%s is the host’s fault', async (_, change) => {
    agent.onAnswer = (call, bytes) =>
      call === 'observe' ? Buffer.from(ObserveResponse.encode({ ...good, ...change }).finish()) : bytes
    errorOf(await send('GET', 'observe'), 502, 'provider_error')
    errorOf(await send('GET', 'observe?format=text'), 502, 'provider_error')
    agent.onAnswer = (_call, bytes) => bytes
    expect((await send('GET', 'observe')).statusCode).toBe(200)
  })

  it('has unknown fields passes unchanged', async () => {
    const json = screen({ mood: 'calm' })
    agent.onAnswer = () => Buffer.from(ObserveResponse.encode({ ...good, observationJson: json }).finish())
    expect((await send('GET', 'observe')).json()).toMatchObject({ mood: 'calm' })
  })
})

describe('a batch whose host', () => {
  const actions: Action[] = [{ type: 'home' }, { type: 'home' }]
  const entry = (index: number) => Buffer.from(JSON.stringify({ index, type: 'home', ok: true, ms: 1 }))
  const run = () => send('POST', 'actions', { actions })
  /** Error codes of the entries. */
  const codes = (answer: { json(): unknown }) =>
    actionBatchResultSchema.parse(answer.json()).results.map(({ ok, error }) => error?.code ?? ok)

  it.each<[string, Buffer]>([
    ['sends a result that is not JSON', Buffer.from('{')],
    ['sends a result of another form', Buffer.from('{"index":"zero"}')],
  ])('%s leaves the started action unknown', async (_, resultJson) => {
    agent.onBatch = (_request, say) => {
      say({ $case: 'started', value: { index: 0 } })
      say({ $case: 'finished', value: { index: 0, resultJson } })
      return Promise.resolve()
    }
    const answer = await run()
    expect(answer.statusCode).toBe(200)
    expect(codes(answer)).toEqual(['action_outcome_unknown'])
  })

  it('sends an end that is not JSON keeps what is known', async () => {
    agent.onBatch = (_request, say) => {
      say({ $case: 'started', value: { index: 0 } })
      say({ $case: 'finished', value: { index: 0, resultJson: entry(0) } })
      say({ $case: 'ended', value: { resultsJson: Buffer.from('[{'), observationJson: Buffer.alloc(0) } })
      return Promise.resolve()
    }
    expect(codes(await run())).toEqual([true, 'action_outcome_unknown'])
  })

  it('never ends its stream is cut off', async () => {
    let told = 0
    let isOver = false
    agent.onBatch = async (_request, say) => {
      say({ $case: 'started', value: { index: 0 } })
      for (; !isOver && told < 1_000_000; told += 1) {
        say({ $case: 'finished', value: { index: 0, resultJson: entry(0) } })
        if (told % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    expect(codes(await run())).toEqual([true, 'action_outcome_unknown'])
    isOver = true
    expect(told).toBeLessThan(1_000_000)
  })

  it('reports an unknown outcome before any action causes an internal error', async () => {
    agent.onBatch = () => Promise.reject(new ApiError('action_outcome_unknown'))
    errorOf(await run(), 500, 'internal_error')
  })
})
