/** Arguments as clients send them; docs/mcp.md#clients names the clients. */
import { actionBatchSchema } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { coerce } from './coerce.js'
import './common-words.js'
import { tools } from './tools/index.js'

const act = z.strictObject({ phone_id: z.string(), actions: actionBatchSchema.shape.actions })
/** Returns the batch that the server reads from the arguments. */
const batch = (actions: unknown): unknown =>
  (act.parse(coerce(act, { phone_id: 'ph_a', actions })) as { actions: unknown }).actions
const tap = (target: object) => ({ type: 'tap', target })
const note = { text: 'New note' }

describe('JSON as text', () => {
  it.each([
    ['a list', JSON.stringify([tap(note)])],
    ['a single object', tap(note)],
    ['a single object as text', ` ${JSON.stringify(tap(note))}`],
    ['an action', [JSON.stringify(tap(note))]],
    ['a target', [{ type: 'tap', target: JSON.stringify(note) }]],
  ])('is read as %s', (_, actions) => {
    expect(batch(actions)).toEqual([tap(note)])
  })

  it('is kept where the schema has a text', () => {
    const text = '{"a":1}'
    expect(batch([{ type: 'type', text }])).toMatchObject([{ type: 'type', text }])
  })

  it('is left as it is when it is not valid', () => {
    expect(coerce(act, { phone_id: 'ph_a', actions: '[{' })).toEqual({ phone_id: 'ph_a', actions: ['[{'] })
    expect(coerce(act, { actions: '{"__proto__":{"type":"tap"}}' })).toEqual({
      actions: [Object.fromEntries([['__proto__', { type: 'tap' }]])],
    })
  })
})

describe('numbers and booleans', () => {
  it('are read from text', () => {
    expect(
      batch([tap({ x: '540', y: ' 1200.0 ' }), { type: 'type', text: 'a', clear: 'True' }]),
    ).toMatchObject([tap({ x: 540, y: 1200 }), { type: 'type', text: 'a', clear: true }])
    expect(batch([{ type: 'scroll', direction: 'Down', amount: '0.5' }])).toMatchObject([
      { type: 'scroll', direction: 'down', amount: 0.5 },
    ])
  })

  it('become text where the schema has a text', () => {
    expect(batch([{ type: 'type', text: 1234 }])).toMatchObject([{ text: '1234' }])
  })

  it.each(['', 'x', '1e3', '0x10', '5 px', '1,5'])('are not read from %j', (x) => {
    expect(coerce(z.strictObject({ x: z.number() }), { x })).toEqual({ x })
  })

  it.each(['yes', '1', 'on'])('are not read from %j', (flag) => {
    expect(coerce(z.strictObject({ flag: z.boolean() }), { flag })).toEqual({ flag })
  })
})

describe('a field that is left out', () => {
  const fields = z.strictObject({
    name: z.string().min(1).optional(),
    note: z.string().optional(),
    key: z.string().nullable(),
    kind: z.enum(['log']).optional(),
    at: z.string(),
  })
  it('may be null, or an empty text that the field does not accept', () => {
    expect(coerce(fields, { name: null, note: '', key: null, kind: '', at: '' })).toEqual({
      note: '',
      key: null,
      at: '',
    })
    expect(coerce(fields, { name: '', other: null })).toEqual({})
  })

  it('may be null in every action, as a strict mode of a provider sends it', () => {
    const none = { ref: null, snapshot_id: null, nth: null, id: null, desc: null, x: null, y: null }
    const action = { from: null, to: null, key: null, ms: null, submit: null }
    expect(batch([{ ...action, ...tap({ ...none, ...note }) }])).toEqual([tap(note)])
    expect(batch([{ ...action, ...tap({ ...none, x: '1', y: '2' }) }])).toEqual([tap({ x: 1, y: 2 })])
  })
})

it('puts a single value into a list', () => {
  const schema = z.strictObject({ grant: z.array(z.string()).optional() })
  expect(coerce(schema, { grant: 'android.permission.CAMERA' })).toEqual({
    grant: ['android.permission.CAMERA'],
  })
})

it('does not change arguments that are valid', () => {
  const targets = fc.oneof(
    fc.record({ text: fc.string({ minLength: 1, maxLength: 20 }) }),
    fc.record({ x: fc.nat(2000), y: fc.nat(2000) }),
    fc.record({ id: fc.constantFrom('fab', '#fab') }),
  )
  const actions = fc.oneof(
    fc.record({ type: fc.constant('tap'), target: targets }),
    fc.record({ type: fc.constant('type'), text: fc.string({ minLength: 1, maxLength: 20 }) }),
    fc.record({ type: fc.constant('key'), key: fc.constantFrom('enter', 'home', 'a', '1', 'del') }),
    fc.record({ type: fc.constant('swipe'), from: targets, to: targets }),
  )
  fc.assert(
    fc.property(fc.array(actions, { minLength: 1, maxLength: 5 }), (given) => {
      expect(coerce(act, { phone_id: 'ph_a', actions: given })).toEqual({ phone_id: 'ph_a', actions: given })
    }),
  )
})

it('reads any value for any tool without a failure', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...tools),
      fc.jsonValue(),
      fc.constantFrom('phone_id', 'actions', 'x'),
      (tool, value, name) => {
        const given = { [name]: value }
        expect(() => coerce(tool.input, given)).not.toThrow(TypeError)
      },
    ),
  )
})

describe('names of other tools', () => {
  it.each<[object | string, object]>([
    [{ type: 'click', target: note }, tap(note)],
    [{ type: 'press', target: note }, tap(note)],
    [{ action: 'tap', target: note }, tap(note)],
    ['back', { type: 'back' }],
    [
      { type: 'press', key: 'ENTER' },
      { type: 'key', key: 'enter' },
    ],
    [
      { type: 'longPress', target: note },
      { type: 'long_press', target: note },
    ],
    [
      { type: 'input_text', text: 'a' },
      { type: 'type', text: 'a' },
    ],
    [{ type: 'tap', x: 540.5, y: '1200' }, tap({ x: 541, y: 1200 })],
    [{ type: 'tap', text: 'New note', nth: 1 }, tap({ ...note, nth: 1 })],
    [
      { type: 'type', text: 'a', id: 'title' },
      { type: 'type', text: 'a', target: { id: 'title' } },
    ],
    [{ type: 'tap', target: 'New note' }, tap(note)],
    [{ type: 'tap', target: '#fab' }, tap({ id: '#fab' })],
    [
      { type: 'key', key: 'ctrl+A' },
      { type: 'key', key: 'a', modifiers: ['ctrl'] },
    ],
    [
      { type: 'open_app', package: 'Notes' },
      { type: 'open_app', label: 'Notes' },
    ],
    [
      { type: 'launch_app', app_name: 'Notes' },
      { type: 'open_app', label: 'Notes' },
    ],
    [
      { type: 'open_app', app: 'com.example' },
      { type: 'open_app', package: 'com.example' },
    ],
  ])('reads %j', (action, read) => {
    expect(batch([action])).toMatchObject([read])
  })

  it.each([
    ['ENTER', 'enter'],
    ['Return', 'enter'],
    ['KEYCODE_HOME', 'home'],
    ['KEYCODE_DPAD_UP', 'dpad_up'],
    ['ArrowLeft', 'dpad_left'],
    ['Backspace', 'del'],
    ['KEYCODE_DEL', 'del'],
    ['Esc', 'escape'],
    ['PageDown', 'page_down'],
    ['volume up', 'volume_up'],
    ['KEYCODE_A', 'a'],
    [' ', 'space'],
  ])('reads the key %s', (key, read) => {
    expect(batch([{ type: 'key', key }])).toMatchObject([{ type: 'key', key: read }])
  })

  const refusal = (action: object): string => {
    try {
      batch([action])
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }

  it('answers the exact action for a name with two meanings', () => {
    expect(refusal({ type: 'swipe', direction: 'up' })).toMatch(
      /^`actions\[0\]` has .* A swipe up shows what is below: send \{"type":"scroll","direction":"down"\}\.$/,
    )
    expect(refusal({ type: 'key', key: 'Delete' })).toMatch(
      /^`actions\[0\]\.key` is `del` for the character before the cursor, or `forward_del`/,
    )
  })

  it('leaves a list that is longer than any schema allows to the schema', () => {
    const actions = Array.from({ length: 201 }, () => '{"type":"home"}')
    expect(coerce(z.array(z.object({ type: z.string() })), actions)).toBe(actions)
  })
})
