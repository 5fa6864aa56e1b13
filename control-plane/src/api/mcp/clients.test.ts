/** Results as clients show them, and arguments as clients send them. Each row of the table "Clients" in docs/mcp.md names a test here or in `coerce.test.ts`. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CallToolResult, type Client } from '@modelcontextprotocol/client'
import { observationJson } from '../../testing/agent-double.js'
import { type Batch } from '../../testing/agent-double/types.js'
import { startApi, type TestApi } from '../../testing/api.js'
import { call, connectMcp, eras, listen, messageIn, post } from '../../testing/mcp-client.js'

/** Functions from a result to the part that a client shows its model. docs/mcp.md#clients names where each way was seen. */
interface Shown {
  text: string
  images: number
}

type Reader = (result: CallToolResult) => Shown

const contentOf: Reader = ({ content }) => ({
  text: content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
  images: content.filter(({ type }) => type === 'image').length,
})

const structuredFirst: Reader = (result) =>
  result.structuredContent === undefined
    ? contentOf(result)
    : { text: JSON.stringify(result.structuredContent), images: 0 }

const readers: Readonly<Record<string, Reader>> = {
  'Claude Code': structuredFirst,
  Codex: structuredFirst,
  'opencode of June 2026': structuredFirst,
  'Gemini CLI': contentOf,
  Cursor: contentOf,
  'Open WebUI, LangChain': contentOf,
  // Replaces images by a sentence.
  'MCP connector of the Messages API': (result) => ({ ...contentOf(result), images: 0 }),
}

const png = Buffer.from('picture').toString('base64')
const screenshot = { format: 'jpeg', width: 720, height: 1440, scale: 0.5, data: png }

let api: TestApi
let url: string
let id: string
let complete: Batch
beforeAll(async () => {
  api = await startApi({ devices: 1 })
  url = await listen(api.app)
  id = await api.readyPhone()
  complete = api.agent.onBatch
})
afterAll(() => api.close())
beforeEach(() => {
  api.agent.onBatch = complete
})

const answering =
  (results: object[], more: object): Batch =>
  (_, send) => {
    const seen = { ...(JSON.parse(observationJson().toString()) as object), ...more }
    send({
      $case: 'ended',
      value: {
        observationJson: Buffer.from(JSON.stringify(seen)),
        resultsJson: Buffer.from(JSON.stringify(results)),
      },
    })
    return Promise.resolve()
  }
const done = { index: 0, type: 'home', ok: true, ms: 1 }
const home = [{ type: 'home' }]

describe.each(eras)('in revision %s', (era) => {
  let client: Client
  beforeAll(async () => {
    client = await connectMcp(url, api.key, era)
  })
  afterAll(() => client.close())
  const act = (args: object) =>
    client.callTool({ name: 'act', arguments: { phone_id: id, actions: home, observe: 'both', ...args } })

  it.each(Object.entries(readers))('a picture and its text reach the model of %s', async (name, read) => {
    api.agent.onBatch = answering([done], { screenshot })
    const shown = read(await act({}))
    expect(shown.images).toBe(/connector/.test(name) ? 0 : 1)
    for (const part of [
      '1 of 1 actions succeeded',
      'snapshot_id snp_aaaaaaaaaaaa',
      'app x',
      'screenshot 720x1440',
    ])
      expect(shown.text).toContain(part)
  })

  it.each(Object.entries(readers))(
    'a failed action with a picture reaches the model of %s',
    async (_, read) => {
      const error = { code: 'target_not_found', message: 'No.', retryable: false, next: null, details: {} }
      api.agent.onBatch = answering([{ index: 0, type: 'tap', ok: false, ms: 1, error }], { screenshot })
      const result = await act({})
      expect(result.isError).toBe(true)
      expect(read(result).text).toContain('target_not_found')
    },
  )

  it.each(Object.entries(readers))('elements with their bounds reach the model of %s', async (_, read) => {
    const element = { ref: 1, type: 'Button', text: 'Go', desc: null, id: null, bounds: [0, 0, 100, 50] }
    for (const observe of ['ui', 'both']) {
      const more = observe === 'both' ? { screenshot } : {}
      api.agent.onBatch = answering([done], {
        elements: [{ ...element, center: [50, 25], state: [] }],
        ...more,
      })
      expect(read(await act({ observe, elements: true })).text).toMatch(/bounds\\?":\[0,0,100,50\]/)
    }
  })

  it('announces structured content exactly for the tools that always return it', async () => {
    const { tools } = await client.listTools()
    const without = tools.filter(({ outputSchema }) => !outputSchema).map(({ name }) => name)
    expect(without.sort()).toEqual(['act', 'observe'])
  })

  it('a long screen stays below 25,000 tokens, in every form', async () => {
    const line = `[1] TextView "${'字'.repeat(90)}" (1,2)`
    const text = ['app x', ...Array.from({ length: 500 }, () => line)].join('\n')
    const element = {
      ref: 1,
      type: 'TextView',
      text: '字'.repeat(90),
      desc: null,
      id: null,
      bounds: [0, 0, 1, 1],
    }
    const elements = Array.from({ length: 500 }, () => ({ ...element, center: [1, 1], state: [] }))
    api.agent.onBatch = answering([done], { text, elements })
    for (const [, read] of Object.entries(readers)) {
      const shown = read(await act({ observe: 'ui', elements: true })).text
      // A token is at least two bytes of such text.
      expect(Buffer.byteLength(shown)).toBeLessThan(2.5 * 25_000)
      expect(shown).toMatch(/were left out|"truncated":true/)
    }
  })
})

describe('arguments', () => {
  const sent = async (params: object): Promise<Record<string, unknown> | undefined> =>
    (await messageIn(await post(url, api.key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })))
      .result

  it('a placeholder for a tool without arguments is ignored', async () => {
    for (const args of [{ random_string: 'x' }, { _placeholder: true }, {}])
      expect(await sent({ name: 'get_account', arguments: args })).not.toHaveProperty('isError')
  })

  it('may have the fields that clients add, for every tool', async () => {
    const args = { phone_id: id, toolCallId: 'call_1', sessionId: 'a', chatInput: 'b', _placeholder: true }
    expect(await sent({ name: 'get_phone', arguments: args })).not.toHaveProperty('isError')
    expect(await sent({ name: 'get_phone', arguments: { ...args, mistake: 1 } })).toHaveProperty('isError')
  })

  it('may be null, left out, or JSON text as a whole', async () => {
    for (const args of [null, '', '{}', undefined])
      expect(await sent({ name: 'list_phones', arguments: args }), String(args)).not.toHaveProperty('isError')
    expect(await sent({ name: 'list_phones', arguments: '{"status":"ready"}' })).toMatchObject({
      structuredContent: { data: [{ id }] },
    })
  })

  it('are read as their schema means them, and refused otherwise [40.26]', async () => {
    const actions = JSON.stringify([{ type: 'tap', target: '{"x":"5","y":"6"}' }])
    expect(await sent({ name: 'act', arguments: { phone_id: id, actions, observe: null } })).toMatchObject({
      structuredContent: { completed: 1 },
    })
    expect(await sent({ name: 'act', arguments: { phone_id: id, actions: 'tap' } })).toMatchObject({
      isError: true,
    })
  })

  it('an unknown key is answered in few words, with the keys that are near', async () => {
    const result = await sent({
      name: 'act',
      arguments: { phone_id: id, actions: [{ type: 'key', key: 'volumen' }] },
    })
    const text = JSON.stringify(result?.['content'])
    expect(text).toContain('`volume_up`')
    expect(text.length).toBeLessThan(700)
  })

  it('stay strict on /v1 [40.27]', async () => {
    const body = { actions: [{ type: 'tap', target: { x: '5', y: 6 } }] }
    const answer = await api.request('POST', `/v1/phones/${id}/actions`, {
      payload: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.statusCode).toBe(400)
  })
})

it('lists preinstalled apps with an icon, and all while no labels are known', async () => {
  const { held } = api.agent
  held.apps = ['com.example.app', 'com.android.settings', 'com.android.shell']
  const client = await connectMcp(url, api.key, '2025-06-18')
  const listed = async () => {
    const { structured } = await call(client, 'list_apps', { phone_id: id })
    return (structured['data'] as { package: string }[]).map(({ package: name }) => name).sort()
  }
  expect(await listed()).toEqual([...held.apps].sort())
  held.labels = new Map([['com.android.settings', 'Settings']])
  expect(await listed()).toEqual(['com.android.settings', 'com.example.app'])
  await client.close()
})

it('calls a tool by the name that the list has', async () => {
  const client = await connectMcp(url, api.key, '2025-06-18')
  expect((await call(client, 'get_account')).isError).toBe(false)
  await client.close()
})
