import { expect, it } from 'vitest'
import { plainPainted } from './painted.js'

it('keeps the colors of this program, and removes all else', () => {
  expect(plainPainted('\u001b[31mred\u001b[39m \u001b[8mhidden\u001b[2J\u009b\u202e\nnext')).toBe(
    '\u001b[31mred\u001b[39m hidden\nnext',
  )
})
