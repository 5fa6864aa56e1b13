/**
 * POSIX regular expressions, basic and extended, on byte strings: the leftmost and longest match, as
 * `regexec` finds it, in time that grows only with the line (RE2). Tenants choose the patterns, and a pattern
 * with endless backtracking would block every phone of the process. Used by grep and sed.
 */
import { RE2JS, RE2JSException } from 're2js'
import { UsageError } from '../command.js'

const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: ' \\t-\\r',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
}

export interface Match {
  start: number
  end: number
  /** The matches of the groups; null for a group without a match. The first is the whole match. */
  groups: readonly (string | null)[]
}

interface PosixOptions {
  extended: boolean
  ignoreCase?: boolean
}

interface PatternOptions {
  ignoreCase: boolean
  /** Accepts only a match that is not part of a longer word. */
  words?: boolean
  /** Accepts only a match that is the whole line. */
  whole?: boolean
}

/** Refuses expressions that RE2 cannot run in linear time. @throws UsageError for an invalid expression */
export class PosixRegExp {
  private readonly engine: RE2JS
  private readonly words: boolean

  /**
   * @param source returned by `posixSource`
   * @param shown the expression's name in errors
   */
  constructor(source: string, shown: string, { ignoreCase, words = false, whole = false }: PatternOptions) {
    let flags = RE2JS.LONGEST_MATCH | RE2JS.DOTALL | RE2JS.DISABLE_UNICODE_GROUPS
    if (ignoreCase) flags |= RE2JS.CASE_INSENSITIVE
    this.words = words && !whole
    const bounded = this.words ? `(?:^|[^A-Za-z0-9_])(${source})(?:[^A-Za-z0-9_]|$)` : `(?:${source})`
    try {
      this.engine = RE2JS.compile(whole ? `^(?:${source})$` : bounded, flags)
    } catch (error) {
      if (error instanceof RE2JSException) throw new UsageError(`bad regex '${shown}'`, 2)
      throw error
    }
  }

  test(line: string): boolean {
    return this.engine.test(line)
  }

  /** Returns all matches from left to right, without overlaps. */
  *matches(line: string): Generator<Match> {
    const matcher = this.engine.matcher(line)
    const own = this.words ? 1 : 0
    for (let at = 0; at <= line.length && matcher.find(at);) {
      const [start, end] = [matcher.start(own), matcher.end(own)]
      const groups = Array.from({ length: matcher.groupCount() + 1 - own }, (_, i) => matcher.group(i + own))
      yield { start, end, groups }
      at = end > start ? end : end + 1
    }
  }
}

/** @throws UsageError for an invalid expression */
export function posixRegExp(source: string, { extended, ignoreCase = false }: PosixOptions): PosixRegExp {
  return new PosixRegExp(posixSource(source, extended), source, { ignoreCase })
}

/**
 * Returns the expression in RE2's syntax.
 * @throws UsageError
 */
export function posixSource(source: string, extended: boolean): string {
  let out = ''
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? ''
    if (char === '[') {
      const end = bracketEnd(source, at)
      if (end === -1) throw new UsageError(`bad regex '${source}': brackets ([ ]) not balanced`, 2)
      out += bracket(source.slice(at + 1, end))
      at = end
    } else if (char === '\\') {
      at += 1
      out += escaped(source, source[at] ?? '', extended)
    } else if (!extended && '(){}|+?'.includes(char)) out += `\\${char}`
    else if (!extended && char === '*' && (out === '' || out.endsWith('(') || out === '^')) out += '\\*'
    else if (!extended && char === '^' && out !== '' && !out.endsWith('(') && !out.endsWith('|')) out += '\\^'
    else if (!extended && char === '$' && at + 1 < source.length && !/^\\[)|]/.test(source.slice(at + 1)))
      out += '\\$'
    else out += char
  }
  return out
}

/** Returns an expression that matches exactly this text. */
export function literalSource(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function escaped(source: string, char: string, extended: boolean): string {
  if (!extended && '(){}|+?'.includes(char)) return char
  if (char === '<' || char === '>') return '\\b'
  if (/[1-9]/.test(char))
    throw new UsageError(`bad regex '${source}': this phone has no back references (\\${char})`, 2)
  if (/[nrtwWsSbBdD]/.test(char)) return `\\${char}`
  return char === '' ? '\\\\' : literalSource(char)
}

function bracketEnd(source: string, start: number): number {
  let at = start + 1
  if (source[at] === '^') at += 1
  if (source[at] === ']') at += 1
  for (; at < source.length; at++) {
    if (source.startsWith('[:', at)) {
      const close = source.indexOf(':]', at)
      if (close !== -1) at = close + 1
    } else if (source[at] === ']') return at
  }
  return -1
}

function bracket(inside: string): string {
  const negated = inside.startsWith('^')
  const body = (negated ? inside.slice(1) : inside).replace(/\\/g, '\\\\').replace(/^\]/, '\\]')
  const named = body.replace(/\[:([a-z]+):\]/g, (_all, name: string) => classes[name] ?? '')
  return `[${negated ? '^' : ''}${named.replace(/(?<!\\)\[/g, '\\[')}]`
}
