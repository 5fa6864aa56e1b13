/** Parses and formats sizes for people: `1.5K`, `28M`. */
import { UsageError } from '../command.js'

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

/**
 * Parses `512`, `4k`, `1M`.
 * @throws UsageError
 */
export function sizeOf(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)([kKmMgG]?)$/.exec(text) ?? []
  const size = Number(digits) * ({ k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[unit.toLowerCase()] ?? 1)
  if (Number.isNaN(size) || digits === '') throw new UsageError(`bad size '${text}'`)
  return size
}
