/**
 * The used part of the parser library's tree, and its operators. mvdan-sh (a Go parser compiled to
 * JavaScript) has no types. The types here follow its Go documentation (`mvdan.cc/sh/v3/syntax`) and were
 * checked by running it.
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

// The library is not loaded by `import`, which would search its 1.5 MB for names of exports, for 0.1 s.
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

function asNode(value: unknown): ParserNode {
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

/** The library's numbers of tokens (`syntax.Token`): each list begins at its number. Tokens that the shell refuses are missing. */
const operators: ReadonlyMap<number, string> = new Map(
  Object.entries({
    9: '& && || |',
    30: ';; ;&',
    34: '! ~ ++ -- *',
    40: '== != <= >= += -= *= /= %= &= |= ^= <<= >>=',
    54: '> >> < <> <& >& >| << <<- <<<',
    68: '+ :+ - :- ? :? = := % %% # ##',
    80: '^',
    82: ',',
    85: '/',
    87: ':',
    88: '-e -f -d -c -b -p -S -L',
    102: '-r -w -x -s -t -z -n',
    113: '-nt -ot -ef -eq -ne -le -ge -lt -gt',
  }).flatMap(([first, list]) =>
    list.split(' ').map((operator, at): [number, string] => [Number(first) + at, operator]),
  ),
)

/** Null for a token that the shell refuses. */
export function operatorOf(node: ParserNode): string | null {
  const value = node['Op']
  return typeof value === 'number' ? (operators.get(value) ?? null) : null
}
