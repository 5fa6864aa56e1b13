/** `logcat`, and `log`, which writes a line. Source: AOSP `logcat.cpp`, toybox `log`. */
import { binaryEntry } from '../../android/logs/binary.js'
import {
  bufferBytes,
  isPriority,
  priorities,
  type LogBuffer,
  type LogEntry,
} from '../../android/logs/buffers.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { bytesOf } from '../bytes.js'
import { parseDate } from './date.js'
import { linesOf } from './inputs.js'
import { formatEntry, parseFormat } from './logcat-format.js'
import { parseLogcat, type LogcatOptions } from './logcat-options.js'
import { parseOptions } from './options.js'

async function logcat(io: CommandIo): Promise<number> {
  const { logs } = io.android
  const options = parseLogcat(io.args)
  const shape = parseFormat(options.formats)
  if (shape === null) throw new UsageError(`Invalid parameter "${options.formats.join(',')}" to -v`)
  if (options.clear) {
    logs.clear(options.buffers)
    return 0
  }
  if (options.resize || options.last) return 0
  if (options.size) {
    for (const name of options.buffers)
      await io.out(
        `${name}: ring buffer is ${bufferBytes / 1024} KiB (${Math.ceil(logs.sizeOf(name) / 1024)} KiB consumed), max entry is 5120 B, max payload is 4068 B\n`,
      )
    return 0
  }
  const { timeZone, bootedAtMs } = io.android
  const format = { ...shape, timeZone, bootedAtMs }
  const begun = new Set<LogBuffer>()
  let shown: LogBuffer | null = null
  let left = options.most ?? Infinity

  async function print(entry: LogEntry): Promise<void> {
    if (options.binary) return io.stdout.write(binaryEntry(entry))
    if (entry.buffer !== shown && (!begun.has(entry.buffer) || options.dividers)) {
      const verb = begun.has(entry.buffer) ? 'switch to' : 'beginning of'
      await io.out(`--------- ${verb} ${entry.buffer}\n`)
    }
    shown = entry.buffer
    begun.add(entry.buffer)
    await io.stdout.write(bytesOf(formatEntry(entry, format)))
  }

  let entries = tailed(io, options, logs.list(options.buffers))
  let last = 0
  for (;;) {
    for (const entry of entries) {
      if (left <= 0) return 0
      last = entry.order
      if (!isWanted(entry, options)) continue
      left--
      await print(entry)
    }
    if (options.dump) return 0
    await nextEntry(io, options, last)
    if (io.signal.aborted) return 0
    entries = logs.list(options.buffers, last)
  }
}

/** Returns the entries that `-t` or `-T` select. The reader in `logd` filters entries only by process. */
function tailed(io: CommandIo, { tail, pid }: LogcatOptions, all: readonly LogEntry[]): readonly LogEntry[] {
  if (tail === null) return all
  if ('count' in tail) {
    const own = pid === null ? all : all.filter((entry) => entry.pid === pid)
    return tail.count === 0 ? [] : own.slice(-tail.count)
  }
  const fromNs = timeOf(tail.from, io)
  const first = all.findIndex(({ atNs }) => atNs >= fromNs)
  return first === -1 ? [] : all.slice(first)
}

/** Parses `sssss.mmm`, `MM-DD hh:mm:ss.mmm` or `YYYY-MM-DD hh:mm:ss.mmm`. */
function timeOf(text: string, { android }: CommandIo): bigint {
  const seconds = /^(\d+)\.(\d{1,9})$/.exec(text)
  if (seconds) return BigInt(seconds[1] ?? 0) * 1_000_000_000n + BigInt((seconds[2] ?? '').padEnd(9, '0'))
  const [, date = '', fraction = ''] = /^(.*?)(?:\.(\d+))?$/.exec(text) ?? []
  const year = new Date(android.nowMs).getUTCFullYear()
  const ms = parseDate(/^\d\d-/.test(date) ? `${year}-${date}` : date, android.timeZone)
  if (ms === null) throw new UsageError(`invalid time "${text}"`)
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}

function isWanted(entry: LogEntry, { filters, pid, uids, binary }: LogcatOptions): boolean {
  if (pid !== null && entry.pid !== pid) return false
  if (uids !== null && !uids.has(entry.uid)) return false
  // `-B` prints entries without filtering their contents.
  if (binary) return true
  const least = filters.get(entry.tag) ?? filters.get('*') ?? 'V'
  return priorities[entry.priority] >= priorities[least]
}

/** Resolves once one of the buffers has an entry after `last`, or the command ends. */
async function nextEntry(
  { android, signal }: CommandIo,
  options: LogcatOptions,
  last: number,
): Promise<void> {
  if (android.logs.list(options.buffers, last).length > 0 || signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stop()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const stop = android.logs.onWrite(() => {
      if (android.logs.list(options.buffers, last).length > 0) done()
    })
    signal.addEventListener('abort', done, { once: true })
  })
}

/** The lines come from the arguments, or otherwise from stdin. */
async function log(io: CommandIo): Promise<number> {
  const { values, operands } = parseOptions(io, '', 'pt')
  const letter = (values['p'] ?? 'i').toUpperCase()
  if (!isPriority(letter)) throw new UsageError(`bad -p '${values['p'] ?? ''}'`)
  const write = (message: string): void =>
    io.android.logs.write('main', {
      pid: io.pid,
      tid: io.pid,
      uid: 2000,
      priority: letter,
      tag: values['t'] ?? 'log',
      message,
    })
  if (operands.length > 0) write(operands.join(' '))
  else for await (const line of linesOf(io.stdin)) write(line)
  return 0
}

export const logCommands: CommandTable = { logcat, log }
