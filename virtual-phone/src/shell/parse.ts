/**
 * Parses a script to the tree that the interpreter runs. A script
 * that contains an unsupported construct is refused completely, before its
 * first command. Used by `interpreter.ts` and `session.ts`.
 */
import type {
  Arithmetic,
  Assign,
  CaseItem,
  Command,
  Declaration,
  Redirect,
  Script,
  Statement,
  Test,
  Word,
} from './ast.js'
import { fromParser, toParser } from './bytes.js'
import * as nodes from './parser-nodes.js'
import { child, children, operatorOf, optional, type ParserNode, textOf, typeOf } from './parser-nodes.js'
import { parseWord, SyntaxUnsupported } from './parse-word.js'

/** The script has a syntax error. `incomplete`: more text could complete it. */
export class ShellSyntaxError extends Error {
  constructor(
    message: string,
    readonly incomplete: boolean,
  ) {
    super(message)
    this.name = 'ShellSyntaxError'
  }
}

export { SyntaxUnsupported } from './parse-word.js'

/**
 * The most recently parsed scripts, since programs repeat scripts, and parsing a script mostly takes longer than
 * running it.
 */
const recent = new Map<string, Script>()
const most = { scripts: 300, length: 4000 } as const

/** @throws ShellSyntaxError, SyntaxUnsupported */
export function parse(script: string): Script {
  const parsed = recent.get(script) ?? statements(tree(script), 'Stmts')
  if (script.length > most.length) return parsed
  // Makes the script the most recent again.
  recent.delete(script)
  recent.set(script, parsed)
  const [oldest] = recent.keys()
  if (recent.size > most.scripts && oldest !== undefined) recent.delete(oldest)
  return parsed
}

function tree(script: string): ParserNode {
  try {
    return nodes.parseTree(toParser(script))
  } catch (error) {
    throw new ShellSyntaxError(fromParser(messageOf(error)), nodes.isIncomplete(error))
  }
}

function messageOf(error: unknown): string {
  const described = error as { Error?: () => string }
  const text = typeof described.Error === 'function' ? described.Error() : String(error)
  return text.replace(/^(\d+:\d+): /, '')
}

const arithmetic = (node: ParserNode): Arithmetic => arithmeticNode(node)
const word = (node: ParserNode): Word => parseWord(node, { statements, arithmetic })

function statements(node: ParserNode, field: string): Script {
  return children(node, field).map(statement)
}

function statement(node: ParserNode): Statement {
  if (node['Coprocess'] === true) throw new SyntaxUnsupported('|& (co-processes)')
  const command = optional(node, 'Cmd')
  return {
    command: command === null ? null : commandNode(command),
    negated: node['Negated'] === true,
    background: node['Background'] === true,
    redirects: children(node, 'Redirs').map(redirect),
  }
}

function commandNode(node: ParserNode): Command {
  switch (typeOf(node)) {
    case 'CallExpr':
      return {
        kind: 'call',
        assigns: children(node, 'Assigns').map(assign),
        args: children(node, 'Args').map(word),
      }
    case 'DeclClause':
      return {
        kind: 'declare',
        variant: textOf(child(node, 'Variant'), 'Value'),
        args: children(node, 'Args').map(declaration),
      }
    case 'BinaryCmd':
      return binary(node)
    case 'Subshell':
      return { kind: 'subshell', body: statements(node, 'Stmts') }
    case 'Block':
      return { kind: 'block', body: statements(node, 'Stmts') }
    case 'IfClause':
      return {
        kind: 'if',
        condition: statements(node, 'Cond'),
        then: statements(node, 'Then'),
        else: elseOf(optional(node, 'Else')),
      }
    case 'WhileClause':
      return {
        kind: 'while',
        until: node['Until'] === true,
        condition: statements(node, 'Cond'),
        body: statements(node, 'Do'),
      }
    case 'ForClause':
      return forLoop(node)
    case 'CaseClause':
      return {
        kind: 'case',
        subject: word(child(node, 'Word')),
        items: children(node, 'Items').map(caseItem),
      }
    case 'FuncDecl':
      return {
        kind: 'function',
        name: fromParser(textOf(child(node, 'Name'), 'Value')),
        body: statement(child(node, 'Body')),
      }
    case 'TestClause':
      return { kind: 'test', test: testNode(child(node, 'X')) }
    case 'ArithmCmd':
      return { kind: 'arithmetic', expression: arithmetic(child(node, 'X')) }
    case 'TimeClause':
      throw new SyntaxUnsupported('time')
    case 'LetClause':
      throw new SyntaxUnsupported('let')
    default:
      throw new SyntaxUnsupported(typeOf(node))
  }
}

function elseOf(node: ParserNode | null): Script {
  if (node === null) return []
  if (children(node, 'Cond').length === 0) return statements(node, 'Then')
  return [{ command: commandNode(node), negated: false, background: false, redirects: [] }]
}

function binary(node: ParserNode): Command {
  const operator = operatorOf(node)
  const left = statement(child(node, 'X'))
  const right = statement(child(node, 'Y'))
  if (operator === '&&') return { kind: 'and', left, right }
  if (operator === '||') return { kind: 'or', left, right }
  if (operator !== '|') throw new SyntaxUnsupported('this way of joining commands')
  const flat = (part: Statement): readonly Statement[] =>
    part.command?.kind === 'pipe' && part.redirects.length === 0 && !part.negated
      ? part.command.parts
      : [part]
  return { kind: 'pipe', parts: [...flat(left), ...flat(right)] }
}

function forLoop(node: ParserNode): Command {
  if (node['Select'] === true) throw new SyntaxUnsupported('select')
  const loop = child(node, 'Loop')
  if (typeOf(loop) !== 'WordIter') throw new SyntaxUnsupported('for ((…))')
  const inPosition = loop['InPos'] as { IsValid?: () => boolean } | undefined
  const overParameters = inPosition?.IsValid?.() === false
  return {
    kind: 'for',
    name: textOf(child(loop, 'Name'), 'Value'),
    words: overParameters ? null : children(loop, 'Items').map(word),
    body: statements(node, 'Do'),
  }
}

function caseItem(node: ParserNode): CaseItem {
  const operator = operatorOf(node)
  if (operator === null) throw new SyntaxUnsupported(';| in case')
  return {
    patterns: children(node, 'Patterns').map(word),
    body: statements(node, 'Stmts'),
    fallsThrough: operator === ';&',
  }
}

function assign(node: ParserNode): Assign {
  if (optional(node, 'Index') !== null || optional(node, 'Array') !== null)
    throw new SyntaxUnsupported('arrays')
  const value = optional(node, 'Value')
  return {
    name: textOf(child(node, 'Name'), 'Value'),
    append: node['Append'] === true,
    value: value === null ? [] : word(value),
  }
}

function declaration(node: ParserNode): Declaration {
  if (node['Naked'] !== true) return assign(node)
  const name = optional(node, 'Name')
  if (name !== null) return { word: [{ kind: 'literal', text: textOf(name, 'Value') }] }
  return { word: word(child(node, 'Value')) }
}

function redirect(node: ParserNode): Redirect {
  const operator = operatorOf(node)
  const number = optional(node, 'N')
  const text = number === null ? '' : textOf(number, 'Value')
  if (!/^\d*$/.test(text)) throw new SyntaxUnsupported('{name}> redirection')
  const fd = text === '' ? (operator?.startsWith('<') === true ? 0 : 1) : Number(text)
  const target = word(child(node, 'Word'))
  switch (operator) {
    case '<':
      return { fd, how: 'read', word: target }
    case '>':
      return { fd, how: 'write', word: target }
    case '>|':
      return { fd, how: 'overwrite', word: target }
    case '>>':
      return { fd, how: 'append', word: target }
    case '<>':
      return { fd, how: 'read-write', word: target }
    case '<&':
    case '>&':
      return { fd, how: 'duplicate', word: target }
    case '<<<':
      return {
        fd,
        how: 'text',
        word: [{ kind: 'double', parts: [...target, { kind: 'quoted', text: '\n' }] }],
      }
    case '<<':
    case '<<-':
      return { fd, how: 'text', word: hereDocument(node, target, operator === '<<-') }
    default:
      throw new SyntaxUnsupported('this redirection')
  }
}

/** A quoted delimiter disables expansion in the text. */
function hereDocument(node: ParserNode, mark: Word, stripTabs: boolean): Word {
  const body = optional(node, 'Hdoc')
  if (body === null) return []
  const asItIs = mark.some((part) => part.kind !== 'literal' || part.text.includes('\\'))
  const strip = (text: string) => (stripTabs ? text.replace(/^\t+/gm, '') : text)
  if (asItIs)
    return children(body, 'Parts').map((part) => ({
      kind: 'quoted',
      text: strip(fromParser(textOf(part, 'Value'))),
    }))
  const parts = word(body).map((part) =>
    part.kind === 'literal' ? { ...part, text: strip(part.text) } : part,
  )
  return [{ kind: 'double', parts }]
}

function arithmeticNode(node: ParserNode): Arithmetic {
  switch (typeOf(node)) {
    case 'Word':
      return { kind: 'word', word: word(node) }
    case 'ParenArithm':
      return arithmetic(child(node, 'X'))
    case 'UnaryArithm': {
      const operator = operatorOf(node)
      if (operator === null) break
      return {
        kind: 'unary',
        operator,
        postfix: node['Post'] === true,
        operand: arithmetic(child(node, 'X')),
      }
    }
    case 'BinaryArithm': {
      const operator = operatorOf(node)
      if (operator === null) break
      const left = arithmetic(child(node, 'X'))
      if (operator !== '?') return { kind: 'binary', operator, left, right: arithmetic(child(node, 'Y')) }
      const branches = child(node, 'Y')
      return {
        kind: 'ternary',
        condition: left,
        yes: arithmetic(child(branches, 'X')),
        no: arithmetic(child(branches, 'Y')),
      }
    }
  }
  throw new SyntaxUnsupported('this arithmetic')
}

function testNode(node: ParserNode): Test {
  const type = typeOf(node)
  if (type === 'Word') return { kind: 'word', word: word(node) }
  if (type === 'ParenTest') return testNode(child(node, 'X'))
  const operator = operatorOf(node)
  if (operator === null) throw new SyntaxUnsupported('this test in [[ ]]')
  if (type === 'UnaryTest') {
    if (operator === '!') return { kind: 'not', operand: testNode(child(node, 'X')) }
    return { kind: 'unary', operator, word: word(child(node, 'X')) }
  }
  if (operator === '&&' || operator === '||') {
    const kind = operator === '&&' ? 'and' : 'or'
    return { kind, left: testNode(child(node, 'X')), right: testNode(child(node, 'Y')) }
  }
  return { kind: 'compare', operator, left: word(child(node, 'X')), right: word(child(node, 'Y')) }
}
