/** Crashes and hangs of apps, from the reports of Android's drop box, which a wipe removes. Created by `supervision/assemble.ts`. */
import { randomBytes } from 'node:crypto'
import { shorten, type Progress } from '@phonerack/shared'
import { command, pipe, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import type { Crash, Crashes } from '../../adb/device/reports.js'
import { run } from '../../adb/device/run.js'
import { notUnderstood } from '../../adb/device/unreadable.js'
import { ownPackages } from '../../adb/parts/parts.js'
import { parseEntries, parseReport, reportIn, type DropBoxEntry } from './dropbox.js'
import { clean } from './logs.js'

/** The maximum number of reports that one query reads; the newest reports are read. */
const most = 100
/** The maximum number of reports that one command reads. */
const atOnce = 10
/** The maximum bytes of one report. */
const reportBytes = 80_000
/** The maximum characters. */
const longest = { stack: 65_536, reason: 2000, name: 255 }
/** The maximum bytes of all stacks on a page. */
const pageBytes = 2_000_000

const cursorOf = ({ tag, at }: DropBoxEntry): string => `${tag}@${at.getTime()}`

export function createCrashes(transport: Transport): Crashes {
  async function entries(progress: Progress): Promise<DropBoxEntry[]> {
    const output = await run(transport, command('dumpsys', 'dropbox', '--file'), progress)
    const found = parseEntries(output)
    if (found !== null) return found
    throw notUnderstood('its crash reports', output)
  }

  /** Returns the texts of entries in the given order; null for an entry that no longer exists. */
  async function reports(
    wanted: readonly DropBoxEntry[],
    all: readonly DropBoxEntry[],
    progress: Progress,
  ): Promise<(string | null)[]> {
    // The line ends the report's part of the output, since an app cannot print it.
    const border = randomBytes(16).toString('hex')
    const commands = wanted.flatMap(({ date, time, tag }) => [
      command('echo', border),
      pipe(
        command('dumpsys', 'dropbox', '--print', date, time, tag),
        command('head', '-c', String(reportBytes)),
      ),
    ])
    const output = await run(transport, sequence(...commands), progress)
    const parts = output.split(`${border}\n`).slice(1)
    return wanted.map((entry, index) => {
      const same = all.filter(({ header }) => header === entry.header)
      return reportIn(parts[index] ?? '', entry, same.indexOf(entry))
    })
  }

  return {
    async list({ package: name, limit, cursor }, progress) {
      const all = await entries(progress)
      const newest = all.toReversed()
      const from = cursor === null ? 0 : afterCursor(newest, cursor)
      const candidates = newest.slice(from, from + most)
      const crashes: Crash[] = []
      let bytes = 0
      for (let at = 0; at < candidates.length; at += atOnce) {
        const chunk = candidates.slice(at, at + atOnce)
        const texts = await reports(chunk, all, progress)
        for (const [index, entry] of chunk.entries()) {
          const crash = crashOf(entry, texts[index] ?? null)
          if (crash === null || ownPackages.has(crash.package)) continue
          if (name !== null && crash.package !== name) continue
          bytes += Buffer.byteLength(crash.stack) + 3000
          if (crashes.length === limit || (bytes > pageBytes && crashes.length > 0))
            return { crashes, more: true }
          crashes.push(crash)
        }
      }
      return { crashes, more: false }
    },
  }
}

/** Returns the index after the cursor's entry. If that entry no longer exists, the index of the first older entry. */
function afterCursor(newest: readonly DropBoxEntry[], cursor: string): number {
  const known = newest.findIndex((entry) => cursorOf(entry) === cursor)
  if (known !== -1) return known + 1
  const ms = Number(cursor.slice(cursor.indexOf('@') + 1))
  const older = newest.findIndex(({ at }) => at.getTime() < ms)
  return older === -1 ? newest.length : older
}

function crashOf(entry: DropBoxEntry, text: string | null): Crash | null {
  if (text === null) return null
  const { process, package: name, pid, exception, reason, stack } = parseReport(entry.kind, text)
  const shown = clean(stack)
  return {
    at: entry.at,
    kind: entry.kind,
    package: shorten(clean(name), longest.name),
    process: shorten(clean(process), longest.name),
    pid,
    exception: exception === null ? null : shorten(exception, longest.name),
    reason: reason === null ? null : shorten(clean(reason), longest.reason),
    stack: shorten(shown, longest.stack),
    truncated: shown.length > longest.stack || Buffer.byteLength(text) >= reportBytes - 1000,
    cursor: cursorOf(entry),
  }
}
