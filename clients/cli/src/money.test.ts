/** Amounts for people. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dollars } from './money.js'

it.each([
  ['12.500000', '$12.50'],
  ['0.000000', '$0.00'],
  ['0.001000', '$0.001'],
  ['-1.234567', '$-1.234567'],
  ['100.000000', '$100.00'],
])('writes %s as %s', (amount, text) => expect(dollars(amount)).toBe(text))

it('never changes the amount', () => {
  const cents = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 })
  fc.assert(
    fc.property(cents, (micros) => {
      const amount = (micros / 1_000_000).toFixed(6)
      expect(Number(dollars(amount).slice(1))).toBe(Number(amount))
    }),
  )
})
