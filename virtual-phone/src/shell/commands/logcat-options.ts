/** The arguments of `logcat`. Source: AOSP `logcat.cpp`. */
import { isLogBuffer, isPriority, type LogBuffer, type Priority } from '../../android/logs/buffers.js'
import { UsageError } from '../command.js'

/** The value of `-t` or `-T`: the number of the newest entries, or the time of the first entry as text. */
type Tail = { count: number } | { from: string }

export interface LogcatOptions {
  buffers: readonly LogBuffer[]
  formats: readonly string[]
  filters: ReadonlyMap<string, Priority>
  /** Prints the entries and ends. */
  dump: boolean
  clear: boolean
  size: boolean
  resize: boolean
  last: boolean
  binary: boolean
  dividers: boolean
  tail: Tail | null
  /** Ends after this many entries. */
  most: number | null
  pid: number | null
  uids: ReadonlySet<number> | null
}

const defaultBuffers: readonly LogBuffer[] = ['main', 'system', 'crash']
const all: readonly LogBuffer[] = ['main', 'radio', 'events', 'system', 'crash', 'kernel']

const invalid = (option: string): UsageError =>
  new UsageError(`Unable to parse '${option}'\nTry 'logcat --help' for more information.`)

/** @throws UsageError */
export function parseLogcat(args: readonly string[]): LogcatOptions {
  const found = {
    buffers: new Set<LogBuffer>(),
    formats: [] as string[],
    filters: new Map<string, Priority>(),
    dump: false,
    clear: false,
    size: false,
    resize: false,
    last: false,
    binary: false,
    dividers: false,
    tail: null as Tail | null,
    most: null as number | null,
    pid: null as number | null,
    uids: null as Set<number> | null,
  }
  const rest = [...args]
  const valueOf = (option: string): string => {
    const value = rest.shift()
    if (value === undefined) throw new UsageError(`option requires an argument -- '${option}'`)
    return value
  }
  const long: Readonly<Record<string, (value: string) => void>> = {
    pid: (value) => (found.pid = number(value)),
    uid: (value) => (found.uids = new Set(value.split(',').map(number))),
    buffer: (value) => addBuffers(found.buffers, value),
    format: (value) => found.formats.push(...value.split(',')),
    'max-count': (value) => (found.most = number(value)),
    'buffer-size': (value) => (value === '' ? (found.size = true) : (found.resize = true)),
  }
  const flags: Readonly<Record<string, () => void>> = {
    d: () => (found.dump = true),
    c: () => (found.clear = true),
    g: () => (found.size = true),
    B: () => (found.binary = true),
    D: () => (found.dividers = true),
    L: () => (found.dump = found.last = true),
    s: () => found.filters.set('*', 'S'),
  }
  const valued: Readonly<Record<string, (value: string) => void>> = {
    b: (value) => addBuffers(found.buffers, value),
    v: (value) => found.formats.push(...value.split(/[, ]/)),
    t: (value) => {
      found.tail = tailOf(value)
      found.dump = true
    },
    T: (value) => (found.tail = tailOf(value)),
    m: (value) => (found.most = number(value)),
    G: () => (found.resize = true),
  }
  const longFlags: Readonly<Record<string, string>> = { clear: 'c', last: 'L', binary: 'B', dividers: 'D' }
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg.startsWith('--')) {
      const [name = '', ...values] = arg.slice(2).split('=')
      const flag = longFlags[name]
      if (flag !== undefined) flags[flag]?.()
      else if (name === 'dump') found.dump = true
      else {
        const take = long[name]
        if (take === undefined) throw invalid(arg)
        take(values.length > 0 ? values.join('=') : valueOf(name))
      }
    } else if (arg.startsWith('-')) {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg[at] ?? ''
        const take = valued[letter]
        if (take !== undefined) {
          take(at + 1 < arg.length ? arg.slice(at + 1) : valueOf(letter))
          break
        }
        const flag = flags[letter]
        if (flag === undefined) throw invalid(arg)
        flag()
      }
    } else addFilter(found.filters, arg)
  }
  return { ...found, buffers: found.buffers.size === 0 ? defaultBuffers : [...found.buffers] }
}

function number(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${text} is not a valid number`)
  return Number(text)
}

const tailOf = (text: string): Tail => (/^\d+$/.test(text) ? { count: number(text) } : { from: text })

function addBuffers(found: Set<LogBuffer>, names: string): void {
  for (const name of names.split(',')) {
    if (name === 'all') for (const each of all) found.add(each)
    else if (name === 'default') for (const each of defaultBuffers) found.add(each)
    else if (isLogBuffer(name)) found.add(name)
    else throw new UsageError(`unknown buffer ${name}`)
  }
}

/** Parses `tag`, `tag:P` or `*:P`. */
function addFilter(found: Map<string, Priority>, spec: string): void {
  const [, tag = '', letter] = /^([^:]+)(?::(.))?$/.exec(spec) ?? []
  const priority = letter === undefined ? 'V' : letter.toUpperCase()
  if (tag === '' || !(priority === '*' || isPriority(priority)))
    throw new UsageError(`Invalid filter expression '${spec}'`)
  found.set(tag, isPriority(priority) ? priority : 'V')
}
