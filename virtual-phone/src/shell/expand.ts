/**
 * Word expansion: parameters, command substitution, arithmetic, splitting,
 * file names. Used by `interpreter.ts`. Order and rules as in POSIX and mksh.
 */
import type { FileSystem } from '../fs/file-system.js'
import { evaluate, type ArithmeticVariables } from './arithmetic.js'
import type { Arithmetic, Parameter, Script, Word, WordPart } from './ast.js'
import { expandBraces } from './braces.js'
import { expandFileNames } from './file-names.js'
import { changeText } from './parameter-text.js'
import { compile, hasWildcard, type Piece } from './pattern.js'

/** The parts of the running shell that expansion needs. */
export interface ExpansionShell {
  readonly fs: FileSystem
  readonly cwd: string
  readonly parameters: readonly string[]
  /** `-f`: file names are not expanded. */
  readonly noGlob: boolean
  /** `-u`: an unset parameter ends the shell. */
  readonly noUnset: boolean
  /** Returns variables, `?`, `#`, `$`, `!`, `0` to `9…`, `-`; null when unset. */
  lookup(name: string): string | null
  assign(name: string, value: string): void
  /** Returns the output of a command substitution, without its closing newlines. */
  substitute(body: Script): Promise<string>
}

/** `${x:?text}`, or an unset parameter under `set -u`, ends the shell. */
export class ParameterError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ParameterError'
  }
}

/** The field that is being built; null while it is empty. */
type Field = Piece[] | null

export class Expander {
  constructor(private readonly shell: ExpansionShell) {}

  /** Expands one word to any number of arguments. */
  async fields(word: Word): Promise<string[]> {
    const fields: string[] = []
    for (const each of expandBraces(word)) fields.push(...(await this.fieldsOf(each)))
    return fields
  }

  private async fieldsOf(word: Word): Promise<string[]> {
    const done: Piece[][] = []
    let current: Field = null
    const append = (piece: Piece) => (current = [...(current ?? []), piece])
    const finish = () => {
      if (current !== null) done.push(current)
      current = null
    }
    for (const [index, part] of word.entries()) {
      if (part.kind === 'literal') this.literal(part.text, index === 0).forEach(append)
      else if (part.kind === 'quoted') append({ text: part.text, quoted: true })
      else if (isAllParameters(part)) {
        this.shell.parameters.forEach((value, at) => {
          if (at > 0) finish()
          this.split(value, append, finish)
        })
      } else if (part.kind === 'double') await this.doubleQuoted(part.parts, append, finish)
      else if (
        part.kind === 'parameter' &&
        part.parameter.change.kind !== 'none' &&
        usesWord(part.parameter)
      ) {
        await this.parameterWord(part.parameter, append, finish)
      } else this.split(await this.value(part), append, finish)
    }
    finish()
    return done.flatMap((pieces) => this.fileNames(pieces))
  }

  /** Expands one word to one text, without splitting and without file names. */
  async text(word: Word): Promise<string> {
    return (await this.pieces(word)).map((piece) => piece.text).join('')
  }

  /** Like `text`, but keeps quoted parts separate. */
  async pieces(word: Word): Promise<Piece[]> {
    const pieces: Piece[] = []
    for (const [index, part] of word.entries()) {
      if (part.kind === 'literal') pieces.push(...this.literal(part.text, index === 0))
      else if (part.kind === 'quoted') pieces.push({ text: part.text, quoted: true })
      else if (part.kind === 'double') pieces.push({ text: await this.quotedText(part.parts), quoted: true })
      else pieces.push({ text: await this.value(part), quoted: false })
    }
    return pieces
  }

  number(expression: Arithmetic): Promise<number> {
    const variables: ArithmeticVariables = {
      text: (node) => this.text(node.word),
      get: (name) => this.shell.lookup(name),
      set: (name, value) => this.shell.assign(name, value),
    }
    return evaluate(expression, variables)
  }

  private fileNames(pieces: Piece[]): string[] {
    const text = pieces.map((piece) => piece.text).join('')
    if (this.shell.noGlob || !hasWildcard(pieces)) return [text]
    const found = expandFileNames(this.shell.fs, this.shell.cwd, pieces)
    return found.length === 0 ? [text] : found
  }

  private async doubleQuoted(
    parts: readonly WordPart[],
    append: (p: Piece) => void,
    finish: () => void,
  ): Promise<void> {
    if (parts.length === 1 && isAllParameters(parts[0]) && this.shell.parameters.length === 0) return
    append({ text: '', quoted: true })
    for (const part of parts) {
      if (isAllParameters(part)) {
        this.shell.parameters.forEach((value, at) => {
          if (at > 0) finish()
          append({ text: value, quoted: true })
        })
      } else append({ text: await this.quotedText([part]), quoted: true })
    }
  }

  private async quotedText(parts: readonly WordPart[]): Promise<string> {
    let text = ''
    for (const part of parts) {
      if (part.kind === 'literal') text += unescapeDouble(part.text)
      else if (part.kind === 'quoted') text += part.text
      else if (part.kind === 'double') text += await this.quotedText(part.parts)
      else text += await this.value(part)
    }
    return text
  }

  /** `${x:-a "b c"}` unquoted: quotes inside the default word still apply. */
  private async parameterWord(
    parameter: Parameter,
    append: (p: Piece) => void,
    finish: () => void,
  ): Promise<void> {
    const chosen = await this.chosenWord(parameter)
    if (typeof chosen === 'string') return this.split(chosen, append, finish)
    for (const piece of await this.pieces(chosen)) {
      if (piece.quoted) append(piece)
      else this.split(piece.text, append, finish)
    }
  }

  private async value(part: WordPart): Promise<string> {
    switch (part.kind) {
      case 'command':
        return this.shell.substitute(part.body)
      case 'arithmetic':
        return String(await this.number(part.expression))
      case 'parameter':
        return this.parameterText(part.parameter)
      case 'literal':
      case 'quoted':
        return part.text
      case 'double':
        return this.quotedText(part.parts)
    }
  }

  private async parameterText(parameter: Parameter): Promise<string> {
    if (usesWord(parameter)) {
      const chosen = await this.chosenWord(parameter)
      return typeof chosen === 'string' ? chosen : this.text(chosen)
    }
    const value = this.read(parameter.name)
    if (value === null && this.shell.noUnset && !'@*'.includes(parameter.name))
      throw new ParameterError(`${parameter.name}: parameter not set`)
    if (parameter.length) {
      const count = parameter.name === '@' || parameter.name === '*'
      return String(count ? this.shell.parameters.length : (value ?? '').length)
    }
    const { change } = parameter
    switch (change.kind) {
      case 'prefix':
      case 'suffix':
        return changeText(value ?? '', { ...change, pattern: compile(await this.pieces(change.pattern)) })
      case 'replace':
        return changeText(value ?? '', {
          ...change,
          pattern: compile(await this.pieces(change.pattern)),
          replacement: await this.text(change.replacement),
        })
      case 'slice':
        return changeText(value ?? '', {
          kind: 'slice',
          offset: await this.number(change.offset),
          length: change.length === null ? null : await this.number(change.length),
        })
      default:
        return value ?? ''
    }
  }

  /** Returns the value of a parameter, or its default word. */
  private async chosenWord(parameter: Parameter): Promise<string | Word> {
    const { change, name } = parameter
    const value = this.read(name)
    if (!('orEmpty' in change)) return value ?? ''
    const present = value !== null && !(change.orEmpty && value === '')
    if (change.kind === 'alternative') return present ? change.word : ''
    if (present) return value
    if (change.kind === 'default') return change.word
    const text = await this.text(change.word)
    if (change.kind === 'error')
      throw new ParameterError(`${name}: ${text === '' ? 'parameter null or not set' : text}`)
    this.shell.assign(name, text)
    return text
  }

  private read(name: string): string | null {
    if (name === '@' || name === '*') {
      const all = this.shell.parameters
      return all.length === 0 ? null : all.join((this.shell.lookup('IFS') ?? ' ').slice(0, 1))
    }
    return this.shell.lookup(name)
  }

  /** Splits a value at the characters of IFS. */
  private split(value: string, append: (piece: Piece) => void, finish: () => void): void {
    const separators = this.shell.lookup('IFS') ?? ' \t\n'
    if (separators === '') {
      if (value !== '') append({ text: value, quoted: false })
      return
    }
    let text = ''
    let afterBlank = false
    for (const char of value) {
      const separates = separators.includes(char)
      if (!separates) {
        text += char
        afterBlank = false
        continue
      }
      const blank = ' \t\n'.includes(char)
      if (text !== '') append({ text, quoted: false })
      else if (!blank && !afterBlank) append({ text: '', quoted: true })
      text = ''
      finish()
      afterBlank = blank
    }
    if (text !== '') append({ text, quoted: false })
  }

  /** Removes backslashes and a leading tilde from unquoted text. */
  private literal(text: string, first: boolean): Piece[] {
    const pieces: Piece[] = []
    let rest = text
    if (first && (text === '~' || text.startsWith('~/'))) {
      pieces.push({ text: this.shell.lookup('HOME') ?? '/', quoted: true })
      rest = text.slice(1)
    }
    let plain = ''
    for (let at = 0; at < rest.length; at++) {
      const char = rest[at] ?? ''
      if (char !== '\\' || at + 1 >= rest.length) {
        plain += char
        continue
      }
      at += 1
      if (rest[at] === '\n') continue
      if (plain !== '') pieces.push({ text: plain, quoted: false })
      plain = ''
      pieces.push({ text: rest[at] ?? '', quoted: true })
    }
    if (plain !== '') pieces.push({ text: plain, quoted: false })
    return pieces
  }
}

function usesWord(parameter: Parameter): boolean {
  return !parameter.length && 'orEmpty' in parameter.change
}

function isAllParameters(part: WordPart | undefined): boolean {
  return (
    part?.kind === 'parameter' &&
    part.parameter.name === '@' &&
    part.parameter.change.kind === 'none' &&
    !part.parameter.length
  )
}

/** Inside double quotes, a backslash quotes only these characters. */
function unescapeDouble(text: string): string {
  return text.replace(/\\([$`"\\\n])/g, (_all, char: string) => (char === '\n' ? '' : char))
}
