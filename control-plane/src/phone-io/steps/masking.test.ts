/**
 * Typed text that steps must not keep, and requests that must not change which texts are masked. Runs over
 * HTTP.
 */
import { type Element } from '@phonerack/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { errorOf, startApi, type TestApi } from '../../testing/api.js'
import { type Batch } from '../../testing/agent-double/types.js'
import { answering, element, pictured, screenOf } from '../../testing/step-screens.js'
import { type StepJson } from './types.js'

const devices = 12
let api: TestApi
/** Returns a phone on which nothing was typed. */
let id: string
beforeAll(async () => {
  api = await startApi({ devices })
})
beforeEach(async () => {
  id = await api.readyPhone()
  api.agent.onBatch = answering(screenOf([]))
})
afterAll(() => api.close())

const act = (actions: object[], observe = 'ui', key?: string) =>
  api.request('POST', `/v1/phones/${id}/actions`, {
    payload: { actions, observe },
    ...(key === undefined ? {} : { key }),
  })
async function newest(): Promise<StepJson> {
  const answer = await api.request('GET', `/v1/phones/${id}/steps?limit=1`)
  const [step] = answer.json<{ data: StepJson[] }>().data
  if (!step) throw new Error('there is no step')
  return step
}
/**
 * Runs a batch after which the screen has these texts. Returns the texts in the stored step, and whether the
 * step keeps its picture.
 */
async function kept(...texts: string[]): Promise<{ texts: (string | null)[]; hasPicture: boolean }> {
  api.agent.onBatch = answering(pictured(texts.map((text, at) => element(at + 1, { text }))))
  expect((await act([{ type: 'wait', ms: 1 }], 'both')).statusCode).toBe(200)
  const { after, picture } = await newest()
  const { elements } = after as { elements: { text: string | null }[] }
  return { texts: elements.map(({ text }) => text), hasPicture: picture !== null }
}

describe('a batch that the phone does not admit', () => {
  it('does not change which texts of the phone are masked [43.16]', async () => {
    const stranger = await api.plane.tenant()
    const limited = await api.keyOf('agent', [await api.placePhone('parked')])
    const { db } = api.plane.app.core
    await api.request('GET', `/v1/phones/${id}/observe`)
    const screens = () =>
      db.stepScreen.findMany({ where: { phoneId: id }, select: { id: true, isUsed: true } })
    await expect.poll(async () => (await screens()).length).toBe(1)
    const batch = [{ type: 'type', text: 'Welcome' }]
    errorOf(await act(batch, 'ui', stranger.key), 404, 'phone_not_found')
    errorOf(await act(batch, 'ui', limited), 403, 'phone_not_allowed')
    expect(await screens()).toEqual([expect.objectContaining({ isUsed: false })])
    expect(await kept('Welcome back')).toEqual({ texts: ['Welcome back'], hasPicture: true })
  })
})

describe('a text that was typed', () => {
  it('by keys is masked in actions and later screens [43.11]', async () => {
    const keys = ['4', '7', '1', 'a'].map((key) => ({ type: 'key', key, modifiers: ['shift'] }))
    await act([
      { type: 'key', key: 'tab' },
      ...keys,
      { type: 'key', key: 'space' },
      { type: 'key', key: 'enter' },
    ])
    const hidden = { type: 'key', key: '[redacted]', modifiers: [] }
    expect((await newest()).actions).toEqual([
      { type: 'key', key: 'tab', modifiers: [] },
      ...[hidden, hidden, hidden, hidden, hidden],
      { type: 'key', key: 'enter', modifiers: [] },
    ])
    expect(await kept('PIN 471A!', 'Home')).toEqual({ texts: ['PIN [redacted]!', 'Home'], hasPicture: false })
  })

  it('while a batch runs is masked in the screen of the batch [43.13]', async () => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let begun = (): void => undefined
    const isRunning = new Promise<void>((resolve) => (begun = resolve))
    const waiting: Batch = async (request, send) => {
      begun()
      await released
      return answering(screenOf([element(1, { text: 'Hello hunter2' })]))(request, send)
    }
    api.agent.onBatch = waiting
    const first = act([{ type: 'wait_idle' }])
    await isRunning
    api.agent.onBatch = answering(screenOf([]))
    expect((await act([{ type: 'type', text: 'hunter2' }])).statusCode).toBe(200)
    release()
    expect((await first).json()).toMatchObject({ observation: { elements: [{ text: 'Hello hunter2' }] } })
    const answer = await api.request('GET', `/v1/phones/${id}/steps`)
    expect(answer.body).toContain('Hello [redacted]')
    expect(answer.body).not.toContain('hunter2')
  })

  it('prevents pictures when no element on the screen shows it, however short it is [43.22]', async () => {
    expect(await kept('Home')).toEqual({ texts: ['Home'], hasPicture: true })
    await act([{ type: 'type', text: '7' }])
    expect(await kept('Home')).toEqual({ texts: ['Home'], hasPicture: false })
  })

  it('into the clipboard is masked in later screens [43.12]', async () => {
    const path = `/v1/phones/${id}/clipboard`
    expect((await api.request('PUT', path, { payload: { text: 's3cr3t words' } })).statusCode).toBe(200)
    expect(await kept('Copied: s3cr3t words')).toEqual({ texts: ['Copied: [redacted]'], hasPicture: false })
  })

  it('into the clipboard by a key that must not control the phone changes nothing', async () => {
    const stranger = await api.plane.tenant()
    const answer = await api.request('PUT', `/v1/phones/${id}/clipboard`, {
      payload: { text: 'Welcome' },
      key: stranger.key,
    })
    errorOf(answer, 404, 'phone_not_found')
    expect(await kept('Welcome')).toEqual({ texts: ['Welcome'], hasPicture: true })
  })

  it('with more lines than can be searched has every text masked', async () => {
    await act([{ type: 'type', text: Array.from({ length: 400 }, (_, at) => `line ${at}`).join('\n') }])
    expect(await kept('Home', '')).toEqual({ texts: ['[redacted]', ''], hasPicture: false })
  })
})

describe('a screen as text', () => {
  const field = { type: 'EditText', state: ['clickable', 'editable'] }
  const flagsOf = { description: 1, typed: 2 }
  const textScreenOf = (elements: Element[]): object => ({ ...screenOf(elements), elements: undefined })

  it('keeps no text of a field whose ID has spaces or ends like states [43.15]', async () => {
    const elements = [
      element(1, { ...field, text: 'hunter2', id: 'user Name' }),
      element(2, { ...field, text: 'hunter3', id: 'pin hint' }),
      element(3, { type: 'Odd Type', text: 'hunter4' }),
      element(4, { ...field, text: 'Name', state: ['editable', 'hint'] }),
      element(5, { text: 'Home' }),
    ]
    const screen = textScreenOf(elements)
    const bounds = elements.flatMap((each, at) => [...each.bounds, at < 2 ? flagsOf.typed : 0])
    api.agent.onBatch = answering(screen, undefined, Buffer.from(Int32Array.from(bounds).buffer))
    await act([{ type: 'home' }], 'text')
    const { after } = await newest()
    expect((after as { text: string }).text.split('\n')).toEqual([
      ...['app com.example.app', 'keyboard hidden', 'screen 100x200'],
      '[1] "[redacted]"',
      '[2] EditText "[redacted]" #pin hint clickable editable (50,50)',
      '[3] "[redacted]"',
      '[4] EditText "Name" editable hint (50,90)',
      '[5] TextView "Home" (50,110)',
    ])
    expect(JSON.stringify(after)).not.toContain('hunter')
  })

  it('keeps no text of a field when the host does not report which texts are typed', async () => {
    const screen = textScreenOf([element(1, { ...field, text: 'hunter2', id: 'pin hint' })])
    api.agent.onBatch = answering(screen)
    await act([{ type: 'home' }], 'text')
    expect(JSON.stringify((await newest()).after)).not.toContain('hunter2')
  })
})

describe('candidates of an error', () => {
  const candidate = (ref: number, text: string) => ({
    ref,
    type: 'EditText',
    text,
    desc: null,
    id: null,
    center: [50, 20 * ref + 10],
  })
  const failing = (details: object) => (result: { index: number; type: string; ms: number }) => ({
    ...result,
    ok: false,
    error: {
      ...({ code: 'ambiguous_target', message: 'x', retryable: false } as const),
      next: null,
      details: { ...details },
    },
  })
  const candidatesOf = async () =>
    (await newest()).results.flatMap((result) => {
      const { error } = result as unknown as { error: { details: { candidates: { text: string }[] } } }
      return error.details.candidates.map(({ text }) => text)
    })

  it('contain no text of a field that another caller filled [43.14]', async () => {
    const screen = screenOf([
      element(1, { text: 'Jane Doe', state: ['editable'] }),
      element(2, { text: 'Save', state: ['clickable'] }),
    ])
    const candidates = [candidate(1, 'Jane Doe'), candidate(2, 'Save'), candidate(9, 'Jane Doe')]
    api.agent.onBatch = answering(screen, failing({ candidates, snapshot_id: screen.snapshot_id }))
    await act([{ type: 'tap', target: { text: 'x' } }])
    expect(await candidatesOf()).toEqual(['[redacted]', 'Save', '[redacted]'])
    // Without the screen of the candidates, it is unknown which candidates are fields.
    api.agent.onBatch = answering(screen, failing({ candidates: candidates.slice(0, 2) }))
    await act([{ type: 'tap', target: { text: 'x' } }])
    expect(await candidatesOf()).toEqual(['[redacted]', '[redacted]'])
    api.agent.onBatch = answering(null, failing({ candidates, snapshot_id: screen.snapshot_id }))
    await act([{ type: 'tap', target: { text: 'x' } }], 'none')
    expect(await candidatesOf()).toEqual(['[redacted]', '[redacted]', '[redacted]'])
  })
})
