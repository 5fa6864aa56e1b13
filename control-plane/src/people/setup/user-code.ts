/** The code of 40 random bits by which a person confirms that they approve the terminal in front of them. */
import { randomBytes } from 'node:crypto'
import { hashSecret } from '@phonerack/shared'

/** The alphabet omits I, O, 0 and 1, which people confuse. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const length = 8

/** Returns a code such as `7KQM-2XPA`. */
export function newUserCode(): string {
  const letters = [...randomBytes(length)].map((byte) => alphabet.charAt(byte & 31)).join('')
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`
}

/** Normalises a typed code; null if it is malformed. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '')
  if (letters.length !== length || Array.from(letters).some((letter) => !alphabet.includes(letter)))
    return null
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`
}

/** Returns the form in which the database stores the code. */
export const hashUserCode = (code: string): string => hashSecret(code)
