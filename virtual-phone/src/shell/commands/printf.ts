/** `printf` on byte strings. Used by `text.ts` and `stat`. */
import { unescape } from '../escapes.js'

interface Formatted {
  text: string
  error: string | null
}

/** Repeats the format while arguments remain, as POSIX requires. */
export function formatPrintf(format: string, args: readonly string[]): Formatted {
  let text = ''
  let error: string | null = null
  let next = 0
  const take = () => args[next++]
  do {
    const before = next
    const parts = format.matchAll(
      /%(%|[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[a-zA-Z])|((?:[^%\\]|\\[^]|\\$)+)|(%)/g,
    )
    for (const [, spec, literal] of parts) {
      if (literal !== undefined) {
        const done = unescape(literal, false)
        text += done.text
        if (done.stopped) return { text, error }
      } else if (spec === '%') text += '%'
      else if (spec === undefined) return { text, error: "bad '%'" }
      else {
        const done = directive(spec, take)
        text += done.text
        error ??= done.error
        if (done.stopped) return { text, error }
      }
    }
    if (next === before) break
  } while (next < args.length)
  return { text, error }
}

function directive(spec: string, take: () => string | undefined): Formatted & { stopped: boolean } {
  const [, flags = '', width = '', precision, letter = ''] =
    /^([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?([a-zA-Z])$/.exec(spec) ?? []
  const wide = width === '*' ? Number(take() ?? '0') : Number(width)
  const precise =
    precision === undefined ? null : precision === '*' ? Number(take() ?? '0') : Number(precision)
  const arg = take()
  const pad = (value: string) => {
    const left = flags.includes('-') || wide < 0
    const zero = flags.includes('0') && !left && !'sbc'.includes(letter)
    if (left) return value.padEnd(Math.abs(wide))
    if (!zero) return value.padStart(wide)
    const sign = /^[-+]/.exec(value)?.[0] ?? ''
    return sign + value.slice(sign.length).padStart(wide - sign.length, '0')
  }
  switch (letter) {
    case 's':
      return { text: pad((arg ?? '').slice(0, precise ?? undefined)), error: null, stopped: false }
    case 'b': {
      const done = unescape(arg ?? '', true)
      return { text: pad(done.text), error: null, stopped: done.stopped }
    }
    case 'c':
      return { text: pad((arg ?? '').slice(0, 1)), error: null, stopped: false }
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      const value = numberOf(arg)
      const base = letter === 'o' ? 8 : letter.toLowerCase() === 'x' ? 16 : 10
      const digits = Math.trunc(Math.abs(value.number))
        .toString(base)
        .padStart(precise ?? 0, '0')
      const sign = value.number < 0 ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
      const prefix = flags.includes('#') && base === 16 ? '0x' : flags.includes('#') && base === 8 ? '0' : ''
      const shown = sign + prefix + digits
      return { text: pad(letter === 'X' ? shown.toUpperCase() : shown), error: value.error, stopped: false }
    }
    case 'f':
    case 'e':
    case 'g': {
      const value = numberOf(arg)
      const shown =
        letter === 'f'
          ? value.number.toFixed(precise ?? 6)
          : letter === 'e'
            ? value.number.toExponential(precise ?? 6)
            : String(value.number)
      return { text: pad(shown), error: value.error, stopped: false }
    }
    default:
      return { text: '', error: `bad '%${spec}'`, stopped: true }
  }
}

function numberOf(arg: string | undefined): { number: number; error: string | null } {
  if (arg === undefined || arg === '') return { number: 0, error: null }
  if (arg.startsWith("'") || arg.startsWith('"')) return { number: arg.charCodeAt(1) || 0, error: null }
  const octal = /^[-+]?0[0-7]+$/.test(arg)
  const number = octal ? parseInt(arg, 8) : Number(arg)
  if (Number.isNaN(number)) return { number: parseFloat(arg) || 0, error: `'${arg}' not a number` }
  return { number, error: null }
}
