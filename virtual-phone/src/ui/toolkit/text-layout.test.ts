import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textWidth } from './fonts.js'
import { layoutText } from './text-layout.js'

const format = { sizePx: 42, weight: 400, maxLines: 1000 } as const

describe('text layout', () => {
  it('places every unit of the text on exactly one line, no wider than the width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.integer({ min: 120, max: 900 }),
        (text, room) => {
          const { lines } = layoutText(text, room, format)
          let at = 0
          for (const line of lines) {
            expect(line.start === at || (line.start === at + 1 && text[at] === '\n')).toBe(true)
            at = line.end
            // One grapheme can be wider than the width and cannot be broken.
            const single = [...new Intl.Segmenter('und').segment(line.text)].length <= 1
            if (!single) expect(textWidth(line.text, 42, 400)).toBeLessThanOrEqual(room)
          }
          expect(at).toBe(text.length)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('breaks after spaces', () => {
    expect(layoutText('hello world again', 260, format).lines.map((line) => line.text)).toEqual([
      'hello world',
      'again',
    ])
  })

  it('ends the last line with an ellipsis when more would follow', () => {
    const cut = layoutText('Milk\nBread\nApples', 900, { ...format, maxLines: 2 })
    expect(cut.lines.map((line) => line.text)).toEqual(['Milk', 'Bread…'])
    const [line] = layoutText('a very long line that does not fit', 300, { ...format, maxLines: 1 }).lines
    expect(line?.text).toMatch(/^a very.*…$/)
    expect(line?.width).toBeLessThanOrEqual(300)
  })

  it('continues from an earlier layout with the same result as a new layout', () => {
    const words = fc.string({
      unit: fc.constantFrom('a', 'W', ' ', '\n', 'é', '山', '👩‍👩‍👧', '\u0301', 'ש'),
      maxLength: 60,
    })
    fc.assert(
      fc.property(
        words,
        words,
        words,
        words,
        fc.integer({ min: 60, max: 600 }),
        (head, old, now, tail, room) => {
          const text = head + old + tail
          const earlier = { text, room, format, block: layoutText(text, room, format) }
          const next = head + now + tail
          expect(layoutText(next, room, format, earlier)).toEqual(layoutText(next, room, format))
        },
      ),
      { numRuns: 200 },
    )
  })
})
