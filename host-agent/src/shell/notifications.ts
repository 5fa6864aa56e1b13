/**
 * Reads the notifications of one phone: their keys by `cmd notification list` (Android 11), then each record. Between the
 * records are lines that only the agent knows, so the text of an app cannot look like another record. Android 10 has only
 * `dumpsys notification`, where it can. Created by `supervision/assemble.ts`.
 */
import { randomBytes } from 'node:crypto'
import { mostNotifications, shorten, type Progress } from '@phonerack/shared'
import { command, pipe, sequence } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import type { Notifications, PostedNotification } from '../device/reports.js'
import { outputOf, run } from '../device/run.js'
import { ownPackages } from '../parts/parts.js'

/** Bytes of one record, and of all records of Android 10. */
const recordBytes = 40_000
const dumpBytes = 4_000_000
const mostRecords = 1000
/** Characters. */
const longest = { title: 1000, text: 4000 }

export function createNotifications(transport: Transport): Notifications {
  return {
    async list(progress) {
      const texts = (await recordsByKey(transport, progress)) ?? (await recordsOfDump(transport, progress))
      return texts
        .map(parseRecord)
        .filter((found) => found !== null)
        .filter(({ package: name }) => !ownPackages.has(name))
        .slice(0, mostNotifications)
    },
    async expand(progress) {
      await run(transport, command('cmd', 'statusbar', 'expand-notifications'), progress)
    },
    async collapse(progress) {
      await run(transport, command('cmd', 'statusbar', 'collapse'), progress)
    },
  }
}

/** Null: this version of Android has no such command. */
async function recordsByKey(transport: Transport, progress: Progress): Promise<string[] | null> {
  const listed = await transport.shell(command('cmd', 'notification', 'list'), progress)
  if (listed.exitCode !== 0 || /Unknown command/i.test(outputOf(listed))) return null
  const keys = listed.stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^-?\d+\|[A-Za-z0-9_.]+\|-?\d+\|.*\|\d+$/.test(line) && !line.includes('\0'))
    .filter((key) => !ownPackages.has(ownerOf(key)))
    .slice(0, mostNotifications)
  if (keys.length === 0) return []
  const border = randomBytes(16).toString('hex')
  const output = await run(
    transport,
    sequence(
      ...keys.flatMap((key) => [
        command('echo', border),
        pipe(command('cmd', 'notification', 'get', key), command('head', '-c', String(recordBytes))),
      ]),
    ),
    progress,
  )
  return output.split(`${border}\n`, keys.length + 1).slice(1)
}

async function recordsOfDump(transport: Transport, progress: Progress): Promise<string[]> {
  const output = await run(
    transport,
    pipe(command('dumpsys', 'notification', '--noredact'), command('head', '-c', String(dumpBytes))),
    progress,
  )
  const list = output.slice(output.indexOf('  Notification List:'))
  return list.split(/^(?= {4}NotificationRecord\()/m, mostRecords + 1).slice(1)
}

/** The package in a key: user, package, number, tag, UID. */
const ownerOf = (key: string): string => key.split('|', 2)[1] ?? ''

const keyBegin = ' key='
/** A line is searched for. */
const mostKeys = 50

/** AOSP `Notification.flags`: ongoing, no clear, foreground service. */
const keptFlags = 0x2 | 0x20 | 0x40
const keptNames = /\b(?:ONGOING_EVENT|NO_CLEAR|FOREGROUND_SERVICE)\b/

/** Form: AOSP `NotificationRecord.dump`, Android 10 to 16. Null: another text. Pure. */
export function parseRecord(record: string): PostedNotification | null {
  const [, line = ''] = /^\s*(NotificationRecord\([^\n]{0,20000})/.exec(record) ?? []
  const [, name] = / pkg=([A-Za-z0-9_.]+) /.exec(line) ?? []
  const key = name === undefined ? undefined : lastKeyOf(line)
  // Otherwise a forged record could have the key, and so the ID, of another app's notification.
  if (name === undefined || key === undefined || ownerOf(key) !== name) return null
  const [, flags = ''] = /^[ \t]*flags=(\S*)/m.exec(record) ?? []
  const [, ms] =
    /^[ \t]*mCreationTimeMs=(\d{1,15})/m.exec(record) ?? /^[ \t]*when=(\d{1,15})/m.exec(record) ?? []
  const isKept = /^0x/.test(flags) ? (Number(flags) & keptFlags) !== 0 : keptNames.test(flags)
  return {
    key,
    package: name,
    title: shorten(extra(record, 'title'), longest.title),
    text: shorten(extra(record, 'bigText') || extra(record, 'text'), longest.text),
    postedAt: ms === undefined ? null : new Date(Number(ms)),
    dismissible: !isKept,
  }
}

/** The last key of a line, since a tag inside the key can look like the begin of another. */
function lastKeyOf(line: string): string | undefined {
  let at = line.length
  for (let left = mostKeys; left > 0 && at > 0; left -= 1) {
    at = line.lastIndexOf(keyBegin, at - 1)
    if (at < 0) return undefined
    const [, key] = /^ key=(-?\d+\|.{0,4000}?\|\d+): /.exec(line.slice(at, at + 4100)) ?? []
    if (key !== undefined) return key
  }
  return undefined
}

/** `android.title=String (…)`, up to the line of the next extra. */
function extra(record: string, name: string): string {
  const begin = new RegExp(`^[ \\t]*android\\.${name}=[\\w.$]+ \\(`, 'm').exec(record)
  if (begin === null) return ''
  const rest = record.slice(begin.index + begin[0].length)
  const end = /\)[ \t]*\r?\n\s*(?:[\w.]+=|\})/.exec(rest)
  const value = end === null ? rest : rest.slice(0, end.index)
  return value.replace(/(?![\t\n])\p{Cc}/gu, '')
}
