/** `test` and `[`. */
import { type CommandIo, type CommandTable, UsageError } from '../command.js'
import { binaryTest, type TestContext, unaryTest } from '../test-expression.js'

class Reader {
  private at = 0

  constructor(
    private readonly args: readonly string[],
    private readonly context: TestContext,
  ) {}

  all(): boolean {
    if (this.args.length === 0) return false
    const value = this.or()
    if (this.at < this.args.length)
      throw new UsageError(`${this.args[this.at] ?? ''}: unexpected operator/operand`, 2)
    return value
  }

  private or(): boolean {
    let value = this.and()
    while (this.args[this.at] === '-o') {
      this.at += 1
      value = this.and() || value
    }
    return value
  }

  private and(): boolean {
    let value = this.one()
    while (this.args[this.at] === '-a') {
      this.at += 1
      value = this.one() && value
    }
    return value
  }

  private one(): boolean {
    const left = this.args.length - this.at
    const [first = '', second = '', third = ''] = this.args.slice(this.at)
    if (left === 2 && /^(=|==|!=|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/.test(second))
      throw new UsageError(`${second}: missing second argument`, 2)
    const binary = left >= 3 ? binaryTest(first, second, third, this.context) : null
    if (binary !== null) {
      if (/^-(eq|ne|lt|le|gt|ge)$/.test(second)) this.checkNumbers(first, third)
      this.at += 3
      return binary
    }
    if (first === '!' && left > 1) {
      this.at += 1
      return !this.one()
    }
    if (first === '(' && left > 1) {
      this.at += 1
      const value = this.or()
      if (this.args[this.at] !== ')') throw new UsageError('missing )', 2)
      this.at += 1
      return value
    }
    const unary = left >= 2 ? unaryTest(first, second, this.context) : null
    if (unary !== null) {
      this.at += 2
      return unary
    }
    this.at += 1
    return first !== ''
  }

  private checkNumbers(...values: string[]): void {
    const wrong = values.find((value) => !/^\s*([-+]?\d+|[A-Za-z_]\w*|)\s*$/.test(value))
    if (wrong !== undefined) throw new UsageError(`${wrong}: unexpected '${wrong.slice(0, 1)}'`, 2)
  }
}

async function run(io: CommandIo, args: readonly string[]): Promise<number> {
  try {
    return new Reader(args, { fs: io.fs, cwd: io.cwd }).all() ? 0 : 1
  } catch (error) {
    if (error instanceof UsageError) return complain(io, error.message)
    throw error
  }
}

/** A builtin reports errors with the shell's name. */
async function complain(io: CommandIo, message: string): Promise<number> {
  await io.err(`/system/bin/sh: ${io.name}: ${message}\n`)
  return 2
}

export const testCommands: CommandTable = {
  test: (io) => run(io, io.args),
  '[': async (io) => {
    if (io.args.at(-1) !== ']') return complain(io, 'missing ]')
    return run(io, io.args.slice(0, -1))
  },
}
