/** Converts the parser's words to our tree: quoting, parameters, substitutions. Used by `parse.ts`. */
import type { Arithmetic, Parameter, Script, Word, WordPart } from './ast.js'
import { fromParser } from './bytes.js'
import { unescapeDollarQuoted } from './escapes.js'
import { child, children, operatorOf, optional, type ParserNode, textOf, typeOf } from './parser-nodes.js'

/** Valid shell syntax that is not implemented here. */
export class SyntaxUnsupported extends Error {
  constructor(what: string) {
    super(`${what}: not supported by this phone's shell`)
    this.name = 'SyntaxUnsupported'
  }
}

/** Parser functions for the constructs that words contain. */
interface Inner {
  statements(node: ParserNode, field: string): Script
  arithmetic(node: ParserNode): Arithmetic
}

export function parseWord(node: ParserNode, inner: Inner): Word {
  return children(node, 'Parts').map((part) => wordPart(part, inner))
}

function wordPart(node: ParserNode, inner: Inner): WordPart {
  switch (typeOf(node)) {
    case 'Lit':
      return { kind: 'literal', text: fromParser(textOf(node, 'Value')) }
    case 'SglQuoted': {
      const text = fromParser(textOf(node, 'Value'))
      return { kind: 'quoted', text: node['Dollar'] === true ? unescapeDollarQuoted(text) : text }
    }
    case 'DblQuoted':
      return { kind: 'double', parts: parseWord(node, inner) }
    case 'ParamExp':
      return { kind: 'parameter', parameter: parameter(node, inner) }
    case 'CmdSubst':
      if (node['TempFile'] === true || node['ReplyVar'] === true) throw new SyntaxUnsupported('${ command;}')
      return { kind: 'command', body: inner.statements(node, 'Stmts') }
    case 'ArithmExp':
      return { kind: 'arithmetic', expression: inner.arithmetic(child(node, 'X')) }
    case 'ExtGlob':
      throw new SyntaxUnsupported('extended patterns')
    default:
      throw new SyntaxUnsupported(typeOf(node))
  }
}

function parameter(node: ParserNode, inner: Inner): Parameter {
  if (node['Excl'] === true || node['Width'] === true) throw new SyntaxUnsupported('${!…} and ${%…}')
  if (optional(node, 'Index') !== null) throw new SyntaxUnsupported('arrays')
  const name = textOf(child(node, 'Param'), 'Value')
  const length = node['Length'] === true
  const slice = optional(node, 'Slice')
  if (slice !== null) {
    const part = optional(slice, 'Length')
    const offset = inner.arithmetic(child(slice, 'Offset'))
    return {
      name,
      length,
      change: { kind: 'slice', offset, length: part === null ? null : inner.arithmetic(part) },
    }
  }
  const replace = optional(node, 'Repl')
  if (replace !== null) {
    const replacement = optional(replace, 'With')
    return {
      name,
      length,
      change: {
        kind: 'replace',
        all: replace['All'] === true,
        pattern: parseWord(child(replace, 'Orig'), inner),
        replacement: replacement === null ? [] : parseWord(replacement, inner),
      },
    }
  }
  const expansion = optional(node, 'Exp')
  if (expansion === null) return { name, length, change: { kind: 'none' } }
  return { name, length, change: changeOf(expansion, inner) }
}

function changeOf(expansion: ParserNode, inner: Inner): Parameter['change'] {
  const operator = operatorOf(expansion)
  const inWord = optional(expansion, 'Word')
  const word = inWord === null ? [] : parseWord(inWord, inner)
  const orEmpty = operator?.startsWith(':') === true
  switch (operator) {
    case '-':
    case ':-':
      return { kind: 'default', orEmpty, word }
    case '=':
    case ':=':
      return { kind: 'assign', orEmpty, word }
    case '?':
    case ':?':
      return { kind: 'error', orEmpty, word }
    case '+':
    case ':+':
      return { kind: 'alternative', orEmpty, word }
    case '#':
    case '##':
      return { kind: 'prefix', longest: operator === '##', pattern: word }
    case '%':
    case '%%':
      return { kind: 'suffix', longest: operator === '%%', pattern: word }
    default:
      throw new SyntaxUnsupported('this ${…}')
  }
}
