/**
 * Parses `dumpsys dropbox`. Pure. Form: AOSP `DropBoxManagerService.dump`, Android 10 to 16. The list with
 * file names contains no text of reports, and a report is read between lines that only the agent knows, so
 * its text cannot look like another report. Any app can add reports by `DropBoxManager.addText`, even in the
 * name of another app, so the writer of a report is not proven.
 */
import type { CrashKind } from '../../adb/device/reports.js'

export interface DropBoxEntry {
  /** `data_app_crash`, `system_app_anr`, … */
  tag: string
  kind: CrashKind
  at: Date
  /** Date and time as the phone prints them, in its time zone: `2026-01-31`, `12:34:56`. */
  date: string
  time: string
  /** The line above a report. */
  header: string
}

const kinds: Readonly<Record<string, CrashKind>> = {
  crash: 'crash',
  native_crash: 'native_crash',
  anr: 'anr',
}

/**
 * Parses the output of `dumpsys dropbox --file` to entries of apps, oldest first. Null when the output has an unknown
 * form.
 */
export function parseEntries(output: string): DropBoxEntry[] | null {
  if (!/^Drop box contents:/m.test(output)) return null
  const text = output.replaceAll('\r\n', '\n')
  const found: DropBoxEntry[] = []
  const pattern =
    /^((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ((?:data|system)_app_(crash|native_crash|anr)) \([^\n]*\))\n {4}\S*@(\d{1,15})(?:\.[a-z]+)*$/gm
  for (const [, header = '', date = '', time = '', tag = '', name = '', ms = ''] of text.matchAll(pattern)) {
    const kind = kinds[name]
    if (kind !== undefined) found.push({ tag, kind, at: new Date(Number(ms)), date, time, header })
  }
  // Android prints the file below each entry.
  const isListed = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:data|system)_app_(?:crash|native_crash|anr)\b/m.test(
    text,
  )
  return found.length === 0 && isListed ? null : found
}

const separator = '========================================'

/**
 * Returns the text of a report from `dumpsys dropbox --print DATE TIME TAG`; null when the report no longer exists.
 * @param earlier the number of earlier entries with the same tag and second
 */
export function reportIn(output: string, { header }: DropBoxEntry, earlier: number): string | null {
  const title = `${separator}\n${header}\n`
  let at = output.indexOf(title)
  for (let skipped = 0; skipped < earlier && at !== -1; skipped++)
    at = output.indexOf(title, at + title.length)
  if (at === -1) return null
  const rest = output.slice(at + title.length)
  // Another report of the same second may follow. The headers of the two reports differ at most in the size.
  const next = rest.search(new RegExp(`^${separator}\\n${header.slice(0, header.indexOf(' ('))} \\(`, 'm'))
  return next === -1 ? rest : rest.slice(0, next)
}

export interface Report {
  process: string
  package: string
  pid: number | null
  exception: string | null
  reason: string | null
  stack: string
}

/** The kernel's type `pid_t` has no greater PID, which would not fit into the message to the control plane. */
const maxPid = 0x7fff_ffff

/**
 * Parses the system's lines `Name: value` up to the first empty line, and then the text that the app or the system
 * printed.
 */
export function parseReport(kind: CrashKind, text: string): Report {
  const end = text.indexOf('\n\n')
  const head = end === -1 ? text : text.slice(0, end)
  const stack = end === -1 ? '' : text.slice(end + 2).trim()
  const value = (name: string): string | null =>
    new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? null
  const process = value('Process') ?? ''
  const pid = Number(value('PID'))
  return {
    process,
    package: /^\S+/.exec(value('Package') ?? '')?.[0] ?? process.split(':', 1)[0] ?? '',
    pid: Number.isInteger(pid) && pid > 0 && pid <= maxPid ? pid : null,
    ...causeOf(kind, stack, value('Subject')),
    stack,
  }
}

function causeOf(
  kind: CrashKind,
  stack: string,
  subject: string | null,
): Pick<Report, 'exception' | 'reason'> {
  if (kind === 'anr') return { exception: null, reason: subject }
  if (kind === 'native_crash') return { exception: /\((SIG[A-Z]+)\)/.exec(stack)?.[1] ?? null, reason: null }
  const [, exception = null, reason = null] = /^([\w.$]+)(?:: ([^\n]*))?/.exec(stack) ?? []
  return { exception, reason }
}
