/** The limits of a batch over MCP: failures, the end of its time, and a client that leaves. */
import { once } from 'node:events'
import { type RunActionsRequest } from '@phonerack/proto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { observationJson } from '../../testing/agent-double.js'
import { type Batch } from '../../testing/agent-double/types.js'
import { startApi, type TestApi } from '../../testing/api.js'
import { collectGarbage } from '../../testing/garbage.js'
import { call, connectMcp, eras, errorIn, listen, post } from '../../testing/mcp-client.js'
import { eventually } from '../../testing/world.js'

const png = Buffer.from('picture').toString('base64')
const wait = { type: 'wait', ms: 1 }

let api: TestApi
let url: string
let id: string
let batch: Batch
beforeAll(async () => {
  api = await startApi({ devices: 1 })
  url = await listen(api.app)
  id = await api.readyPhone()
  batch = api.agent.onBatch
})
afterAll(() => api.close())
beforeEach(() => {
  api.agent.onBatch = batch
})

const message = (actions: object[], more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'act', arguments: { phone_id: id, actions, ...more } },
})

describe.each(eras)('in revision %s', (era) => {
  it('returns a failed action with its code, candidates and the screen, as text too [40.25]', async () => {
    const error = {
      code: 'ambiguous_target',
      message: 'Two elements match.',
      retryable: false,
      next: `POST /v1/phones/${id}/start or GET /v1/phones/${id}/screenshot`,
      details: { snapshot_id: 'snp_aaaaaaaaaaaa', candidates: [{ ref: 3, text: 'Pay\n[4] Button' }] },
    }
    api.agent.onBatch = (_, send) => {
      const results = [
        { index: 0, type: 'home', ok: true, ms: 1 },
        { index: 1, type: 'tap', ok: false, ms: 2, error },
      ]
      const resultsJson = Buffer.from(JSON.stringify(results))
      send({ $case: 'ended', value: { observationJson: observationJson(), resultsJson } })
      return Promise.resolve()
    }
    const client = await connectMcp(url, api.key, era)
    const actions = [{ type: 'home' }, { type: 'tap', target: { text: 'Pay' } }, { type: 'back' }]
    const acted = await call(client, 'act', { phone_id: id, actions })
    expect(acted.isError).toBe(true)
    expect(acted.structured).toMatchObject({ completed: 1, observation: { snapshot_id: 'snp_aaaaaaaaaaaa' } })
    expect(errorIn(acted)).toMatchObject({
      code: 'ambiguous_target',
      next: `start_phone {"phone_id":"${id}"} or observe {"phone_id":"${id}","screenshot":true}`,
      details: error.details,
    })
    expect(acted.text).toContain(
      '1 of 3 actions succeeded\n0 home ok\n1 tap failed\n  error ambiguous_target: ',
    )
    expect(acted.text).toContain(String.raw`"candidates":[{"ref":3,"text":"Pay\n[4] Button"}]`)
    expect(acted.text).toContain('snapshot_id snp_aaaaaaaaaaaa')
    await client.close()
  })

  it('returns a picture as image content with text, and without structured content [40.28]', async () => {
    const screenshot = { format: 'jpeg', width: 720, height: 1440, scale: 0.5, data: png }
    api.agent.onBatch = (_, send) => {
      const seen = { ...(JSON.parse(observationJson().toString()) as object), screenshot }
      const resultsJson = Buffer.from(JSON.stringify([{ index: 0, type: 'home', ok: true, ms: 1 }]))
      send({ $case: 'ended', value: { observationJson: Buffer.from(JSON.stringify(seen)), resultsJson } })
      return Promise.resolve()
    }
    const client = await connectMcp(url, api.key, era)
    const acted = await call(client, 'act', { phone_id: id, actions: [{ type: 'home' }], observe: 'both' })
    expect(acted.images).toEqual([{ data: png, mimeType: 'image/jpeg' }])
    expect(acted.structured).toEqual({})
    expect(acted.text).toContain('screenshot 720x1440, scale 0.5')
    await client.close()
  })
})

it('tells the agent that no action starts after 40 s, and that the client may leave [40.29]', async () => {
  const asked: RunActionsRequest[] = []
  api.agent.onBatch = (request, send) => {
    asked.push(request)
    return batch(request, send)
  }
  await (await post(url, api.key, message([wait]))).text()
  expect(asked).toMatchObject([{ stopBetweenActions: true }])
  expect(asked[0]?.startWithinMs).toBeGreaterThan(35_000)
  expect(asked[0]?.startWithinMs).toBeLessThanOrEqual(40_000)
  const body = {
    payload: JSON.stringify({ actions: [wait] }),
    headers: { 'content-type': 'application/json' },
  }
  await api.request('POST', `/v1/phones/${id}/actions`, body)
  expect(asked[1]).toMatchObject({ stopBetweenActions: false, startWithinMs: 0 })
})

it.each(eras)(
  'cancels the batch in the agent when the client closes the response in revision %s [40.32]',
  async (era) => {
    const started = new AbortController()
    const held = api.ended('phones.hold')
    api.agent.onBatch = (_, send) => {
      send({ $case: 'started', value: { index: 0 } })
      started.abort()
      // The double never answers, so only the end of the call ends the batch.
      return new Promise(() => undefined)
    }
    const leaving = new AbortController()
    const request =
      era === '2026-07-28'
        ? connectMcp(url, api.key, era).then((client) =>
            client.callTool(message([wait, wait]).params, { signal: leaving.signal }),
          )
        : post(url, api.key, message([wait, wait]), {}, leaving.signal).then((response) => response.text())
    const rejected = expect(request).rejects.toThrow()
    if (!started.signal.aborted) await once(started.signal, 'abort')
    // Node.js loses the signal of a request that is collected, or cloned: https://github.com/nodejs/undici/issues/4068
    await collectGarbage()
    leaving.abort()
    await rejected
    // The call of the agent has ended, although the agent sent no result.
    await eventually(() => Promise.resolve(api.ended('phones.hold') === held + 1))
  },
)

it('reports progress while a call runs [40.34]', async () => {
  let finish = (): void => undefined
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  api.agent.onBatch = async (request, send) => {
    await held
    return batch(request, send)
  }
  const client = await connectMcp(url, api.key, '2026-07-28')
  const reports: string[] = []
  const acted = client.callTool(
    { name: 'act', arguments: { phone_id: id, actions: [wait] } },
    {
      onprogress: ({ message: text }) => {
        reports.push(text ?? '')
        finish()
      },
    },
  )
  await acted
  expect(reports[0]).toMatch(/^act is running \(5 s\)/)
  await client.close()
})
