/**
 * Parses the text of `-android uiautomator`: `new UiSelector().text("a").instance(1)`, and the same for
 * `UiScrollable`. The grammar is the server's: a chain of method calls with booleans, numbers, strings and selectors.
 */
import { ServerError } from './errors.js'

type Argument = string | number | boolean | Call[]

/** The first call is the constructor: `UiSelector` or `UiScrollable`. */
export interface Call {
  name: string
  arguments: Argument[]
}

/** @throws ServerError */
export function parseChain(text: string): Call[] {
  const reader = new Reader(text)
  const chain = reader.chain(true)
  reader.end()
  return chain
}

export function syntaxError(text: string, message: string): ServerError {
  return new ServerError('invalid selector', `Could not parse expression \`${text}\`: ${message}`)
}

class Reader {
  private at = 0
  private readonly text: string

  constructor(private readonly given: string) {
    this.text = given.trim().replace(/;$/, '')
    if (this.text === '') throw this.error('Tried to parse an empty string')
  }

  /** `outermost`: the constructor can be omitted, as in `.text("a")` or `text("a")`. */
  chain(outermost = false): Call[] {
    const calls: Call[] = []
    const named = this.take(/(?:new\s+)?(UiSelector|UiScrollable)\b\s*/y)
    if (named !== null) calls.push({ name: named[1] ?? '', arguments: this.parameters() })
    else if (outermost) {
      calls.push({ name: 'UiSelector', arguments: [] })
      this.take(/\s*\.\s*/y)
      calls.push(this.call())
    } else throw this.error(`Was trying to parse a selector at position ${this.at}`)
    while (this.take(/\s*\.\s*/y) !== null) calls.push(this.call())
    return calls
  }

  end(): void {
    this.take(/\s*/y)
    if (this.at < this.text.length) throw this.error(`Expected "." at position ${this.at}`)
  }

  private call(): Call {
    const name = this.take(/\s*([A-Za-z]\w*)\s*(?=\()/y)
    if (name === null) throw this.error(`No opening parenthesis after method name at position ${this.at}`)
    return { name: name[1] ?? '', arguments: this.parameters() }
  }

  private parameters(): Argument[] {
    const values: Argument[] = []
    if (this.take(/\(\s*/y) === null) throw this.error(`Expected "(" at position ${this.at}`)
    if (this.take(/\)/y) !== null) return values
    do values.push(this.value())
    while (this.take(/\s*,\s*/y) !== null)
    if (this.take(/\s*\)/y) === null) throw this.error('Unclosed paren in expression')
    return values
  }

  private value(): Argument {
    const string = this.take(/"((?:[^"\\]|\\[^])*)"/y)
    if (string !== null) return unescape(string[1] ?? '')
    const plain = this.take(/(?:true|false|-?\d+(?:\.\d+)?)\b/y)
    if (plain !== null)
      return plain[0] === 'true' || plain[0] === 'false' ? plain[0] === 'true' : Number(plain[0])
    const ofClass = this.take(/([A-Za-z_][\w.]*)\.class\b/y)
    if (ofClass !== null) return ofClass[1] ?? ''
    return this.chain()
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (match !== null) this.at = pattern.lastIndex
    return match
  }

  private error(message: string): ServerError {
    return syntaxError(this.given, message)
  }
}

/** Decodes a Java string literal. */
function unescape(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }
  return text.replace(/\\([^])/g, (_, character: string) => letters[character] ?? character)
}
