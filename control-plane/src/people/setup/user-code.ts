/**
 * The code with which a person confirms that they approve the terminal in front of them: 40 random
 * bits.
 */
import { randomBytes } from 'node:crypto'
import { hashSecret } from '@phonerack/shared'

/** Without I, O, 0 and 1, which people confuse. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const length = 8

/** For example `7KQM-2XPA`. */
export function newUserCode(): string {
  const letters = [...randomBytes(length)].map((byte) => alphabet.charAt(byte & 31)).join('')
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`
}

/** Normalises a typed code; null when it is malformed. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '')
  if (letters.length !== length || Array.from(letters).some((letter) => !alphabet.includes(letter)))
    return null
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`
}

/** The stored form of the code. */
export const hashUserCode = (code: string): string => hashSecret(code)
