import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatUsd, parseUsd } from './money.js'

test('formatting and parsing are inverse, with exactly six decimals [1.17]', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (micros) => {
      const text = formatUsd(micros)
      expect(text).toMatch(/^-?\d+\.\d{6}$/)
      expect(parseUsd(text)).toBe(micros)
    }),
  )
})

test('known amounts', () => {
  expect(formatUsd(0n)).toBe('0.000000')
  expect(formatUsd(900_000n)).toBe('0.900000')
  expect(formatUsd(-1n)).toBe('-0.000001')
  expect(parseUsd('10')).toBe(10_000_000n)
  expect(parseUsd('0.5')).toBe(500_000n)
})

test.each(['', '.5', '1.', '1.1234567', '1e3', ' 1', '+1', '0x1', '1,5'])('refuses %j', (text) => {
  expect(() => parseUsd(text)).toThrow(RangeError)
})
