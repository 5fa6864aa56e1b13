/** Durations as people write them. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a number, or of a text such as `90s` or `2m`. @throws TypeError */
export function millisecondsOf(given: number | string): number {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(given)) ?? []
  const ms = typeof given === 'number' ? given : Number(count) * (units[unit] ?? Number.NaN)
  if (ms >= 0 && Number.isFinite(ms)) return ms
  throw new TypeError(
    `${JSON.stringify(given)} is not a duration: give milliseconds, or a text such as \`2m\`.`,
  )
}
