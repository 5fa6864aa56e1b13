/**
 * The shell's patterns (`*`, `?`, `[…]`) on byte strings, in linear space and
 * at most quadratic time. Used for `case`, `[[ ]]`, `${x#…}` and file
 * names.
 */

/** Text of a pattern; quoted characters are literal. */
export interface Piece {
  text: string
  quoted: boolean
}

type Token =
  | { kind: 'char'; char: string }
  | { kind: 'any' }
  | { kind: 'star' }
  | { kind: 'class'; negated: boolean; ranges: readonly (readonly [string, string])[] }

export type Pattern = readonly Token[]

export function compile(pieces: readonly Piece[]): Pattern {
  const chars = pieces.flatMap((piece) =>
    Array.from(piece.text).map((char) => ({ char, quoted: piece.quoted })),
  )
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const here = chars[at]
    if (here === undefined) break
    if (here.quoted) tokens.push({ kind: 'char', char: here.char })
    else if (here.char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (here.char === '?') tokens.push({ kind: 'any' })
    else if (here.char === '\\' && chars[at + 1] !== undefined) {
      at += 1
      tokens.push({ kind: 'char', char: chars[at]?.char ?? '' })
    } else if (here.char === '[') {
      const end = classEnd(chars, at)
      if (end === -1) tokens.push({ kind: 'char', char: '[' })
      else {
        tokens.push(classToken(chars.slice(at + 1, end).map((c) => c.char)))
        at = end
      }
    } else tokens.push({ kind: 'char', char: here.char })
  }
  return tokens
}

export function compileText(text: string): Pattern {
  return compile([{ text, quoted: false }])
}

export function hasWildcard(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => !piece.quoted && /[*?[]/.test(piece.text))
}

/** Matches the whole of `text`. Backtracks only to the last star, so the time stays quadratic. */
export function matches(pattern: Pattern, text: string): boolean {
  let at = 0
  let token = 0
  let starToken = -1
  let starAt = 0
  while (at < text.length) {
    const here = pattern[token]
    if (here?.kind === 'star') {
      starToken = token++
      starAt = at
    } else if (here !== undefined && matchesOne(here, text[at] ?? '')) {
      token += 1
      at += 1
    } else if (starToken >= 0) {
      token = starToken + 1
      at = ++starAt
    } else return false
  }
  while (pattern[token]?.kind === 'star') token += 1
  return token === pattern.length
}

function matchesOne(token: Token, char: string): boolean {
  switch (token.kind) {
    case 'any':
      return true
    case 'star':
      return false
    case 'char':
      return token.char === char
    case 'class':
      return token.ranges.some(([from, to]) => char >= from && char <= to) !== token.negated
  }
}

function classEnd(chars: readonly { char: string }[], start: number): number {
  let at = start + 1
  if (chars[at]?.char === '!' || chars[at]?.char === '^') at += 1
  if (chars[at]?.char === ']') at += 1
  for (; at < chars.length; at++) {
    if (chars[at]?.char === '[' && chars[at + 1]?.char === ':') {
      const close = chars.findIndex(
        (c, index) => index > at + 1 && c.char === ':' && chars[index + 1]?.char === ']',
      )
      if (close !== -1) at = close + 1
    } else if (chars[at]?.char === ']') return at
  }
  return -1
}

const named: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  alnum: [
    ['0', '9'],
    ['A', 'Z'],
    ['a', 'z'],
  ],
  alpha: [
    ['A', 'Z'],
    ['a', 'z'],
  ],
  blank: [
    [' ', ' '],
    ['\t', '\t'],
  ],
  digit: [['0', '9']],
  lower: [['a', 'z']],
  space: [
    ['\t', '\r'],
    [' ', ' '],
  ],
  upper: [['A', 'Z']],
  xdigit: [
    ['0', '9'],
    ['A', 'F'],
    ['a', 'f'],
  ],
}

function classToken(chars: string[]): Token {
  const negated = chars[0] === '!' || chars[0] === '^'
  const inside = negated ? chars.slice(1) : chars
  const ranges: (readonly [string, string])[] = []
  for (let at = 0; at < inside.length; at++) {
    const char = inside[at] ?? ''
    const name = /^\[:([a-z]+):\]/.exec(inside.slice(at, at + 12).join(''))
    const to = inside[at + 2]
    if (name !== null) {
      ranges.push(...(named[name[1] ?? ''] ?? []))
      at += name[0].length - 1
    } else if (inside[at + 1] === '-' && to !== undefined) {
      ranges.push([char, to])
      at += 2
    } else ranges.push([char, char])
  }
  return { kind: 'class', negated, ranges }
}
