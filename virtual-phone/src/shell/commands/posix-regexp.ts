/** POSIX regular expressions, basic and extended, as JavaScript's. On byte strings. Used by grep, sed and `expr`. */
import { UsageError } from '../command.js'

const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: ' \\t',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
}

/** @throws UsageError when it is no good expression */
export function posixRegExp(source: string, how: { extended: boolean; flags?: string }): RegExp {
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
      out += escaped(source[at] ?? '', how.extended)
    } else if (!how.extended && '(){}|+?'.includes(char)) out += `\\${char}`
    else if (!how.extended && char === '*' && (out === '' || out.endsWith('(') || out === '^')) out += '\\*'
    else if (!how.extended && char === '^' && out !== '' && !out.endsWith('(') && !out.endsWith('|'))
      out += '\\^'
    else if (!how.extended && char === '$' && at + 1 < source.length && !/^\\[)|]/.test(source.slice(at + 1)))
      out += '\\$'
    else if (char === '/') out += '\\/'
    else out += char
  }
  try {
    return new RegExp(out, how.flags)
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`bad regex '${source}'`, 2)
    throw error
  }
}

/** A text as an expression that means itself. */
export function literalRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

function escaped(char: string, extended: boolean): string {
  if (!extended && '(){}|+?'.includes(char)) return char
  if (char === '<' || char === '>') return '\\b'
  if (/[0-9nrtwWsSbBdD]/.test(char)) return `\\${char}`
  return char === '' ? '\\\\' : literalRegExp(char)
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
