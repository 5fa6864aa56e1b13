/** `[[ … ]]`, and the single tests that it shares with `test` and `[`. */
import type { FileSystem } from '../fs/file-system.js'
import { may } from '../fs/access.js'
import type { Test } from './ast.js'
import type { Expander } from './expand.js'
import { compile, matches } from './pattern.js'
import { absolute } from './process.js'

export interface TestContext {
  readonly fs: FileSystem
  readonly cwd: string
}

export async function evaluateTest(test: Test, expander: Expander, context: TestContext): Promise<boolean> {
  switch (test.kind) {
    case 'word':
      return (await expander.text(test.word)) !== ''
    case 'not':
      return !(await evaluateTest(test.operand, expander, context))
    case 'and':
      return (await evaluateTest(test.left, expander, context)) && evaluateTest(test.right, expander, context)
    case 'or':
      return (await evaluateTest(test.left, expander, context)) || evaluateTest(test.right, expander, context)
    case 'unary':
      return unaryTest(test.operator, await expander.text(test.word), context) ?? false
    case 'compare': {
      const left = await expander.text(test.left)
      if (test.operator === '==' || test.operator === '=' || test.operator === '!=') {
        const same = matches(compile(await expander.pieces(test.right)), left)
        return same === (test.operator !== '!=')
      }
      return binaryTest(left, test.operator, await expander.text(test.right), context) ?? false
    }
  }
}

/** Null for an unknown test. */
export function unaryTest(operator: string, value: string, context: TestContext): boolean | null {
  const path = absolute(context.cwd, value)
  const stat = () => (value === '' ? null : context.fs.tryStat(path))
  switch (operator) {
    case '-n':
      return value !== ''
    case '-z':
      return value === ''
    case '-e':
    case '-a':
      return stat() !== null
    case '-f':
      return stat()?.kind === 'file' || stat()?.kind === 'generated'
    case '-d':
      return stat()?.kind === 'directory'
    case '-L':
    case '-h':
      return context.fs.tryLstat(path)?.kind === 'link'
    case '-s':
      return (stat()?.size ?? 0) > 0
    case '-c':
      return stat()?.kind === 'device'
    case '-b':
    case '-p':
    case '-S':
    case '-t':
      return false
    case '-r':
      return context.fs.access(path, may.read)
    case '-w':
      return context.fs.access(path, may.write)
    case '-x':
      return context.fs.access(path, may.execute)
    default:
      return null
  }
}

/** Null for an unknown test. */
export function binaryTest(
  left: string,
  operator: string,
  right: string,
  context: TestContext,
): boolean | null {
  const [a, b] = [Number(left.trim()), Number(right.trim())]
  const times = () =>
    [left, right].map((name) => context.fs.tryStat(absolute(context.cwd, name))?.mtimeMs ?? -1)
  switch (operator) {
    case '=':
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '<':
      return left < right
    case '>':
      return left > right
    case '-eq':
      return a === b
    case '-ne':
      return a !== b
    case '-lt':
      return a < b
    case '-le':
      return a <= b
    case '-gt':
      return a > b
    case '-ge':
      return a >= b
    case '-nt':
      return (times()[0] ?? -1) > (times()[1] ?? -1)
    case '-ot':
      return (times()[0] ?? -1) < (times()[1] ?? -1)
    case '-ef':
      return (
        context.fs.tryStat(absolute(context.cwd, left))?.ino ===
        context.fs.tryStat(absolute(context.cwd, right))?.ino
      )
    default:
      return null
  }
}
