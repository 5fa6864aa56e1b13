/** The virtual keyboard's key map (Android's `Virtual.kcm`): the character of a key code with its modifiers. */
import { META } from './keys.js'

const LETTER_A = 29
const DIGIT_0 = 7
const NUMPAD_0 = 144
const SHIFTED_DIGITS = ')!@#$%^&*('
const SIGNS: Record<number, readonly [string, string]> = {
  17: ['*', '*'],
  18: ['#', '#'],
  55: [',', '<'],
  56: ['.', '>'],
  62: [' ', ' '],
  68: ['`', '~'],
  69: ['-', '_'],
  70: ['=', '+'],
  71: ['[', '{'],
  72: [']', '}'],
  73: ['\\', '|'],
  74: [';', ':'],
  75: ["'", '"'],
  76: ['/', '?'],
  77: ['@', '@'],
  81: ['+', '+'],
  154: ['/', '/'],
  155: ['*', '*'],
  156: ['-', '-'],
  157: ['+', '+'],
  158: ['.', '.'],
  159: [',', ','],
  161: ['=', '='],
  162: ['(', '('],
  163: [')', ')'],
}

/** Returns the character, or undefined for a key that types no character. */
export function characterOf(keyCode: number, meta: number): string | undefined {
  const shift = (meta & META.shift) !== 0
  if (keyCode >= LETTER_A && keyCode < LETTER_A + 26) {
    const letter = String.fromCharCode(97 + keyCode - LETTER_A)
    return shift !== ((meta & META.capsLock) !== 0) ? letter.toUpperCase() : letter
  }
  if (keyCode >= DIGIT_0 && keyCode < DIGIT_0 + 10)
    return shift ? SHIFTED_DIGITS[keyCode - DIGIT_0] : String(keyCode - DIGIT_0)
  if (keyCode >= NUMPAD_0 && keyCode < NUMPAD_0 + 10) return String(keyCode - NUMPAD_0)
  return SIGNS[keyCode]?.[shift ? 1 : 0]
}
