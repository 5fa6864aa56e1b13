/** Formats log entries as text: `logcat -v`. Source of forms: AOSP `liblog/logprint.cpp`. */
import type { LogEntry } from '../../android/logs/buffers.js'
import { localTime } from './date.js'

const shapes = ['brief', 'process', 'tag', 'thread', 'raw', 'time', 'threadtime', 'long'] as const
const modifiers = [
  ...['color', 'colour', 'descriptive', 'epoch', 'monotonic', 'printable'],
  ...['uid', 'usec', 'nsec', 'UTC', 'year', 'zone'],
] as const

type Shape = (typeof shapes)[number]

interface LogFormat {
  shape: Shape
  modifiers: ReadonlySet<string>
  timeZone: string
  bootedAtMs: number
}

const isShape = (word: string): word is Shape => (shapes as readonly string[]).includes(word)

/** Parses the values of all `-v`: shapes, of which the last one counts, and modifiers. Null when a value is unknown. */
export function parseFormat(words: readonly string[]): Pick<LogFormat, 'shape' | 'modifiers'> | null {
  let shape: Shape = 'threadtime'
  const found = new Set<string>()
  for (const word of words) {
    if (isShape(word)) shape = word
    else if ((modifiers as readonly string[]).includes(word)) found.add(word)
    else return null
  }
  return { shape, modifiers: found }
}

/**
 * Formats an entry as lines that end with a newline. Each line of a message gets the prefix, except in the
 * shape `long`.
 */
export function formatEntry(entry: LogEntry, format: LogFormat): string {
  const lines = entry.message.replace(/\n+$/, '').split('\n')
  const shown = format.modifiers.has('printable') ? lines.map(printable) : lines
  const { before, after } = prefixOf(entry, format)
  if (format.shape === 'long') return `${before}\n${shown.join('\n')}\n\n`
  return shown.map((line) => `${before}${line}${after}\n`).join('')
}

function prefixOf(entry: LogEntry, format: LogFormat): { before: string; after: string } {
  const { pid, tid, uid, priority, tag } = entry
  const id = String(pid).padStart(5)
  const thread = String(tid).padStart(5)
  const owner = format.modifiers.has('uid') ? `${ownerOf(uid)}:` : ''
  const padded = tag.padEnd(8)
  const time = timeOf(entry, format)
  switch (format.shape) {
    case 'brief':
      return { before: `${priority}/${padded}(${owner}${id}): `, after: '' }
    case 'process':
      return { before: `${priority}(${owner}${id}) `, after: `  (${tag})` }
    case 'tag':
      return { before: `${priority}/${padded}: `, after: '' }
    case 'thread':
      return { before: `${priority}(${owner}${id}:${thread}) `, after: '' }
    case 'raw':
      return { before: '', after: '' }
    case 'time':
      return { before: `${time} ${priority}/${padded}(${owner}${id}): `, after: '' }
    case 'threadtime':
      return {
        before: `${time} ${owner.replace(':', ' ')}${id} ${thread} ${priority} ${padded}: `,
        after: '',
      }
    case 'long':
      return { before: `[ ${time} ${owner}${id}:${thread} ${priority}/${padded} ]`, after: '' }
  }
}

/** A user's name has at most five characters in this form; longer names are replaced by the number. */
const ownerOf = (uid: number): string =>
  uid === 2000 ? 'shell' : uid === 0 ? ' root' : String(uid).padStart(5)

function timeOf({ atNs }: LogEntry, { modifiers: given, timeZone, bootedAtMs }: LogFormat): string {
  const shownNs = given.has('monotonic') ? atNs - BigInt(Math.floor(bootedAtMs)) * 1_000_000n : atNs
  const [second, rest] = [shownNs / 1_000_000_000n, shownNs % 1_000_000_000n]
  const digits = given.has('nsec') ? 9 : given.has('usec') ? 6 : 3
  const fraction = rest.toString().padStart(9, '0').slice(0, digits)
  if (given.has('monotonic')) return `${second.toString().padStart(6)}.${fraction}`
  if (given.has('epoch')) return `${second.toString().padStart(19)}.${fraction}`
  const local = localTime(Number(atNs / 1_000_000n), given.has('UTC') ? 'UTC' : timeZone)
  const year = given.has('year') ? `${local.year}-` : ''
  const zone = given.has('zone') ? ` ${local.offset}` : ''
  return `${year}${local.month}-${local.day} ${local.hour}:${local.minute}:${local.second}.${fraction}${zone}`
}

/** Works like `convertPrintable`: escapes control characters other than the tab, and backslashes. */
const printable = (line: string): string =>
  line.replace(/(?![\t\n\u007f-\u009f])[\p{Cc}\\]/gu, (char) => {
    const named: Readonly<Record<string, string>> = {
      '\x07': '\\a',
      '\b': '\\b',
      '\v': '\\v',
      '\f': '\\f',
      '\r': '\\r',
      '\\': '\\\\',
    }
    return named[char] ?? `\\x${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  })
