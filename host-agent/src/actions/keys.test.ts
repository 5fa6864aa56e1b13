import { keyModifiers, keyNames } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { keyCode, metaState } from './keys.js'

it('maps every key of the API to a distinct code', () => {
  const codes = keyNames.map(keyCode)
  expect(codes.every((code) => Number.isInteger(code) && code > 0)).toBe(true)
  expect(new Set(codes).size).toBe(keyNames.length)
})

it('agrees with android.view.KeyEvent [31.25]', () => {
  expect(['a', 'z', '0', '9', 'enter', 'del', 'back', 'home'].map(keyCode)).toEqual([
    29, 54, 7, 16, 66, 67, 4, 3,
  ])
  expect(keyModifiers.map((modifier) => metaState([modifier]))).toEqual([0x41, 0x3000, 0x12, 0x30000])
  expect(metaState(['ctrl', 'shift', 'ctrl'])).toBe(0x3041)
  expect(() => keyCode('any')).toThrow(RangeError)
})
