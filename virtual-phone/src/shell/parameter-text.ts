/** Applies `${x#a}`, `${x%a}`, `${x/a/b}` and `${x:1:2}` to a value. Used by `expand.ts`. */
import { matches, type Pattern } from './pattern.js'

type TextChange =
  | { kind: 'prefix' | 'suffix'; longest: boolean; pattern: Pattern }
  | { kind: 'replace'; all: boolean; pattern: Pattern; replacement: string }
  | { kind: 'slice'; offset: number; length: number | null }

export function changeText(value: string, change: TextChange): string {
  switch (change.kind) {
    case 'prefix':
    case 'suffix':
      return cut(value, change)
    case 'replace':
      return replace(value, change)
    case 'slice':
      return slice(value, change.offset, change.length)
  }
}

function cut(value: string, change: TextChange & { kind: 'prefix' | 'suffix' }): string {
  const lengths = Array.from({ length: value.length + 1 }, (_, index) => index)
  if (change.longest) lengths.reverse()
  for (const length of lengths) {
    const [part, rest] =
      change.kind === 'prefix'
        ? [value.slice(0, length), value.slice(length)]
        : [value.slice(value.length - length), value.slice(0, value.length - length)]
    if (matches(change.pattern, part)) return rest
  }
  return value
}

/** The longest match at each place is replaced, as in mksh. */
function replace(value: string, change: TextChange & { kind: 'replace' }): string {
  let out = ''
  let at = 0
  while (at < value.length) {
    const length = longestMatch(value, at, change.pattern)
    if (length > 0) {
      out += change.replacement
      at += length
      if (!change.all) return out + value.slice(at)
    } else out += value[at++] ?? ''
  }
  return out
}

function longestMatch(value: string, at: number, pattern: Pattern): number {
  for (let length = value.length - at; length > 0; length--) {
    if (matches(pattern, value.slice(at, at + length))) return length
  }
  return 0
}

function slice(value: string, offset: number, length: number | null): string {
  const start = offset < 0 ? Math.max(0, value.length + offset) : offset
  if (length === null) return value.slice(start)
  return length < 0 ? value.slice(start, value.length + length) : value.slice(start, start + length)
}
