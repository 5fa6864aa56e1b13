import { type Action, type Element, type Observation } from '@phonerack/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMasker, mark, maskActions, piecesOf, typedIn } from './redact.js'
import { maskObservation, maskOutputs, maskResults } from './redact-screen.js'

const element = (text: string | null, state: string[], desc: string | null = null): Element => ({
  ref: 1,
  type: 'EditText',
  text,
  desc,
  id: 'x:id/y',
  bounds: [0, 0, 10, 10],
  center: [5, 5],
  state,
})
const screenOf = (elements: Element[], line: string): Observation => ({
  snapshot_id: 'snp_aaaaaaaaaaaa',
  taken_at: '2026-11-26T20:00:00.000Z',
  truncated: false,
  text: line,
  app: { package: 'x', activity: null },
  keyboard: { visible: true, focused_editable: true },
  screen: { width: 10, height: 10 },
  elements,
})

const maskerOf = (texts: readonly string[]) => createMasker(texts.flatMap((text) => [...piecesOf(text)]))

it('masks the text of every field and password, but no hint', () => {
  const none = maskerOf([])
  const masked = (each: Element) =>
    maskObservation(screenOf([each], 'app x'), none).observation.elements[0]?.text
  expect(masked(element('a', ['editable']))).toBe(mark)
  expect(masked(element('\u2022\u2022', ['password']))).toBe(mark)
  expect(masked(element('Name', ['editable', 'hint']))).toBe('Name')
  expect(masked(element(null, ['editable']))).toBeNull()
  expect(masked(element('Home', ['clickable']))).toBe('Home')
})

it('masks a typed text wherever it occurs, cut or whole, and in any case', () => {
  const long = `Dear Sir, ${'lorem ipsum '.repeat(200)}`
  const masker = maskerOf(['Hunter2', 'two\nlines here', long, 'ab', ' padded '])
  expect(masker.text('your hunter2!')).toBe(`your ${mark}!`)
  expect(masker.text('lines here')).toBe(mark)
  expect(masker.text(`${long.slice(0, 990)}\u2026`)).toBe(mark)
  expect(masker.text('cab')).toBe('cab')
  expect(masker.text('is padded')).toBe(`is ${mark}`)
  expect(maskerOf([]).isEmpty).toBe(true)
  expect(maskerOf(['ab']).isEmpty).toBe(true)
})

it('never keeps a line of text whose form or element it does not know', () => {
  const head = 'app x\nkeyboard hidden\nscreen 10x10'
  const masked = (elements: Element[], lines: string) =>
    maskObservation(screenOf(elements, `${head}\n${lines}`), maskerOf([]))
  expect(masked([element('secret', ['editable'])], '[1] Odd Type "secret" (5,5)').observation.text).toBe(
    `${head}\n[1] "${mark}"`,
  )
  const unknown = masked([], '[12] Text "other" (1,1)\nother')
  expect(unknown.observation.text).toBe(`${head}\n[12] "${mark}"\n"${mark}"`)
  expect(unknown.isMasked).toBe(true)
  const home = masked([element('Home', [])], '[1] Text "Home" (5,5)')
  expect(home).toMatchObject({ isMasked: false, observation: { text: `${head}\n[1] Text "Home" (5,5)` } })
})

it('masks typed texts in the names of resolved targets', () => {
  const result = { index: 0, type: 'tap', ok: true, ms: 1, matched: 'Call hunter2' }
  expect(maskResults([result], maskerOf(['hunter2']), null)).toEqual([{ ...result, matched: `Call ${mark}` }])
})

it('masks each stream of a shell command, even if a host sends only one', () => {
  const result = { index: 0, type: 'shell', ok: true, ms: 1 }
  expect(maskOutputs([{ ...result, stdout: 'secret' }], false)).toMatchObject([{ stdout: mark, stderr: '' }])
  expect(maskOutputs([result], false)).toEqual([result])
})

it('masks typed texts in the first lines of a screen', () => {
  const { observation, isMasked } = maskObservation(
    screenOf([], 'app x.hunter2\nkeyboard hidden\nscreen 10x10'),
    maskerOf(['hunter2']),
  )
  expect([observation.text, isMasked]).toEqual([`app x.${mark}\nkeyboard hidden\nscreen 10x10`, true])
})

it('joins keys with characters to one text, up to another action', () => {
  const key = (name: string) => ({ type: 'key', key: name, modifiers: [] }) as unknown as Action
  const wait = { type: 'wait', ms: 1 } as const
  expect(typedIn([key('a'), wait, key('1'), key('space'), key('b'), key('enter'), key('c')])).toEqual([
    'a1 b',
    'c',
  ])
  expect(typedIn([{ type: 'type', text: 'x', clear: false, submit: false }, key('c')])).toEqual(['x', 'c'])
  expect(typedIn([wait, key('enter'), { type: 'home' }])).toBeNull()
  // Keys of a live view have a code.
  expect(typedIn([{ type: 'key', key_code: 66 } as unknown as Action])).toBeNull()
})

it('masks every text in a value, however many there are', () => {
  const masker = maskerOf(['abcd', 'cdef'])
  expect(masker.text('abcdef')).toBe(mark)
})

it('masks texts and descriptions in targets, and no IDs', () => {
  const masker = maskerOf(['title'])
  const actions = [
    { type: 'tap', target: { text: 'my title' } },
    { type: 'tap', target: { id: 'title' } },
    { type: 'swipe', from: { desc: 'title' }, to: { x: 1, y: 2 }, duration_ms: 300 },
    { type: 'open_url', url: 'https://title.example/' },
    { type: 'type', text: 'x', clear: false, submit: true },
  ] as const
  expect(maskActions(actions, masker)).toEqual([
    { type: 'tap', target: { text: `my ${mark}` } },
    actions[1],
    { ...actions[2], from: { desc: mark } },
    actions[3],
    { ...actions[4], text: mark },
  ])
})

it('keeps no typed text of three or more characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 3, maxLength: 40 }),
      fc.string(),
      (typed, around) => {
        const wanted = typed.trim()
        fc.pre(Array.from(wanted).length >= 3 && !/[\r\n]/.test(wanted) && !mark.includes(wanted))
        const found = maskerOf([typed]).text(`${around}${wanted}${around}`)
        for (const part of found.split(mark)) expect(part).not.toContain(wanted)
      },
    ),
  )
})
