/** Merges the steps of a phone with the calls that were refused while a person controlled the phone. Pure. */
import { type ActivityEntry, type Step } from '../../api/types'

/** A group of refused calls without a step between them. */
export interface Refused {
  kind: 'refused'
  id: string
  /** The time of the newest call. */
  at: string
  text: string
  count: number
}

type TimelineEntry = { kind: 'step'; step: Step } | Refused

/** @param refused newest first, like `steps`; `isWhole`: no earlier steps exist */
export function timelineOf(
  steps: readonly Step[],
  refused: readonly ActivityEntry[],
  isWhole: boolean,
): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  const calls = refused.filter(({ code }) => code === 'phone_controlled')
  let next = 0
  /** Adds the calls after `since`. */
  const add = (since: number): void => {
    const from = next
    while (next < calls.length && Date.parse(calls[next]?.at ?? '') > since) next += 1
    const newest = calls[from]
    if (next === from || !newest) return
    const { id, at, text } = newest
    entries.push({ kind: 'refused', id, at, text, count: next - from })
  }
  for (const step of steps) {
    add(Date.parse(step.started_at))
    entries.push({ kind: 'step', step })
  }
  if (isWhole) add(-Infinity)
  return entries
}
