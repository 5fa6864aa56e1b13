/** Money: integer micro-dollars internally, decimal strings with six places in the API. */

const microsPerUsd = 1_000_000n

/** `12.345678` for 12345678n; a minus sign for negative amounts. */
export function formatUsd(micros: bigint): string {
  const sign = micros < 0n ? '-' : ''
  const digits = (micros < 0n ? -micros : micros).toString().padStart(7, '0')
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/**
 * Parses dollars with up to six decimal places.
 * @throws RangeError for any other text.
 */
export function parseUsd(text: string): bigint {
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text)
  if (!match) throw new RangeError(`not an amount in dollars: ${text}`)
  const micros = BigInt(match[2] ?? '0') * microsPerUsd + BigInt((match[3] ?? '').padEnd(6, '0'))
  return match[1] ? -micros : micros
}
