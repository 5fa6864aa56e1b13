/** Computes how long the credit of a project lasts. Pure. */
import { affordableSeconds, type Price } from './arithmetic.js'

const daySeconds = 86_400n

export interface Pace {
  /** Open sessions, and the seconds for which they have run. */
  open: number
  openSeconds: number
  /** The charge of the last 24 hours. */
  lastDayMicros: bigint
}

export interface Outlook {
  /** `empty`: the project cannot start another session. `low`: the credit lasts for less than a day. */
  state: 'ok' | 'low' | 'empty'
  /**
   * The cost of a day: the cost of the sessions that are open now, or of the last 24 hours, whichever is
   * higher.
   */
  perDayMicros: bigint
  /** How long the credit lasts; null: the project spends nothing. */
  lastsSeconds: number | null
}

/** @param money the project's totals; open sessions are charged when they end */
export function outlookOf(
  price: Price,
  { balanceMicros, reservedMicros }: { balanceMicros: bigint; reservedMicros: bigint },
  { open, openSeconds, lastDayMicros }: Pace,
): Outlook {
  const runningMicros = BigInt(open) * price.perSecondMicros * daySeconds
  const perDayMicros = runningMicros > lastDayMicros ? runningMicros : lastDayMicros
  const used = balanceMicros - BigInt(openSeconds) * price.perSecondMicros
  const left = used > 0n ? used : 0n
  const lastsSeconds = perDayMicros === 0n ? null : Number((left * daySeconds) / perDayMicros)
  if (affordableSeconds(price, balanceMicros - reservedMicros) === 0)
    return { state: 'empty', perDayMicros, lastsSeconds }
  const isLow = lastsSeconds !== null && lastsSeconds < Number(daySeconds)
  return { state: isLow ? 'low' : 'ok', perDayMicros, lastsSeconds }
}
