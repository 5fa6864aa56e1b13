/** Relative times. The tooltip has the exact time. */
import { useSyncExternalStore } from 'react'

/** Milliseconds between two reads of the clock. */
const tickMs = 15_000
const listeners = new Set<() => void>()
let timer: number | undefined
let ticks = 0

function subscribe(onTick: () => void): () => void {
  listeners.add(onTick)
  timer ??= window.setInterval(() => {
    ticks += 1
    for (const each of listeners) each()
  }, tickMs)
  return () => {
    listeners.delete(onTick)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** @param isExact counts seconds below a minute */
export function agoText(at: Date, now: Date, isExact = false): string {
  const seconds = (at.getTime() - now.getTime()) / 1000
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  if (isExact) return relative.format(Math.round(seconds), 'second')
  return seconds > 0 ? 'in less than a minute' : 'just now'
}

/** A relative time. The text follows the clock, even when nothing else on the page changes. */
export function Time({ at, isExact = false }: { at: string; isExact?: boolean }) {
  useSyncExternalStore(subscribe, () => ticks)
  const date = new Date(at)
  return (
    <time dateTime={at} title={exact.format(date)}>
      {agoText(date, new Date(), isExact)}
    </time>
  )
}
