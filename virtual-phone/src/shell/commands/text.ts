/** echo, printf, cat, and other small commands that write or filter text. */
import { setTimeout as delay } from 'node:timers/promises'
import { bytesOf } from '../bytes.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { unescape } from '../escapes.js'
import { eachInput, linesOf } from './inputs.js'
import { parseOptions } from './options.js'
import { formatPrintf } from './printf.js'

/** Formats text like `cat -v`; `-t` also shows tabs, `-e` also line ends. */
function visible(bytes: Buffer, flags: ReadonlySet<string>): string {
  let text = ''
  for (const byte of bytes) {
    const low = byte & 0x7f
    const meta = byte > 0x7f ? 'M-' : ''
    if (byte === 10) text += flags.has('e') ? '$\n' : '\n'
    else if (byte === 9 && !flags.has('t')) text += '\t'
    else if (low < 32) text += `${meta}^${String.fromCharCode(low + 64)}`
    else text += low === 127 ? `${meta}^?` : meta + String.fromCharCode(low)
  }
  return text
}

/**
 * Parses the arguments of `seq [-w] [-s SEPARATOR] [FIRST [STEP]] LAST`. A negative number does not count as
 * an option.
 */
function sequence(io: CommandIo) {
  const args = [...io.args]
  let [separator, padded] = ['\n', false]
  while (/^-[a-z]/.test(args[0] ?? '')) {
    const option = args.shift() ?? ''
    if (option === '-w') padded = true
    else if (option.startsWith('-s')) separator = option.slice(2) || (args.shift() ?? '')
    else throw new UsageError(`Unknown option '${option.slice(1)}' (see "seq --help")`)
  }
  const numbers = args.map(Number)
  if (numbers.length < 1 || numbers.length > 3 || numbers.some(Number.isNaN))
    throw new UsageError('Need 1-3 numbers')
  const last = numbers.at(-1) ?? 0
  const first = numbers.length === 1 ? 1 : (numbers[0] ?? 1)
  const step = numbers.length === 3 ? (numbers[1] ?? 1) : 1
  if (step === 0) throw new UsageError('step is 0')
  const digits = Math.max(...args.map((arg) => arg.split('.')[1]?.length ?? 0))
  const width = padded ? Math.max(...[first, last].map((each) => each.toFixed(digits).length)) : 0
  return { first, step, last, separator, width, digits }
}

export const textCommands: CommandTable = {
  echo: async (io) => {
    // Backslashes are interpreted unless -E is set, as in mksh.
    let [newline, escapes] = [true, true]
    const args = [...io.args]
    while (/^-[neE]+$/.test(args[0] ?? '')) {
      const option = args.shift() ?? ''
      if (option.includes('n')) newline = false
      if (option.includes('e')) escapes = true
      if (option.includes('E')) escapes = false
    }
    const text = args.join(' ')
    const done = escapes ? unescape(text, true) : { text, stopped: false }
    await io.out(done.text + (newline && !done.stopped ? '\n' : ''))
    return 0
  },
  printf: async (io) => {
    const [format, ...args] = io.args[0] === '--' ? io.args.slice(1) : io.args
    if (format === undefined) throw new UsageError('usage: printf FORMAT [ARGUMENT...]')
    const { text, error } = formatPrintf(format, args)
    await io.out(text)
    if (error !== null) await io.err(`printf: ${error}\n`)
    return error === null ? 0 : 1
  },
  cat: (io) => {
    const { flags, operands } = parseOptions(io, 'uvte')
    const shown = flags.has('v') || flags.has('t') || flags.has('e')
    return eachInput(io, operands, async (source) => {
      for (let chunk = await source.read(); chunk !== null; chunk = await source.read())
        await (shown ? io.out(visible(chunk, flags)) : io.stdout.write(chunk))
    })
  },
  head: (io) => {
    const args = io.args.flatMap((arg) => (/^-\d+$/.test(arg) ? ['-n', arg.slice(1)] : [arg]))
    const { values, operands } = parseOptions({ ...io, args }, 'qv', 'nc')
    const lines = Number(values['n'] ?? '10')
    const bytes = values['c'] === undefined ? null : Number(values['c'])
    return eachInput(io, operands, async (source) => {
      let left = bytes ?? lines
      while (left > 0) {
        const chunk = await source.read()
        if (chunk === null) return
        let end = 0
        if (bytes !== null) end = Math.min(left, chunk.length)
        else for (let seen = 0; end < chunk.length && seen < left; end++) if (chunk[end] === 10) seen += 1
        await io.stdout.write(chunk.subarray(0, end))
        left -= bytes !== null ? end : chunk.subarray(0, end).filter((byte) => byte === 10).length
      }
    })
  },
  tail: (io) => {
    const args = io.args.flatMap((arg) => (/^-\d+$/.test(arg) ? ['-n', arg.slice(1)] : [arg]))
    const { values, operands } = parseOptions({ ...io, args }, '', 'nc')
    const from = (values['n'] ?? '').startsWith('+')
    const count = Math.abs(Number(values['c'] ?? values['n'] ?? '10'))
    return eachInput(io, operands, async (source) => {
      if (values['c'] !== undefined) {
        let kept = Buffer.alloc(0)
        for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
          const joined = Buffer.concat([kept, chunk])
          kept = joined.subarray(Math.max(0, joined.length - count))
        }
        return io.stdout.write(kept)
      }
      const kept: string[] = []
      let line = 0
      for await (const text of linesOf(source)) {
        line += 1
        if (from) {
          if (line >= count) await io.out(`${text}\n`)
        } else if (kept.push(text) > count) kept.shift()
      }
      for (const text of kept) await io.out(`${text}\n`)
    })
  },
  tee: async (io) => {
    const { flags, operands } = parseOptions(io, 'ai')
    const writers = []
    for (const name of operands) {
      writers.push(await io.fs.openWrite(io.path(name), { how: flags.has('a') ? 'append' : 'truncate' }))
    }
    try {
      for (let chunk = await io.stdin.read(); chunk !== null; chunk = await io.stdin.read()) {
        await io.stdout.write(chunk)
        for (const writer of writers) await writer.write(chunk)
      }
    } finally {
      for (const writer of writers) await writer.close()
    }
    return 0
  },
  seq: async (io) => {
    const { first, step, last, separator, width, digits } = sequence(io)
    const count = Math.floor((last - first) / step + 1e-9)
    const shown = (value: number) => {
      const text = Math.abs(value).toFixed(digits)
      return value < 0 ? `-${text.padStart(width - 1, '0')}` : text.padStart(width, '0')
    }
    for (let at = 0; at <= count; at++) await io.out((at === 0 ? '' : separator) + shown(first + at * step))
    if (count >= 0) await io.out('\n')
    return 0
  },
  yes: async (io) => {
    const line = bytesOf(`${io.args.join(' ') || 'y'}\n`.repeat(512))
    for (;;) await io.stdout.write(line)
  },
  sleep: async (io) => {
    const seconds = io.args.map((arg) => {
      const [, number, unit] = /^(\d*\.?\d+)([smhd]?)$/.exec(arg) ?? []
      if (number === undefined) throw new UsageError(`Not a number '${arg}'`)
      return Number(number) * ({ m: 60, h: 3600, d: 86_400 }[unit ?? ''] ?? 1)
    })
    if (seconds.length === 0) throw new UsageError(`Needs 1 argument (see "${io.name} --help")`)
    const totalMs = seconds.reduce((a, b) => a + b, 0) * 1000
    await delay(Math.min(totalMs, 2 ** 31 - 1), undefined, { signal: io.signal }).catch((error: unknown) => {
      if (!io.signal.aborted) throw error
    })
    return 0
  },
  true: () => 0,
  false: () => 1,
}
