/** wc, sort, uniq, tr, cut, xargs: commands that filter lines or characters. */
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { unescape } from '../escapes.js'
import { eachInput, linesOf } from './inputs.js'
import { parseOptions } from './options.js'

async function count(io: CommandIo): Promise<number> {
  const { flags, operands } = parseOptions(io, 'lwcm')
  const wanted =
    flags.size === 0 ? ['l', 'w', 'c'] : ['l', 'w', 'm', 'c'].filter((letter) => flags.has(letter))
  const total: Record<string, number> = { l: 0, w: 0, m: 0, c: 0 }
  const row = (counts: Record<string, number>, name: string) => {
    const numbers = wanted.map((letter) => String(counts[letter] ?? 0))
    // A single column is padded when there are several rows.
    const shown =
      wanted.length === 1 && operands.length > 1 ? numbers.map((each) => each.padStart(7)) : numbers
    return `${shown.join(' ')}${name === '-' ? '' : ` ${name}`}\n`
  }
  const status = await eachInput(io, operands, async (source, name) => {
    const counts: Record<string, number> = { l: 0, w: 0, m: 0, c: 0 }
    let inWord = false
    for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
      counts['c'] = (counts['c'] ?? 0) + chunk.length
      for (const byte of chunk) {
        const blank = byte === 32 || (byte >= 9 && byte <= 13)
        if (byte === 10) counts['l'] = (counts['l'] ?? 0) + 1
        if (!blank && !inWord) counts['w'] = (counts['w'] ?? 0) + 1
        if ((byte & 0xc0) !== 0x80) counts['m'] = (counts['m'] ?? 0) + 1
        inWord = !blank
      }
    }
    for (const letter of Object.keys(total)) total[letter] = (total[letter] ?? 0) + (counts[letter] ?? 0)
    await io.out(row(counts, name))
  })
  if (operands.length > 1) await io.out(row(total, 'total'))
  return status
}

async function sort(io: CommandIo): Promise<number> {
  const { flags, values, operands } = parseOptions(io, 'rnufbs', 'kto')
  const lines: string[] = []
  const status = await eachInput(io, operands, async (source) => {
    for await (const line of linesOf(source)) lines.push(line)
  })
  if (status !== 0) return 2
  const field = Number(/^\d+/.exec(values['k'] ?? '')?.[0] ?? '0')
  const numeric = flags.has('n') || /n/.test(values['k'] ?? '')
  const key = (line: string) => {
    const part =
      field === 0
        ? line
        : line
            .split(values['t'] ?? /\s+/)
            .slice(field - 1)
            .join(values['t'] ?? ' ')
    return flags.has('f') ? part.toUpperCase() : part
  }
  const compare = (a: string, b: string) => {
    const [x, y] = [key(a), key(b)]
    const byNumber = numeric ? (parseFloat(x) || 0) - (parseFloat(y) || 0) : 0
    if (byNumber !== 0) return byNumber
    return x < y ? -1 : x > y ? 1 : 0
  }
  lines.sort((a, b) => (flags.has('r') ? compare(b, a) : compare(a, b)))
  const shown = flags.has('u')
    ? lines.filter((line, at) => at === 0 || compare(line, lines[at - 1] ?? '') !== 0)
    : lines
  const text = shown.map((line) => `${line}\n`).join('')
  if (values['o'] === undefined) await io.out(text)
  else await io.fs.writeFile(io.path(values['o']), Buffer.from(text, 'latin1'))
  return status
}

async function uniq(io: CommandIo): Promise<number> {
  const { flags, operands } = parseOptions(io, 'cdui')
  let last: string | null = null
  let times = 0
  const flush = async () => {
    if (last === null || (flags.has('d') && times < 2) || (flags.has('u') && times > 1)) return
    await io.out(`${flags.has('c') ? `${String(times).padStart(7)} ` : ''}${last}\n`)
  }
  const status = await eachInput(io, operands.slice(0, 1), async (source) => {
    for await (const line of linesOf(source)) {
      const same =
        last !== null && (flags.has('i') ? line.toLowerCase() === last.toLowerCase() : line === last)
      if (same) times += 1
      else {
        await flush()
        last = line
        times = 1
      }
    }
  })
  await flush()
  return status
}

function characterSet(text: string): string {
  const plain = unescape(text, false)
    .text.replaceAll('[:upper:]', 'A-Z')
    .replaceAll('[:lower:]', 'a-z')
    .replaceAll('[:digit:]', '0-9')
    .replaceAll('[:alpha:]', 'A-Za-z')
    .replaceAll('[:alnum:]', '0-9A-Za-z')
    .replaceAll('[:space:]', ' \t\n\r\v\f')
    .replaceAll('[:blank:]', ' \t')
  return plain.replace(/([^])-([^])/g, (all, from: string, to: string) => {
    const [low, high] = [from.charCodeAt(0), to.charCodeAt(0)]
    if (high < low) return all
    return Array.from({ length: high - low + 1 }, (_, index) => String.fromCharCode(low + index)).join('')
  })
}

async function translate(io: CommandIo): Promise<number> {
  const { flags, operands } = parseOptions(io, 'dscC')
  const [fromText, toText] = operands
  if (fromText === undefined) throw new UsageError(`Needs 1 argument (see "${io.name} --help")`)
  const from = characterSet(fromText)
  const to = toText === undefined ? '' : characterSet(toText)
  const complement = flags.has('c') || flags.has('C')
  const squeezed = flags.has('s') ? (flags.has('d') || to !== '' ? to : from) : ''
  const squeezeComplement = flags.has('s') && to === '' && complement
  const change = (char: string): string => {
    const at = from.indexOf(char)
    if ((at !== -1) === complement) return char
    if (flags.has('d')) return ''
    if (to === '') return char
    return complement ? (to.at(-1) ?? '') : (to[Math.min(at, to.length - 1)] ?? '')
  }
  let last = ''
  for (let chunk = await io.stdin.read(); chunk !== null; chunk = await io.stdin.read()) {
    let out = ''
    for (const char of chunk.toString('latin1')) {
      const changed = change(char)
      const inSet = squeezeComplement ? !from.includes(changed) : squeezed.includes(changed)
      if (changed !== '' && changed === last && inSet && squeezed + from !== '') continue
      out += changed
      if (changed !== '') last = changed
    }
    await io.out(out)
  }
  return 0
}

async function cut(io: CommandIo): Promise<number> {
  const { flags, values, operands } = parseOptions(io, 's', 'dfcbO')
  const list = values['f'] ?? values['c'] ?? values['b']
  if (list === undefined) throw new UsageError('no -cfb')
  const ranges = list.split(',').map((part) => {
    const [, from = '', dash, to = ''] = /^(\d*)(-?)(\d*)$/.exec(part) ?? []
    if (from === '' && to === '') throw new UsageError(`bad list '${list}'`)
    return [Number(from || '1'), dash === '-' ? (to === '' ? Infinity : Number(to)) : Number(from)] as const
  })
  const wanted = (index: number) => ranges.some(([from, to]) => index + 1 >= from && index + 1 <= to)
  const separator = values['d'] ?? '\t'
  return eachInput(io, operands, async (source) => {
    for await (const line of linesOf(source)) {
      if (values['f'] === undefined)
        await io.out(
          `${Array.from(line)
            .filter((_, index) => wanted(index))
            .join('')}\n`,
        )
      else if (!line.includes(separator)) {
        if (!flags.has('s')) await io.out(`${line}\n`)
      } else
        await io.out(
          `${line
            .split(separator)
            .filter((_, index) => wanted(index))
            .join(values['O'] ?? separator)}\n`,
        )
    }
  })
}

async function xargs(io: CommandIo): Promise<number> {
  let at = 0
  let [most, replace, nulls, skipEmpty] = [5000, null as string | null, false, false]
  for (; at < io.args.length && (io.args[at] ?? '').startsWith('-'); at++) {
    const arg = io.args[at] ?? ''
    if (arg === '-0') nulls = true
    else if (arg === '-r') skipEmpty = true
    else if (arg.startsWith('-n')) most = Number(arg.slice(2) || io.args[++at])
    else if (arg.startsWith('-I')) replace = arg.slice(2) || (io.args[++at] ?? '{}')
    else throw new UsageError(`Unknown option '${arg.slice(1)}'`)
  }
  if (!(most > 0)) throw new UsageError('-n: not a number')
  const command = at < io.args.length ? io.args.slice(at) : ['echo']
  const chunks: Buffer[] = []
  for (let chunk = await io.stdin.read(); chunk !== null; chunk = await io.stdin.read()) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('latin1')
  const items = nulls
    ? text.split('\0').filter((item) => item !== '')
    : replace === null
      ? quotedWords(text)
      : text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
  let status = 0
  const run = async (argv: readonly string[]) => {
    const code = await io.spawn(argv, { stdin: { read: () => Promise.resolve(null) } })
    if (code !== 0) status = code === 127 ? 127 : 123
  }
  if (replace !== null) {
    const mark = replace
    for (const item of items) await run(command.map((word) => word.replaceAll(mark, item)))
    return status
  }
  if (items.length === 0 && !skipEmpty && !nulls) await run(command)
  for (let start = 0; start < items.length; start += most)
    await run([...command, ...items.slice(start, start + most)])
  return status
}

/** Splits text into words, with quotes and backslashes as in xargs. */
function quotedWords(text: string): string[] {
  return [...text.matchAll(/(?:"[^"\n]*"|'[^'\n]*'|\\[^]|[^\s"'\\])+/g)].map(([word]) =>
    word.replace(
      /"([^"\n]*)"|'([^'\n]*)'|\\([^])/g,
      (_all, a?: string, b?: string, c?: string) => a ?? b ?? c ?? '',
    ),
  )
}

export const filterCommands: CommandTable = { wc: count, sort, uniq, tr: translate, cut, xargs }
