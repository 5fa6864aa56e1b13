import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  deleteBackward,
  deleteForward,
  insert,
  moveCursor,
  selectAll,
  selectedText,
  setSelection,
  type EditState,
  type Move,
} from './edit-state.js'

const start = (text: string, at = text.length): EditState => ({ text, anchor: at, head: at })
const moves: Move[] = [
  'left',
  'right',
  'word_left',
  'word_right',
  'line_start',
  'line_end',
  'up',
  'down',
  'start',
  'end',
]

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('a\nbb\nc', '👩‍👩‍👧', 'é', 'नमस्ते', '\n'),
)
const operation = fc.oneof(
  anyText.map((text) => ({ kind: 'insert' as const, text })),
  fc.record({ kind: fc.constant('move' as const), move: fc.constantFrom(...moves), extend: fc.boolean() }),
  fc.constantFrom({ kind: 'backward' as const }, { kind: 'forward' as const }, { kind: 'all' as const }),
)

/** The reference model: the text before, in and after the selection. */
function parts(s: EditState): [string, string, string] {
  const [a, b] = [Math.min(s.anchor, s.head), Math.max(s.anchor, s.head)]
  return [s.text.slice(0, a), s.text.slice(a, b), s.text.slice(b)]
}
const graphemes = (text: string): string[] =>
  Array.from(new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text), (g) => g.segment)

describe('editing', () => {
  it('agrees with a plain string model for any sequence of operations', () => {
    fc.assert(
      fc.property(anyText, fc.array(operation, { maxLength: 30 }), (text, operations) => {
        const s = start(text)
        for (const op of operations) {
          const [before, chosen, after] = parts(s)
          if (op.kind === 'insert') {
            insert(s, op.text)
            expect(s).toEqual(start(before + op.text + after, before.length + op.text.length))
          } else if (op.kind === 'backward') {
            deleteBackward(s)
            const kept = chosen === '' ? graphemes(before).slice(0, -1).join('') : before
            expect(s).toEqual(start(kept + after, kept.length))
          } else if (op.kind === 'forward') {
            deleteForward(s)
            const rest = chosen === '' ? graphemes(after).slice(1).join('') : after
            expect(s).toEqual(start(before + rest, before.length))
          } else if (op.kind === 'all') {
            selectAll(s)
            expect(selectedText(s)).toBe(s.text)
          } else {
            const { text: was, anchor } = s
            moveCursor(s, op.move, op.extend)
            expect(s.text).toBe(was)
            expect(s.head).toBeGreaterThanOrEqual(0)
            expect(s.head).toBeLessThanOrEqual(was.length)
            expect(s.anchor).toBe(op.extend ? anchor : s.head)
          }
        }
      }),
    )
  })

  it('moves left and right by graphemes, and returns to the start', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const s = start(text)
        const count = graphemes(text).length
        for (let i = 0; i < count; i++) moveCursor(s, 'left', false)
        expect(s.head).toBe(0)
        for (let i = 0; i < count; i++) moveCursor(s, 'right', false)
        expect(s.head).toBe(text.length)
      }),
    )
  })

  it('deletes a family emoji as one unit', () => {
    const s = start('a👩‍👩‍👧')
    deleteBackward(s)
    expect(s.text).toBe('a')
  })

  it('keeps the column between lines', () => {
    const s = start('abcd\nxy\nlonger', 3)
    moveCursor(s, 'down', false)
    expect(s.head).toBe(7)
    moveCursor(s, 'up', false)
    expect(s.head).toBe(2)
  })

  it('clamps a selection to the text', () => {
    const s = start('abc')
    setSelection(s, -4, 99)
    expect([s.anchor, s.head]).toEqual([0, 3])
  })
})
