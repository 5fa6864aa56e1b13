/** `$((…))` with 32-bit signed numbers, as in mksh. Used by `expand.ts`. */
import type { Arithmetic } from './ast.js'

export class ArithmeticError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ArithmeticError'
  }
}

/** The variables that an expression reads and sets. */
export interface ArithmeticVariables {
  /** Returns the text of a word after expansion of its `$…`. */
  text(node: Arithmetic & { kind: 'word' }): Promise<string>
  get(name: string): string | null
  set(name: string, value: string): void
}

const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/

/** @throws ArithmeticError */
export async function evaluate(node: Arithmetic, variables: ArithmeticVariables): Promise<number> {
  switch (node.kind) {
    case 'word':
      return valueOf((await variables.text(node)).trim(), variables, 0)
    case 'ternary':
      return evaluate((await evaluate(node.condition, variables)) === 0 ? node.no : node.yes, variables)
    case 'unary':
      return unary(node, variables)
    case 'binary':
      return binary(node, variables)
  }
}

async function unary(node: Arithmetic & { kind: 'unary' }, variables: ArithmeticVariables): Promise<number> {
  const value = await evaluate(node.operand, variables)
  switch (node.operator) {
    case '-':
      return -value | 0
    case '+':
      return value
    case '!':
      return value === 0 ? 1 : 0
    case '~':
      return ~value
    case '++':
    case '--': {
      const changed = (value + (node.operator === '++' ? 1 : -1)) | 0
      await store(node.operand, changed, variables)
      return node.postfix ? value : changed
    }
    default:
      throw new ArithmeticError(`${node.operator}: bad operator`)
  }
}

async function binary(
  node: Arithmetic & { kind: 'binary' },
  variables: ArithmeticVariables,
): Promise<number> {
  const { operator } = node
  if (operator === '&&' || operator === '||') {
    const left = (await evaluate(node.left, variables)) !== 0
    if (left === (operator === '||')) return left ? 1 : 0
    return (await evaluate(node.right, variables)) === 0 ? 0 : 1
  }
  const assignment = /^(|[-+*/%&|^]|<<|>>)=$/.exec(operator)
  if (assignment !== null) {
    const right = await evaluate(node.right, variables)
    const change = assignment[1] ?? ''
    const result = change === '' ? right : calculate(change, await evaluate(node.left, variables), right)
    await store(node.left, result, variables)
    return result
  }
  return calculate(operator, await evaluate(node.left, variables), await evaluate(node.right, variables))
}

function calculate(operator: string, a: number, b: number): number {
  const truth = (value: boolean) => (value ? 1 : 0)
  switch (operator) {
    case '+':
      return (a + b) | 0
    case '-':
      return (a - b) | 0
    case '*':
      return Math.imul(a, b)
    case '/':
    case '%':
      if (b === 0) throw new ArithmeticError('zero divisor')
      return (operator === '/' ? a / b : a % b) | 0
    case '&':
      return a & b
    case '|':
      return a | b
    case '^':
      return a ^ b
    case '<<':
      return a << b
    case '>>':
      return a >> b
    case '<':
      return truth(a < b)
    case '<=':
      return truth(a <= b)
    case '>':
      return truth(a > b)
    case '>=':
      return truth(a >= b)
    case '==':
      return truth(a === b)
    case '!=':
      return truth(a !== b)
    case ',':
      return b
    default:
      throw new ArithmeticError(`${operator}: bad operator`)
  }
}

async function store(node: Arithmetic, value: number, variables: ArithmeticVariables): Promise<void> {
  const name = node.kind === 'word' ? (await variables.text(node)).trim() : ''
  if (!nameForm.test(name)) throw new ArithmeticError('requires an lvalue')
  variables.set(name, String(value))
}

/**
 * Returns the value of a number, or of a variable that contains a number (or the name of another variable, up to a
 * depth).
 */
function valueOf(text: string, variables: ArithmeticVariables, depth: number): number {
  if (text === '') return 0
  if (nameForm.test(text)) {
    if (depth > 20) throw new ArithmeticError(`${text}: expression recurses on parameter`)
    return valueOf((variables.get(text) ?? '').trim(), variables, depth + 1)
  }
  const based = /^([-+]?)(\d+)#([0-9a-zA-Z]+)$/.exec(text)
  if (based !== null) return parseBase(based[3] ?? '', Number(based[2]), text) * (based[1] === '-' ? -1 : 1)
  const plain = /^([-+]?)(0[xX][0-9a-fA-F]+|\d+)$/.exec(text)
  if (plain === null) throw new ArithmeticError(`${text}: unexpected '${text.slice(-1)}'`)
  return (Number(plain[2]) * (plain[1] === '-' ? -1 : 1)) | 0
}

function parseBase(digits: string, base: number, text: string): number {
  const value = base >= 2 && base <= 36 ? parseInt(digits, base) : NaN
  if (Number.isNaN(value)) throw new ArithmeticError(`${text}: bad number`)
  return value | 0
}
