/** The code by which a person proves that the terminal in front of them is the one that asks: 40 random bits. */
import { randomBytes } from 'node:crypto'
import { hashSecret } from '@phonerack/shared'

/** No I, O, 0 and 1, which people mix up. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const length = 8

/** For example `7KQM-2XPA`. */
export function newUserCode(): string {
  const letters = [...randomBytes(length)].map((byte) => alphabet.charAt(byte & 31)).join('')
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`
}

/** The code as it was shown, however it was typed; null when it cannot be one. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '')
  if (letters.length !== length || Array.from(letters).some((letter) => !alphabet.includes(letter)))
    return null
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`
}

/** What is stored of it. */
export const hashUserCode = (code: string): string => hashSecret(code)
