/** Properties of the last line of an output that arrives in chunks. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLastLine } from './last-line.js'

const word = fc.stringMatching(/^[a-zé語]{1,12}( [a-zé語]{1,12}){0,3}$/)

describe('the last line of an output', () => {
  it('does not depend on how the output is cut', () => {
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.array(fc.nat(200), { maxLength: 6 }),
        (lines, ends, cuts) => {
          const output = Buffer.from(lines.join('\n') + (ends ? '\n' : ''))
          const line = createLastLine()
          let from = 0
          for (const cut of [...cuts.map((each) => each % output.length), output.length].sort(
            (a, b) => a - b,
          )) {
            line.add(output.subarray(from, cut))
            from = cut
          }
          expect(line.text).toBe(lines.at(-1))
        },
      ),
    )
  })

  it('is bounded, and empty without output', () => {
    const line = createLastLine()
    expect(line.text).toBe('')
    for (let index = 0; index < 100; index++) line.add(Buffer.alloc(1000, 'a'))
    expect(line.text.length).toBe(4000)
  })
})
