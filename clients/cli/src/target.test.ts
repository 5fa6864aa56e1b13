/** Targets from options. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pointOf, requiredTarget, targetOf, wholeNumber } from './target.js'

const snapshot = 'snp_aaaaaaaaaaaa'

it('reads each form', () => {
  expect(targetOf({ text: 'Next' })).toEqual({ text: 'Next' })
  expect(targetOf({ text: 'Next', nth: '0' })).toEqual({ text: 'Next', nth: 0 })
  expect(targetOf({ id: 'com.example:id/next' })).toEqual({ id: 'com.example:id/next' })
  expect(targetOf({ desc: 'Back' })).toEqual({ desc: 'Back' })
  expect(targetOf({ ref: '3', snapshot })).toEqual({ ref: 3, snapshot_id: snapshot })
  expect(targetOf({ xy: '540, 1200' })).toEqual({ x: 540, y: 1200 })
  expect(targetOf({})).toBeUndefined()
})

it('uses the last snapshot of the shell for --ref', () => {
  expect(targetOf({ ref: '3' }, snapshot)).toEqual({ ref: 3, snapshot_id: snapshot })
  expect(() => targetOf({ ref: '3' })).toThrow('--ref needs --snapshot.')
})

it.each([
  [{ text: 'a', id: 'b' }, /one target/],
  [{ id: 'b', nth: '1' }, /--nth needs --text/],
  [{ text: 'a', snapshot }, /--snapshot needs --ref/],
  [{ text: 'a', nth: '-1' }, /whole number from 0/],
  [{ ref: '0', snapshot }, /whole number from 1/],
  [{ xy: '540' }, /point in device pixels/],
  [{ xy: '1,2,3' }, /point in device pixels/],
])('refuses %j', (flags, message) => {
  expect(() => targetOf(flags)).toThrow(message)
})

it('needs a target where one is required', () => {
  expect(() => requiredTarget({}, null)).toThrow('The target is missing.')
})

it('keeps any text as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(targetOf({ text })).toEqual({ text })
    }),
  )
})

it('reads back every point and whole number', () => {
  const pixel = fc.integer({ min: -999_999, max: 999_999 })
  fc.assert(
    fc.property(pixel, pixel, (x, y) => {
      expect(pointOf(`${x},${y}`, '--xy')).toEqual({ x, y })
    }),
  )
  fc.assert(
    fc.property(fc.nat(), (n) => {
      expect(wholeNumber(String(n), '--nth', 0)).toBe(n)
    }),
  )
})

it('never returns a number that is not one', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(Number.isSafeInteger(wholeNumber(text, '--nth', 0))).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({ name: 'UsageError' })
      }
    }),
  )
})
