/** Sizes as people read them: `1.5K`, `28M`. */

export function human(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < 4) {
    value /= 1024
    unit += 1
  }
  return unit === 0
    ? String(bytes)
    : `${value < 10 ? value.toFixed(1) : Math.round(value)}${'KMGT'[unit - 1] ?? ''}`
}
