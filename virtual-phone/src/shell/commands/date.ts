/** Times of the phone for `date`, `ls` and `stat`. */
import { type CommandTable, UsageError } from '../command.js'

interface LocalTime {
  year: string
  month: string
  day: string
  hour: string
  minute: string
  second: string
  weekday: string
  monthName: string
  /** `+0100` */
  offset: string
  zone: string
}

/** Returns a moment as the local time of a time zone of the tz database. */
export function localTime(timeMs: number, timeZone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    weekday: 'short',
    timeZoneName: 'longOffset',
  })
  const parts = Object.fromEntries(format.formatToParts(timeMs).map((part) => [part.type, part.value]))
  const monthName = new Intl.DateTimeFormat('en-US', { timeZone, month: 'short' }).format(timeMs)
  const zone = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' })
    .formatToParts(timeMs)
    .find((part) => part.type === 'timeZoneName')?.value
  const offset = (parts['timeZoneName'] ?? '').replace('GMT', '').replace(':', '')
  return {
    year: parts['year'] ?? '',
    month: parts['month'] ?? '',
    day: parts['day'] ?? '',
    hour: parts['hour'] ?? '',
    minute: parts['minute'] ?? '',
    second: parts['second'] ?? '',
    weekday: parts['weekday'] ?? '',
    monthName,
    offset: offset === '' ? '+0000' : offset,
    zone: timeZone === 'UTC' ? 'UTC' : zone === 'UTC' ? 'GMT' : (zone ?? 'GMT'),
  }
}

/** Parses `@seconds`, or `2026-11-20 10:00[:00]` in the zone. Null for any other text. */
export function parseDate(text: string, timeZone: string): number | null {
  if (/^@-?\d+(\.\d+)?$/.test(text)) return Number(text.slice(1)) * 1000
  const compact = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(text)
  const long = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?/.exec(text)
  const fields = compact ?? long
  if (fields === null) return null
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = fields
    .slice(1)
    .map((field) => Number(field || '0'))
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second)
  const { offset } = localTime(asUtc, timeZone)
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3, 5))
  return asUtc - (offset.startsWith('-') ? -minutes : minutes) * 60_000
}

export function formatDate(format: string, timeMs: number, timeZone: string): string {
  const t = localTime(timeMs, timeZone)
  const fields: Readonly<Record<string, string>> = {
    Y: t.year,
    m: t.month,
    d: t.day,
    H: t.hour,
    M: t.minute,
    S: t.second,
    y: t.year.slice(-2),
    a: t.weekday,
    b: t.monthName,
    h: t.monthName,
    e: t.day.replace(/^0/, ' '),
    F: `${t.year}-${t.month}-${t.day}`,
    T: `${t.hour}:${t.minute}:${t.second}`,
    R: `${t.hour}:${t.minute}`,
    D: `${t.month}/${t.day}/${t.year.slice(-2)}`,
    s: String(Math.floor(timeMs / 1000)),
    I: String(((Number(t.hour) + 11) % 12) + 1).padStart(2, '0'),
    p: Number(t.hour) < 12 ? 'AM' : 'PM',
    j: String(
      Math.floor(
        (Date.UTC(Number(t.year), Number(t.month) - 1, Number(t.day)) - Date.UTC(Number(t.year), 0, 1)) /
          86_400_000,
      ) + 1,
    ).padStart(3, '0'),
    N: String((timeMs % 1000) * 1_000_000).padStart(9, '0'),
    z: t.offset,
    Z: t.zone,
    n: '\n',
    t: '\t',
    '%': '%',
  }
  return format.replace(/%([a-zA-Z%])/g, (all, letter: string) => fields[letter] ?? all)
}

export const dateCommands: CommandTable = {
  date: async (io) => {
    let [zone, timeMs, format] = [io.android.timeZone, io.android.nowMs, '%a %b %e %H:%M:%S %Z %Y']
    const args = [...io.args]
    for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
      if (arg === '-u') zone = 'UTC'
      else if (arg.startsWith('+')) format = arg.slice(1)
      else if (arg === '-d' || arg === '-r') {
        const value = args.shift() ?? ''
        const time = arg === '-r' ? io.fs.stat(io.path(value)).mtimeMs : parseDate(value, zone)
        if (time === null) throw new UsageError(`bad date '${value}'`)
        timeMs = time
      } else throw new UsageError('cannot set date: Operation not permitted')
    }
    await io.out(`${formatDate(format, timeMs, zone)}\n`)
    return 0
  },
}
