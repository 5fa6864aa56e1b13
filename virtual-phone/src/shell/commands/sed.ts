/** `sed` with the commands s, p, d and q, and line, `$` and /regex/ addresses. */
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { eachInput, linesOf } from './inputs.js'
import { posixRegExp, type PosixRegExp } from './posix-regexp.js'

type Address = { kind: 'line'; line: number } | { kind: 'last' } | { kind: 'match'; regexp: PosixRegExp }

interface Step {
  from: Address | null
  to: Address | null
  negated: boolean
  inside: boolean
  act: { kind: 'p' | 'd' | 'q' } | Substitution
}

interface Substitution {
  kind: 's'
  regexp: PosixRegExp
  replacement: string
  print: boolean
  nth: number
  all: boolean
}

class Parser {
  private at = 0

  constructor(
    private readonly text: string,
    private readonly extended: boolean,
  ) {}

  steps(): Step[] {
    const steps: Step[] = []
    for (;;) {
      while (/[\s;]/.test(this.text[this.at] ?? '')) this.at += 1
      if (this.at >= this.text.length) return steps
      steps.push(this.step())
    }
  }

  private step(): Step {
    const from = this.address()
    const to = from !== null && this.take(',') ? this.address() : null
    while (this.take(' '));
    const negated = this.take('!')
    const letter = this.text[this.at++] ?? ''
    const base = { from, to, negated, inside: false }
    if (letter === 'p' || letter === 'd' || letter === 'q') return { ...base, act: { kind: letter } }
    if (letter !== 's') throw new UsageError(`command '${letter}' is not supported by this phone`)
    const separator = this.text[this.at++] ?? ''
    const pattern = this.until(separator)
    const replacement = this.until(separator)
    const [flags] = /^[gpIi0-9]*/.exec(this.text.slice(this.at)) ?? ['']
    this.at += flags.length
    const ignoreCase = /i/i.test(flags)
    const regexp = posixRegExp(pattern, { extended: this.extended, ignoreCase })
    const act = {
      kind: 's' as const,
      regexp,
      replacement,
      print: flags.includes('p'),
      all: flags.includes('g'),
      nth: Number(/\d+/.exec(flags)?.[0] ?? '1'),
    }
    return { ...base, act }
  }

  private address(): Address | null {
    const rest = this.text.slice(this.at)
    const line = /^\d+/.exec(rest)
    if (line !== null) {
      this.at += line[0].length
      return { kind: 'line', line: Number(line[0]) }
    }
    if (this.take('$')) return { kind: 'last' }
    if (this.take('/'))
      return { kind: 'match', regexp: posixRegExp(this.until('/'), { extended: this.extended }) }
    return null
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false
    this.at += 1
    return true
  }

  private until(separator: string): string {
    let out = ''
    for (; this.at < this.text.length; this.at++) {
      const char = this.text[this.at] ?? ''
      if (char === separator) {
        this.at += 1
        return out
      }
      if (char === '\\' && this.text[this.at + 1] === separator) this.at += 1
      else if (char === '\\') {
        out += char
        this.at += 1
      }
      out += this.text[this.at] ?? ''
    }
    throw new UsageError(`unfinished 's' command`)
  }
}

function selected(step: Step, line: string, number: number, last: boolean): boolean {
  const hit = (address: Address) =>
    address.kind === 'last'
      ? last
      : address.kind === 'line'
        ? number === address.line
        : address.regexp.test(line)
  let chosen: boolean
  if (step.from === null) chosen = true
  else if (step.to === null) chosen = hit(step.from)
  else if (step.inside) {
    chosen = true
    if (hit(step.to) || (step.to.kind === 'line' && number >= step.to.line)) step.inside = false
  } else {
    chosen = hit(step.from)
    step.inside = chosen && !(step.to.kind === 'line' && number >= step.to.line)
  }
  return chosen !== step.negated
}

function replaced(line: string, act: Substitution): string | null {
  let [text, at, seen] = ['', 0, 0]
  for (const { start, end, groups } of act.regexp.matches(line)) {
    // An empty match directly after another match does not count.
    if (start === end && start === at && seen > 0) continue
    seen += 1
    if (seen < act.nth) continue
    text += line.slice(at, start) + filledIn(act.replacement, groups)
    at = end
    if (!act.all) break
  }
  return seen >= act.nth ? text + line.slice(at) : null
}

function filledIn(replacement: string, groups: readonly (string | null)[]): string {
  return replacement.replace(/\\(.)|&/gs, (all, char: string | undefined) => {
    if (all === '&') return groups[0] ?? ''
    if (char !== undefined && /\d/.test(char)) return groups[Number(char)] ?? ''
    return char === 'n' ? '\n' : char === 't' ? '\t' : (char ?? '')
  })
}

async function sed(io: CommandIo): Promise<number> {
  const scripts: string[] = []
  const files: string[] = []
  let [quiet, extended, inPlace] = [false, false, false]
  for (let at = 0; at < io.args.length; at++) {
    const arg = io.args[at] ?? ''
    if (arg === '-n') quiet = true
    else if (arg === '-E' || arg === '-r') extended = true
    else if (arg === '-i') inPlace = true
    else if (arg === '-e') scripts.push(io.args[++at] ?? '')
    else if (arg.startsWith('-') && arg.length > 1) throw new UsageError(`Unknown option '${arg.slice(1)}'`)
    else files.push(arg)
  }
  const script = scripts.length > 0 ? scripts.join('\n') : files.shift()
  if (script === undefined) throw new UsageError('Needs a script')
  let quit = false
  return eachInput(io, files, async (source, name) => {
    const steps = new Parser(script, extended).steps()
    const output: string[] = []
    const print = async (text: string) => (inPlace ? void output.push(`${text}\n`) : io.out(`${text}\n`))
    let number = 0
    let held: string | null = null
    const apply = async (line: string, last: boolean) => {
      number += 1
      let text = line
      for (const step of steps) {
        if (!selected(step, text, number, last)) continue
        const { act } = step
        if (act.kind === 's') {
          const result = replaced(text, act)
          if (result !== null) text = result
          if (result !== null && act.print) await print(text)
        } else if (act.kind === 'd') return
        else if (act.kind === 'q') quit = true
        else await print(text)
        if (quit) break
      }
      if (!quiet) await print(text)
    }
    for await (const line of linesOf(source)) {
      if (quit) break
      if (held !== null) await apply(held, false)
      held = line
    }
    if (held !== null && !quit) await apply(held, true)
    if (inPlace && name !== '-') await io.fs.writeFile(io.path(name), Buffer.from(output.join(''), 'latin1'))
  })
}

export const sedCommands: CommandTable = { sed }
