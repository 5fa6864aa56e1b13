/**
 * The used part of the parser library's tree, and its tables of
 * operators. mvdan-sh (a Go parser compiled to JavaScript) has no types: these
 * follow its Go documentation (`mvdan.cc/sh/v3/syntax`) and were checked by running it.
 */
import { createRequire } from 'node:module'

/** A node of any type: its fields are read by name, and checked where they are read. */
export type ParserNode = Readonly<Record<string, unknown>>

interface Library {
  NodeType(node: unknown): string
  NewParser(...options: unknown[]): { Parse(script: string, name: string): unknown }
  Variant(language: unknown): unknown
  LangMirBSDKorn: unknown
  IsIncomplete(error: unknown): boolean
}

// Not by `import`, which would search its 1.5 MB for names of exports, for 0.1 s.
const { syntax: library } = createRequire(import.meta.url)('mvdan-sh') as { syntax: Library }
const parser = library.NewParser(library.Variant(library.LangMirBSDKorn))

/** @throws the parser's errors */
export function parseTree(script: string): ParserNode {
  return asNode(parser.Parse(script, ''))
}

export function typeOf(node: ParserNode): string {
  return library.NodeType(node)
}

export function isIncomplete(error: unknown): boolean {
  return library.IsIncomplete(error)
}

export function asNode(value: unknown): ParserNode {
  if (typeof value !== 'object' || value === null) throw new Error('the shell parser gave no node')
  return value as ParserNode
}

export function child(node: ParserNode, field: string): ParserNode {
  return asNode(node[field])
}

export function optional(node: ParserNode, field: string): ParserNode | null {
  const value = node[field]
  return value === null || value === undefined ? null : asNode(value)
}

export function children(node: ParserNode, field: string): ParserNode[] {
  const value: unknown = node[field]
  return Array.isArray(value) ? value.map(asNode) : []
}

export function textOf(node: ParserNode, field: string): string {
  const value = node[field]
  if (typeof value !== 'string') throw new Error(`the shell parser gave no text for ${field}`)
  return value
}

export function operatorOf(node: ParserNode, table: Readonly<Record<number, string>>): string | null {
  const value = node['Op']
  return typeof value === 'number' ? (table[value] ?? null) : null
}

export const commandOperators: Readonly<Record<number, string>> = { 10: '&&', 11: '||', 12: '|' }

export const redirectOperators: Readonly<Record<number, string>> = {
  54: '>',
  55: '>>',
  56: '<',
  57: '<>',
  58: '<&',
  59: '>&',
  60: '>|',
  61: '<<',
  62: '<<-',
  63: '<<<',
}

/** Binary and unary operators share the numbers. */
export const arithmeticOperators: Readonly<Record<number, string>> = {
  9: '&',
  10: '&&',
  11: '||',
  12: '|',
  34: '!',
  35: '~',
  36: '++',
  37: '--',
  38: '*',
  40: '==',
  41: '!=',
  42: '<=',
  43: '>=',
  44: '+=',
  45: '-=',
  46: '*=',
  47: '/=',
  48: '%=',
  49: '&=',
  50: '|=',
  51: '^=',
  52: '<<=',
  53: '>>=',
  54: '>',
  55: '>>',
  56: '<',
  61: '<<',
  68: '+',
  70: '-',
  72: '?',
  74: '=',
  76: '%',
  80: '^',
  82: ',',
  85: '/',
  87: ':',
}

export const expansionOperators: Readonly<Record<number, string>> = {
  68: '+',
  69: ':+',
  70: '-',
  71: ':-',
  72: '?',
  73: ':?',
  74: '=',
  75: ':=',
  76: '%',
  77: '%%',
  78: '#',
  79: '##',
}

export const testOperators: Readonly<Record<number, string>> = {
  10: '&&',
  11: '||',
  34: '!',
  40: '==',
  41: '!=',
  54: '>',
  56: '<',
  74: '=',
  88: '-e',
  89: '-f',
  90: '-d',
  91: '-c',
  92: '-b',
  93: '-p',
  94: '-S',
  95: '-L',
  102: '-r',
  103: '-w',
  104: '-x',
  105: '-s',
  106: '-t',
  107: '-z',
  108: '-n',
  113: '-nt',
  114: '-ot',
  115: '-ef',
  116: '-eq',
  117: '-ne',
  118: '-le',
  119: '-ge',
  120: '-lt',
  121: '-gt',
}

export const caseOperators: Readonly<Record<number, string>> = { 30: ';;', 31: ';&' }
