/** Durations on the command line: `500ms`, `10s`, `5m`, `1h`; a number alone is seconds. */
import { UsageError } from './usage-error.js'

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** Timers of Node.js hold milliseconds in 31 bits, and fire immediately for longer times. */
const longestMs = 2 ** 31 - 1

/** Milliseconds. @param option named in the error */
export function durationMs(text: string, option: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text)
  if (!match) throw new UsageError(`\`${option}\` must be a duration such as 500ms, 10s, 5m or 1h.`)
  const ms = Math.round(Number(match[1]) * units[(match[2] ?? 's') as keyof typeof units])
  if (ms > longestMs) throw new UsageError(`\`${option}\` must be at most 24 days.`)
  return ms
}

/** Whole seconds. */
export function durationSeconds(text: string, option: string): number {
  const ms = durationMs(text, option)
  if (ms % 1000 !== 0) throw new UsageError(`\`${option}\` must be whole seconds.`)
  return ms / 1000
}

/** A duration for people: `45 s`, `5 min`, `2 h`, `3 d`. */
export function humanMs(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (seconds < 90) return `${seconds} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** `in 5 min`, `2 h ago`; null stays null. */
export function relative(time: string | null | undefined, now: number): string | null {
  const at = time === null || time === undefined ? Number.NaN : Date.parse(time)
  if (Number.isNaN(at)) return null
  return at >= now ? `in ${humanMs(at - now)}` : `${humanMs(now - at)} ago`
}
