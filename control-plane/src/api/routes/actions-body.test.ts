/** The body of an action batch, and the next step in a refusal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusalOf, sendJson, startApi, type TestApi } from '../../testing/api.js'

let api: TestApi
let id: string
beforeAll(async () => {
  api = await startApi({ devices: 1 })
  id = await api.readyPhone()
})
afterAll(() => api.close())

describe('actions', () => {
  const batch = (actions: unknown, more = {}) => ({ actions, ...more })
  const back = { type: 'back' }

  it.each<[string, unknown]>([
    ['1 action', batch([back])],
    ['20 actions', batch(Array.from({ length: 20 }, () => back))],
    [
      '60,000 ms of waits',
      batch([
        { type: 'wait', ms: 50_000 },
        { type: 'wait_for', target: { text: 'a' } },
      ]),
    ],
    [
      'every target',
      batch([
        { type: 'tap', target: { ref: 1, snapshot_id: 'snp_aaaaaaaaaaaa' } },
        { type: 'tap', target: { text: 'a', nth: 0 } },
        { type: 'tap', target: { id: 'a' } },
        { type: 'tap', target: { desc: 'a' } },
        { type: 'tap', target: { x: 1, y: 2 } },
      ]),
    ],
    ['observe none', batch([back], { observe: 'none' })],
    [
      'text that cannot be mistaken for a field',
      batch([{ type: 'type', text: '__proto__ \u00e9 \u{1F600}' }]),
    ],
  ])('take %s [20.4]', async (_name, body) => {
    expect((await sendJson(api, 'POST', `/v1/phones/${id}/actions`, body)).statusCode).toBe(200)
  })

  it.each<[string, unknown, unknown[]]>([
    ['no actions', {}, ['actions']],
    ['0 actions', batch([]), ['actions']],
    ['21 actions', batch(Array.from({ length: 21 }, () => back)), ['actions']],
    [
      '60,001 ms of waits',
      batch([
        { type: 'wait', ms: 50_001 },
        { type: 'wait_for', target: { text: 'a' } },
      ]),
      ['actions'],
    ],
    ['an action that is text', batch(['back']), ['actions', 0]],
    ['an action without a type', batch([{}]), ['actions', 0, 'type']],
    ['a field that another action has', batch([back, { type: 'back', text: 'a' }]), ['actions', 1, 'text']],
    ['a value out of range', batch([{ type: 'wait', ms: 0 }]), ['actions', 0, 'ms']],
    ['a missing target', batch([{ type: 'tap' }]), ['actions', 0, 'target']],
    [
      'a ref without its snapshot',
      batch([{ type: 'tap', target: { ref: 1 } }]),
      ['actions', 0, 'target', 'snapshot_id'],
    ],
    [
      'a number of matches for an id',
      batch([{ type: 'tap', target: { id: 'a', nth: 0 } }]),
      ['actions', 0, 'target', 'nth'],
    ],
    [
      'a number of matches for a description',
      batch([{ type: 'tap', target: { desc: 'a', nth: 0 } }]),
      ['actions', 0, 'target', 'nth'],
    ],
    [
      'coordinates to wait for',
      batch([{ type: 'wait_for', target: { x: 1, y: 1 } }]),
      ['actions', 0, 'target'],
    ],
    [
      'a ref to scroll to',
      batch([{ type: 'scroll_to', target: { ref: 1, snapshot_id: 'snp_aaaaaaaaaaaa' } }]),
      ['actions', 0, 'target'],
    ],
    ['an unknown key', batch([{ type: 'key', key: 'Enter' }]), ['actions', 0, 'key']],
    [
      'an unknown modifier',
      batch([{ type: 'key', key: 'a', modifiers: ['fn'] }]),
      ['actions', 0, 'modifiers', 0],
    ],
    [
      'an activity of another form',
      batch([{ type: 'open_app', package: 'a.b', activity: 'a b' }]),
      ['actions', 0, 'activity'],
    ],
    ['an unknown observe', batch([back], { observe: 'all' }), ['observe']],
    ['an unknown field', batch([back], { wait: true }), ['wait']],
  ])('refuse %s [20.5, 30.10, 30.44, 31.3]', async (_name, body, path) => {
    const { details } = await refusalOf(api, 'POST', `/v1/phones/${id}/actions`, body)
    expect(details.issues?.map((issue) => issue.path)).toContainEqual(path)
  })

  it('list the types for an unknown one [30.45]', async () => {
    const { details } = await refusalOf(api, 'POST', `/v1/phones/${id}/actions`, batch([{ type: 'tapp' }]))
    const [issue] = details.issues ?? []
    expect(issue?.path).toEqual(['actions', 0, 'type'])
    expect(issue?.alternatives).toEqual(expect.arrayContaining(['tap', 'wait_for', 'open_url']))
    expect(issue?.alternatives).toHaveLength(22)
  })

  it('list the fields for an unknown one [31.37]', async () => {
    const { details } = await refusalOf(
      api,
      'POST',
      `/v1/phones/${id}/actions`,
      batch([{ type: 'wait', ms: 1, seconds: 1 }]),
    )
    expect(details.issues).toEqual([
      expect.objectContaining({ path: ['actions', 0, 'seconds'], alternatives: ['type', 'ms'] }),
    ])
  })

  it('name the forms of a target', async () => {
    const { details } = await refusalOf(
      api,
      'POST',
      `/v1/phones/${id}/actions`,
      batch([{ type: 'tap', target: { foo: 1 } }]),
    )
    expect(details.issues).toEqual([
      expect.objectContaining({
        path: ['actions', 0, 'target'],
        alternatives: ['ref + snapshot_id', 'text', 'id', 'desc', 'x + y'],
      }),
    ])
  })

  it('refuse two forms in one target', async () => {
    const { details } = await refusalOf(
      api,
      'POST',
      `/v1/phones/${id}/actions`,
      batch([{ type: 'tap', target: { text: 'a', x: 1, y: 1 } }]),
    )
    expect(details.issues?.length).toBeGreaterThan(0)
  })
})
