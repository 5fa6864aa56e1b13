/** Flag values that several commands read. */
import { UsageError } from './usage-error.js'

/** @throws UsageError */
export function oneOf<T extends string>(
  name: string,
  value: string | boolean | undefined,
  allowed: readonly T[],
): T {
  const found = allowed.find((each) => each === value)
  if (found === undefined) throw new UsageError(`--${name} must be one of ${allowed.join(', ')}`)
  return found
}

/** `--limit` and `--before` of a paginated list. @throws UsageError */
export function pageFrom(flags: Readonly<Record<string, string | boolean>>): {
  limit: number
  before?: string
} {
  const { limit = '50', before } = flags
  if (typeof limit !== 'string' || !/^([1-9]\d?|100)$/.test(limit))
    throw new UsageError('--limit must be 1 to 100')
  return { limit: Number(limit), ...(typeof before === 'string' ? { before } : {}) }
}

/** The line with the command for the next page. */
export const olderHint = (next: string | null): string => (next === null ? '' : `\n\nOlder: --before ${next}`)

const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }

/** A duration such as `5s`, `30m`, `1h` or `2d`, in seconds. @throws UsageError */
export function duration(name: string, value: string | boolean): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(String(value)) ?? []
  if (count === undefined || unit === undefined)
    throw new UsageError(`--${name} must be a duration such as 5s, 30m or 1h, not ${value}`)
  return Number(count) * seconds[unit as keyof typeof seconds]
}

/** An amount in dollars, as text. @throws UsageError */
export function usd(name: string, value: string | boolean, mayBeNegative: boolean): string {
  const text = String(value)
  if (!/^-?\d{1,12}(\.\d{1,6})?$/.test(text) || (text.startsWith('-') && !mayBeNegative))
    throw new UsageError(`--${name} must be an amount in dollars with at most six decimals, not ${text}`)
  return text
}
