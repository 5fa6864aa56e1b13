/** Computes when a live view ends if nothing changes, and why. Pure; used by `viewer.ts`. */
import { parkTime } from '../../rental/phones/timing.js'
import { type ViewEnd } from './page/wire.js'
import { type LinkRow } from './standing.js'

/** Milliseconds before the end at which the page warns. */
const warnsBeforeMs = 60_000

/** Whether the person of this link has taken the phone over from agents. */
export const hasTakeOver = ({ handoffStatus, takenUntil }: LinkRow): boolean =>
  handoffStatus === 'taken' || takenUntil !== null

/**
 * Returns the earliest end among the link, the take-over, the session, or the idle time. @param isPresent the
 * page is visible and holds a take-over, which keeps the phone awake: its idle time does not count
 */
export function endOf(row: LinkRow, isPresent: boolean): ViewEnd {
  const { startedAt, idleTimeout, maxDuration, lastActiveAt, takenUntil } = row
  const session = { startedAt: startedAt.getTime(), idleTimeout, maxDuration }
  const park = parkTime('ready', session, isPresent ? null : (lastActiveAt?.getTime() ?? null))
  const ends: ViewEnd[] = [
    end(row.handoffStatus === 'taken' ? 'take_over' : 'link', row.expiresAt.getTime()),
    park.reason === 'idle'
      ? // With a short idle time, the page would otherwise always show the warning.
        end('idle', park.at, Math.min(warnsBeforeMs, (idleTimeout * 1000) / 2))
      : end('session', park.at),
  ]
  if (takenUntil) ends.push(end('take_over', takenUntil.getTime()))
  return ends.reduce((first, each) => (each.at < first.at ? each : first))
}

const end = (reason: ViewEnd['reason'], at: number, beforeMs = warnsBeforeMs): ViewEnd => ({
  reason,
  at,
  warnsAt: at - beforeMs,
})
