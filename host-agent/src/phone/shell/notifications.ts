/**
 * Reads the notifications of one phone: their keys by `cmd notification list` (Android 11), then each record. Between
 * the records are lines that only the agent knows, so the text of an app cannot look like another record. Android 10
 * has only `dumpsys notification`, where the text of an app can look like a record. Created by
 * `supervision/assemble.ts`.
 */
import { randomBytes } from 'node:crypto'
import { mostNotifications, shorten, type Progress } from '@phonerack/shared'
import { command, pipe, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { Notifications, PostedNotification } from '../../adb/device/reports.js'
import { outputOf, run } from '../../adb/device/run.js'
import { notUnderstood } from '../../adb/device/unreadable.js'
import { ownPackages } from '../../adb/parts/parts.js'

/** The maximum bytes of one record, and of all records of Android 10. */
const recordBytes = 40_000
const dumpBytes = 4_000_000
const mostRecords = 1000
/** The maximum number of texts that are tried as keys. */
const mostKeys = 2 * mostNotifications
/** Characters. */
const longest = { title: 1000, text: 4000 }

export function createNotifications(transport: Transport): Notifications {
  return {
    async list(progress) {
      const records = (await recordsByKey(transport, progress)) ?? (await recordsOfDump(transport, progress))
      const found = records.map(({ text, key }) => parseRecord(text, key))
      const read = found.filter((each) => each !== null)
      // A record that cannot be read does not hide the others, and a list of such records is not an empty list.
      const unread = records.find(({ text }, index) => found[index] === null && !isGone(text))
      if (read.length === 0 && unread) throw notUnderstood('its notifications', unread.text)
      return read.filter(({ package: name }) => !ownPackages.has(name)).slice(0, mostNotifications)
    },
    async expand(progress) {
      await run(transport, command('cmd', 'statusbar', 'expand-notifications'), progress)
    },
    async collapse(progress) {
      await run(transport, command('cmd', 'statusbar', 'collapse'), progress)
    },
  }
}

interface PhoneRecord {
  text: string
  /** The key for which the phone printed the record; undefined when the record itself contains its key. */
  key?: string
}

/** Null when this version of Android has no such command. */
async function recordsByKey(transport: Transport, progress: Progress): Promise<PhoneRecord[] | null> {
  const listed = await transport.shell(command('cmd', 'notification', 'list'), progress)
  const output = outputOf(listed)
  if (listed.exitCode !== 0 || /Unknown command/i.test(output)) return null
  const all = keysOf(listed.stdout.toString('utf8'))
  if (all.length === 0 && output !== '') throw notUnderstood('its notifications', output)
  const keys = all.filter((key) => !ownPackages.has(ownerOf(key))).slice(0, mostKeys)
  if (keys.length === 0) return []
  const border = randomBytes(16).toString('hex')
  const printed = await run(
    transport,
    sequence(
      ...keys.flatMap((key) => [
        command('echo', border),
        pipe(command('cmd', 'notification', 'get', key), command('head', '-c', String(recordBytes))),
      ]),
    ),
    progress,
  )
  const [, ...texts] = printed.split(`${border}\n`, keys.length + 1)
  return texts.map((text, index) => ({ text, key: keys[index] ?? '' }))
}

/** The number of lines of a key: its tag can have line feeds, as WhatsApp's tag (Android 12). */
const mostLines = 5
const keyBegin = /^-?\d+\|[A-Za-z0-9_.]+\|-?\d+\|/
/** A key ends with the UID, or with the key of a group that the system created. */
const wholeKey = /^-?\d+\|[A-Za-z0-9_.]+\|-?\d+\|[^]*\|\d+(?:\|[^|\n]*)?$/

/** Returns all texts that may be keys. Trying them is safe, since the phone prints a record only for a key. Pure. */
export function keysOf(list: string): string[] {
  const lines = list.split(/\r?\n/)
  const begins = lines.flatMap((line, at) => (keyBegin.test(line) ? [at] : []))
  const joined = begins.flatMap((from, at) => {
    const to = Math.min(begins[at + 1] ?? lines.length, from + mostLines)
    return Array.from({ length: to - from }, (_, more) => lines.slice(from, from + more + 1).join('\n'))
  })
  return [...new Set(joined.filter((key) => wholeKey.test(key) && !key.includes('\0')))]
}

/** Whether the notification was removed after the list was printed, or a text of the list is not a key. */
const isGone = (text: string): boolean => text.trim() === '' || /^\s*(?:error: )?no active/i.test(text)

async function recordsOfDump(transport: Transport, progress: Progress): Promise<PhoneRecord[]> {
  const output = await run(
    transport,
    pipe(command('dumpsys', 'notification', '--noredact'), command('head', '-c', String(dumpBytes))),
    progress,
  )
  if (!/^Current Notification Manager state/m.test(output)) throw notUnderstood('its notifications', output)
  // Android omits the title of an empty list.
  const at = output.indexOf('  Notification List:')
  const list = at === -1 ? '' : output.slice(at)
  const texts = list.split(/^(?= {4}NotificationRecord\()/m, mostRecords + 1).slice(1)
  return texts.map((text) => ({ text }))
}

/** Returns the package in a key, which consists of user, package, number, tag and UID. */
const ownerOf = (key: string): string => key.split('|', 2)[1] ?? ''

/** AOSP `Notification.flags`: ongoing, no clear, foreground service. */
const keptFlags = 0x2 | 0x20 | 0x40
const keptNames = /\b(?:ONGOING_EVENT|NO_CLEAR|FOREGROUND_SERVICE)\b/

/**
 * The beginning of a record: package, user, number, tag, and the key that repeats these values, so the tag cannot name
 * the key of another app. Makers put fields before the key (`importance=`) and behind it (`appImportanceLocked=`,
 * `bbbc=`).
 */
const recordBegin =
  /^\s*NotificationRecord\(\S{1,20} pkg=([A-Za-z0-9_.]+) user=UserHandle\{(-?\d+)\} id=(-?\d+) tag=([^]{0,4000}?)(?: \w+=\S{0,100}){0,5}? key=(\2\|\1\|\3\|\4\|\d+(?:\|[^\s|:]{1,200})?)/

/**
 * Parses a record. Form: AOSP `NotificationRecord.dump`, Android 9 to 16, OxygenOS and HyperOS. `asked`: the key for
 * which the phone printed the record. Null when the text is not a record. Pure.
 */
export function parseRecord(record: string, asked?: string): PostedNotification | null {
  if (!/^\s*NotificationRecord\(/.test(record)) return null
  const key = asked ?? recordBegin.exec(record)?.[5]
  if (key === undefined) return null
  const [, flags = ''] = /^[ \t]*flags=(\S*)/m.exec(record) ?? []
  const [, ms] =
    /^[ \t]*mCreationTimeMs=(\d{1,15})/m.exec(record) ?? /^[ \t]*when=(\d{1,15})/m.exec(record) ?? []
  const isKept = /^0x/.test(flags) ? (Number(flags) & keptFlags) !== 0 : keptNames.test(flags)
  return {
    key,
    package: ownerOf(key),
    title: shorten(extra(record, 'title'), longest.title),
    text: shorten(extra(record, 'bigText') || extra(record, 'text'), longest.text),
    postedAt: ms === undefined ? null : new Date(Number(ms)),
    dismissible: !isKept,
  }
}

/** Returns the value of `android.title=String (…)`, up to the line of the next extra. */
function extra(record: string, name: string): string {
  const begin = new RegExp(`^[ \\t]*android\\.${name}=[\\w.$]+ \\(`, 'm').exec(record)
  if (begin === null) return ''
  const rest = record.slice(begin.index + begin[0].length)
  const end = /\)[ \t]*\r?\n\s*(?:[\w.]+=|\})/.exec(rest)
  const value = end === null ? rest : rest.slice(0, end.index)
  return value.replace(/(?![\t\n])\p{Cc}/gu, '')
}
