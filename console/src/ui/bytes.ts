const sizes = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** A size for people, with units of powers of 1,000. */
export function bytesText(bytes: number): string {
  let [value, at] = [bytes, 0]
  while (value >= 1000 && at < sizes.length - 1) [value, at] = [value / 1000, at + 1]
  const text = at > 0 && value < 10 ? value.toFixed(1) : String(Math.round(value))
  return `${text} ${sizes[at]}`
}
