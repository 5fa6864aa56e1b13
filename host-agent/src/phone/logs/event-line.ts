/**
 * Crashes, hangs and new notifications from lines of `logcat -b events -v threadtime,epoch,nsec,uid`. Pure. Forms: AOSP
 * `EventLogTags.logtags` of ActivityManager and NotificationManager, Android 10 to 16. Used by `watch.ts`.
 */
import { createHash } from 'node:crypto'
import type { CrashKind } from '../../adb/device/reports.js'

type Observed =
  | { kind: 'crash'; crash: CrashKind; package: string; pid: number; exception: string | null }
  | { kind: 'notification'; package: string; key: string }

export type Observation = Observed & {
  /** The ID of the line, which is the same each time the line is read. */
  id: string
  /** The time by the phone's clock. */
  at: Date
}

export const watchedTags = ['am_crash', 'am_anr', 'notification_enqueue'] as const

const prefix =
  /^\s*(\d{1,12})\.(\d{9})\s+(\S+)\s+(\d{1,9})\s+(\d{1,9}) [VDIWEF] (am_crash|am_anr|notification_enqueue)\s*: (.*)$/

/** Only the system writes these events. An app can write to the buffer, too, under its own user. */
const systemUsers = new Set(['1000', 'system'])

export class EventLines {
  /** The last message. Each of its lines repeats time and thread, so no line can be another event. */
  private last: { written: string; tag: string; message: string; lines: number; isRead: boolean } | null =
    null

  /** Returns null for a line that is not a reported event. */
  read(line: string): Observation | null {
    const [, seconds = '', nanoseconds = '', user = '', pid = '', tid = '', tag = '', message = ''] =
      prefix.exec(line) ?? []
    if (tag === '' || !systemUsers.has(user)) return null
    const written = `${seconds}.${nanoseconds}.${pid}.${tid}`
    const begun = this.last?.written === written && this.last.tag === tag ? this.last : null
    if (begun && (begun.isRead || begun.lines >= mostLines)) return null
    // The tag of a notification can have line feeds, as in WhatsApp's tags.
    const whole = begun ? `${begun.message}\n${message}` : message
    const observed = eventOf(tag, whole)
    this.last = { written, tag, message: whole, lines: (begun?.lines ?? 0) + 1, isRead: observed !== null }
    if (observed === null) return null
    const id = createHash('sha256').update(`${written} ${tag} ${whole}`).digest('base64url').slice(0, 22)
    const at = new Date(Number(seconds) * 1000 + Math.floor(Number(nanoseconds) / 1e6))
    return Number.isNaN(at.getTime()) ? null : { id, at, ...observed }
  }
}

/** The number of lines that are read of a message. */
const mostLines = 5

const name = '([A-Za-z0-9_.]{1,255})'
const forms = {
  /** PID, user, process, flags, exception, …: AOSP `AppErrors`, in another order than `EventLogTags.logtags` names. */
  am_crash: new RegExp(`^\\[(\\d{1,9}),-?\\d+,${name}(?::[^,]*)?,-?\\d+,([^,\\]]{1,255})`),
  /** User, PID, package, flags, reason. */
  am_anr: new RegExp(`^\\[-?\\d+,(\\d{1,9}),${name}(?::[^,]*)?,-?\\d+`),
  /** UID, PID, package, number, tag, user, notification, status: 0 is a new notification. */
  notification_enqueue: new RegExp(`^\\[(\\d+),\\d+,${name},(-?\\d+),([^]*?),(-?\\d+),Notification\\(`),
}

function eventOf(tag: string, message: string): Observed | null {
  if (tag === 'notification_enqueue') {
    // The end is checked outside of the expression, since the expression would search for the end from each comma.
    if (!message.endsWith(',0]')) return null
    const [, uid, owner, number, label, user] = forms.notification_enqueue.exec(message) ?? []
    if (owner === undefined) return null
    const shown = label === 'NULL' || label === '' ? 'null' : label
    return { kind: 'notification', package: owner, key: `${user}|${owner}|${number}|${shown}|${uid}` }
  }
  const [, pid, owner, exception = null] =
    (tag === 'am_crash' ? forms.am_crash : forms.am_anr).exec(message) ?? []
  if (owner === undefined) return null
  const isNative = exception === 'Native crash'
  const crash = tag === 'am_anr' ? 'anr' : isNative ? 'native_crash' : 'crash'
  return {
    kind: 'crash',
    crash,
    package: owner,
    pid: Number(pid),
    exception: isNative || exception === null || !/^[\w.$]+$/.test(exception) ? null : exception,
  }
}
