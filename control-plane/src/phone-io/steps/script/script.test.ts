/** Scripts from steps: targets, texts that are not kept, and hostile texts. */
import {
  actionSchema,
  type Action,
  type ActionResult,
  type Element,
  type Observation,
} from '@phonerack/shared'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mark } from '../redact.js'
import { type StepView } from '../types.js'
import { python } from './python.js'
import { createScript, type ScriptForm } from './script.js'
import { searchTarget } from './targets.js'
import { typescript } from './typescript.js'

const element = (ref: number, more: Partial<Element>): Element => ({
  ref,
  type: 'TextView',
  text: null,
  desc: null,
  id: null,
  bounds: [0, 20 * ref, 100, 20 * ref + 20],
  center: [50, 20 * ref + 10],
  state: ['clickable'],
  ...more,
})
const screenOf = (elements: Element[], id = 'snp_aaaaaaaaaaaa'): Observation => ({
  snapshot_id: id,
  taken_at: '2026-11-26T20:00:00.000Z',
  app: { package: 'com.example', activity: null },
  keyboard: { visible: false, focused_editable: false },
  screen: { width: 100, height: 200 },
  elements,
  truncated: false,
  text: '',
})

let second = 0
function stepOf(actions: object[], more: Partial<StepView> & { center?: [number, number] } = {}): StepView {
  second += 1
  const { center, ...view } = more
  const at = new Date(Date.UTC(2026, 10, 26, 20, 0, second))
  const parsed = actions.map((action) => actionSchema.parse(action))
  const results = parsed.map(({ type }, index): ActionResult => ({
    index,
    type,
    ok: true,
    ms: 1,
    ...(center ? { resolved: { center } } : {}),
  }))
  return {
    id: 'stp_aaaaaaaaaaaa',
    phone: 'ph_aaaaaaaaaaaa',
    session: 'ses_aaaaaaaaaaaa',
    requestId: 'req_aaaaaaaaaaaa',
    status: 'succeeded',
    startedAt: at,
    endedAt: at,
    observe: 'ui',
    by: { via: 'api', client: null, keyId: 'key_aaaaaaaaaaaa', keyName: null },
    actions: parsed,
    results,
    completed: results.length,
    error: null,
    textKept: false,
    before: null,
    beforeAt: null,
    after: null,
    picture: null,
    expiresAt: at,
    ...view,
  }
}

const session = { phoneId: 'ph_aaaaaaaaaaaa', sessionId: 'ses_aaaaaaaaaaaa' }
const scriptsOf = (steps: StepView[], screens: Observation[] = []) => {
  const write = (form: ScriptForm): string => {
    const script = createScript(form, session)
    for (const step of steps)
      script.add(step, (id) => screens.find(({ snapshot_id: each }) => each === id) ?? null)
    return [...script.chunks(false)].join('')
  }
  return { ts: write(typescript), py: write(python) }
}
const calls = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(\/\/ |# )?(await )?phone\.(?!park)/.test(line))

it('names an element by its own ID, then by its text, description, and number', () => {
  const elements = [
    element(1, { id: 'com.example:id/ok', text: 'OK' }),
    element(2, { id: 'com.example:id/row', text: 'Wi-Fi' }),
    element(3, { id: 'com.example:id/row', text: 'Sound' }),
    element(4, { id: 'android:id/title', text: 'Sound' }),
    element(5, { desc: 'More' }),
    element(6, { text: 'a'.repeat(101) }),
    element(7, { text: mark, state: ['editable'], id: 'com.example:id/name' }),
    element(8, { text: 'Name', state: ['editable', 'hint'] }),
    element(9, { text: 'x', state: ['editable'] }),
  ]
  expect(elements.map((each) => searchTarget(each, elements))).toEqual([
    { id: 'com.example:id/ok' },
    { text: 'Wi-Fi' },
    { text: 'Sound', nth: 0 },
    { id: 'android:id/title' },
    { desc: 'More' },
    null,
    { id: 'com.example:id/name' },
    { text: 'Name' },
    null,
  ])
})

it('replaces refs and points on a known screen by elements, and keeps other points with a comment [43.31]', () => {
  const screen = screenOf([element(1, { text: 'Next' }), element(2, { text: mark, state: ['editable'] })])
  const target = { ref: 1, snapshot_id: 'snp_aaaaaaaaaaaa' }
  const fresh = { before: screen, beforeAt: new Date(Date.UTC(2026, 10, 27)) }
  const { ts, py } = scriptsOf(
    [
      stepOf([{ type: 'tap', target }]),
      stepOf(
        [
          { type: 'tap', target: { x: 50, y: 30 } },
          { type: 'tap', target: { x: 50, y: 30 } },
        ],
        fresh,
      ),
      stepOf([{ type: 'tap', target: { ref: 9, snapshot_id: 'snp_bbbbbbbbbbbb' } }], { center: [7, 8] }),
      stepOf([{ type: 'type', text: mark, target: { ref: 2, snapshot_id: 'snp_aaaaaaaaaaaa' } }]),
      stepOf([{ type: 'wait_for', target: { ref: 9, snapshot_id: 'snp_bbbbbbbbbbbb' } }]),
    ],
    [screen],
  )
  expect(calls(ts)).toEqual([
    'await phone.tap({"text":"Next"}, wait)',
    'await phone.tap({"text":"Next"}, wait)',
    'await phone.tap({"x":50,"y":30})',
    'await phone.tap({"x":7,"y":8})',
    'await phone.type(TEXT_1, { into: {"x":50,"y":50} })',
  ])
  expect(calls(py)).toEqual([
    'phone.tap(text="Next", timeout=WAIT)',
    'phone.tap(text="Next", timeout=WAIT)',
    'phone.tap(x=50, y=30)',
    'phone.tap(x=7, y=8)',
    'phone.type_text(TEXT_1, into={"x": 50, "y": 50})',
  ])
  expect(ts).toContain('// a point: the step had no element for it')
  expect(ts).toContain('// a point: the screen of its ref is not kept')
  expect(ts).toContain('// wait_for is left out: its element is unknown')
  expect(ts).toContain("if (TEXT_1 === undefined) throw new Error('TEXT_1 is missing')")
  expect(py).toContain('TEXT_1 = os.environ["TEXT_1"]')
})

it('omits failed actions, and comments out those with an unknown outcome [43.32]', () => {
  const error = { message: 'x', retryable: false, next: null, details: {} }
  const step = stepOf([{ type: 'home' }, { type: 'back' }])
  const failed = { ...error, code: 'provider_error' } as const
  const unknown = { ...error, code: 'action_outcome_unknown' } as const
  const [first, last] = step.results
  if (!first || !last) throw new Error('no results')
  const { ts, py } = scriptsOf([
    { ...step, results: [first, { ...last, ok: false, error: failed }] },
    { ...step, results: [first, { ...last, ok: false, error: unknown }] },
  ])
  expect(calls(ts)).toEqual(['await phone.home()', 'await phone.home()', '// await phone.back()'])
  expect(calls(py)).toEqual(['phone.home()', 'phone.home()', '# phone.back()'])
  expect(ts).toContain('// back failed: provider_error')
})

it('omits keys whose character is not kept', () => {
  const key = { type: 'key', key: 'a', modifiers: [] }
  const step = stepOf([key, { type: 'key', key: 'enter' }])
  const { ts, py } = scriptsOf([
    { ...step, actions: step.actions.map((each, at) => (at === 0 ? masked(each) : each)) },
  ])
  expect(calls(ts)).toEqual(['await phone.press("enter")'])
  expect(calls(py)).toEqual(['phone.press("enter")'])
  expect(ts).toContain('// key is left out: its character is not kept')
  compile(ts, py)
})
const masked = (action: Action): Action => ({ ...action, key: mark }) as Action

it('writes each kind of action', () => {
  const ok = { text: 'OK' }
  const { ts, py } = scriptsOf([
    stepOf(
      [
        { type: 'type', text: 'hi', target: ok, clear: true, submit: true },
        { type: 'clear' },
        { type: 'key', key: 'a', modifiers: ['ctrl'] },
        { type: 'key', key: 'enter' },
        { type: 'recents' },
        { type: 'swipe', from: ok, to: { x: 1, y: 2 } },
        { type: 'drag', from: ok, to: { id: 'x' } },
        { type: 'long_press', target: ok },
        { type: 'pinch', target: ok, scale: 2 },
        { type: 'scroll', direction: 'down' },
        { type: 'scroll_to', target: ok },
        { type: 'open_app', package: 'com.example' },
        { type: 'close_app', package: 'com.example' },
        { type: 'open_url', url: 'https://example.com/' },
        { type: 'hide_keyboard' },
        { type: 'wait', ms: 5 },
        { type: 'wait_for', target: ok, state: 'gone' },
        { type: 'wait_idle' },
      ],
      { textKept: true },
    ),
  ])
  expect(calls(ts)[0]).toBe(
    'await phone.type("hi", { into: {"text":"OK"}, clear: true, submit: true, ...wait })',
  )
  expect(calls(py)[0]).toBe(
    'phone.type_text("hi", into={"text": "OK"}, clear=True, submit=True, timeout=WAIT)',
  )
  expect(calls(ts)).toHaveLength(23)
  expect(calls(ts).slice(1, 4)).toEqual([
    'await phone.clear()',
    `await phone.act([{"type":"key","key":"a","modifiers":["ctrl"]}], { observe: 'none' })`,
    'await phone.press("enter")',
  ])
  compile(ts, py)
})

/** Both programs must parse, and contain only the statements of the plan. */
function compile(ts: string, py: string): void {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-script-'))
  try {
    writeFileSync(path.join(dir, 'a.mjs'), ts)
    writeFileSync(path.join(dir, 'a.py'), py)
    execFileSync(process.execPath, ['--check', path.join(dir, 'a.mjs')], { stdio: 'pipe' })
    const names =
      'import ast,sys;print(sorted({n.id for n in ast.walk(ast.parse(open(sys.argv[1]).read())) if isinstance(n,ast.Name)}))'
    const found = execFileSync('python3', ['-c', names, path.join(dir, 'a.py')], { encoding: 'utf8' })
    for (const [, name = ''] of found.matchAll(/'(\w+)'/g))
      expect(name).toMatch(/^(?:Phonerack|WAIT|given|len|os|phone|phonerack|sys|TEXT_\d+)$/)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

it('no text of a phone or a tenant ends a literal or a comment [43.33]', () => {
  const hostile = [
    ...[
      '"); process.exit(1); ("',
      '`${process.exit(1)}`',
      "'''\nimport os",
      '*/ x /*',
      '\\',
      '\u2028x\u2029',
      '\u202eabc',
    ],
    ...['</script>', '\0', '\ud800', '👩‍👩‍👧', '\r\nos.remove("x")', '"""', 'a'.repeat(10_000)],
  ]
  const steps = hostile.map((text) => {
    const target = { text: text.slice(0, 900) }
    const error = {
      code: 'provider_error',
      message: text,
      retryable: false,
      next: null,
      details: {},
    } as const
    const step = stepOf(
      [
        { type: 'tap', target },
        { type: 'type', text: text.replace('\ud800', 'x'), target },
      ],
      { textKept: true },
    )
    const [first] = step.results
    return first
      ? [step, { ...step, results: [{ ...first, ok: false, error }] }, { ...step, textKept: false }]
      : []
  })
  const { ts, py } = scriptsOf(steps.flat())
  for (const text of [ts, py]) expect(text).toMatch(/^[\x20-\x7e\n]*$/)
  compile(ts, py)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
      const made = scriptsOf([
        { ...stepOf([{ type: 'home' }]), actions: [{ type: 'tap', target: { text } }] },
      ])
      const literal = /tap\((.*), wait\)/.exec(made.ts)?.[1] ?? ''
      expect(JSON.parse(literal)).toEqual({ text })
      expect(made.ts + made.py).toMatch(/^[\x20-\x7e\n]*$/)
    }),
  )
})

it.each([
  ['TypeScript', typescript],
  ['Python', python],
])('ends within a long session, and has no long chunk, in %s', (_name, form) => {
  const script = createScript(form, session)
  // Each step has 100,000 characters of JSON, and up to 300,000 characters of a script.
  const step = stepOf(
    Array.from({ length: 5 }, () => ({ type: 'type', text: '\u{1f600}'.repeat(5000) })),
    { textKept: true },
  )
  let taken = 0
  while (!script.isFull && taken < 2000) {
    script.add(step, () => null)
    taken += 1
  }
  expect(taken).toBeGreaterThan(10)
  expect(taken).toBeLessThan(110)
  const chunks = [...script.chunks(true)]
  const characters = chunks.reduce((sum, { length }) => sum + length, 0)
  expect(characters).toBeLessThan(10_500_000)
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(400_000)
  expect(chunks[0]).toContain('The session has more steps than this script.')
})

it('counts the notes of texts that are not kept', () => {
  const script = createScript(typescript, session, 10_000)
  const step = stepOf([{ type: 'type', text: 'x', target: { text: 'n'.repeat(900) } }])
  for (let each = 0; each < 8 && !script.isFull; each += 1) script.add(step, () => null)
  expect(script.isFull).toBe(true)
})

it('repeats no touches of a person, with or without their points', () => {
  const touched = stepOf([])
  const { ts } = scriptsOf([
    { ...touched, by: { ...touched.by, via: 'live' }, actions: [{ type: 'tap' } as unknown as Action] },
  ])
  expect(calls(ts)).toEqual([])
  expect(ts).toContain('// touches of a person in a live view, which are not repeated')
})
