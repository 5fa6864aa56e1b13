/**
 * The shell's syntax tree, limited to the constructs that `interpreter.ts` runs. Made by `parse.ts` from the
 * parser's own tree. Texts are byte strings.
 */

export type Script = readonly Statement[]

export interface Statement {
  command: Command | null
  negated: boolean
  background: boolean
  redirects: readonly Redirect[]
}

export type Command =
  | { kind: 'call'; assigns: readonly Assign[]; args: readonly Word[] }
  /** `export`, `local`, `readonly`, `typeset`. The words are like `a=b`, `a` or `-x`. */
  | { kind: 'declare'; variant: string; args: readonly Declaration[] }
  | { kind: 'and' | 'or'; left: Statement; right: Statement }
  | { kind: 'pipe'; parts: readonly Statement[] }
  | { kind: 'subshell' | 'block'; body: Script }
  | { kind: 'if'; condition: Script; then: Script; else: Script }
  | { kind: 'while'; until: boolean; condition: Script; body: Script }
  /** `words` is null when the loop runs over the positional parameters. */
  | { kind: 'for'; name: string; words: readonly Word[] | null; body: Script }
  | { kind: 'case'; subject: Word; items: readonly CaseItem[] }
  | { kind: 'function'; name: string; body: Statement }
  | { kind: 'test'; test: Test }
  | { kind: 'arithmetic'; expression: Arithmetic }

export interface Assign {
  name: string
  append: boolean
  value: Word
}

export type Declaration = Assign | { word: Word }

export interface CaseItem {
  patterns: readonly Word[]
  body: Script
  /** `;&`: falls through to the next item's body. */
  fallsThrough: boolean
}

export interface Redirect {
  fd: number
  /** `overwrite`: `>|`, which works even under `set -C`. */
  how: 'read' | 'write' | 'overwrite' | 'append' | 'read-write' | 'duplicate' | 'text'
  /** A file name, a descriptor, or the text of a here-document. */
  word: Word
}

/** A word is the concatenation of its parts. */
export type Word = readonly WordPart[]

export type WordPart =
  /** Unquoted text, which still contains backslashes, and can contain wildcards and a tilde. */
  | { kind: 'literal'; text: string }
  | { kind: 'quoted'; text: string }
  | { kind: 'double'; parts: readonly WordPart[] }
  | { kind: 'parameter'; parameter: Parameter }
  | { kind: 'command'; body: Script }
  | { kind: 'arithmetic'; expression: Arithmetic }

export interface Parameter {
  name: string
  /** `${#x}` */
  length: boolean
  change:
    | { kind: 'none' }
    | { kind: 'default' | 'assign' | 'error' | 'alternative'; orEmpty: boolean; word: Word }
    | { kind: 'prefix' | 'suffix'; longest: boolean; pattern: Word }
    | { kind: 'replace'; all: boolean; pattern: Word; replacement: Word }
    | { kind: 'slice'; offset: Arithmetic; length: Arithmetic | null }
}

export type Arithmetic =
  | { kind: 'word'; word: Word }
  | { kind: 'unary'; operator: string; postfix: boolean; operand: Arithmetic }
  | { kind: 'binary'; operator: string; left: Arithmetic; right: Arithmetic }
  | { kind: 'ternary'; condition: Arithmetic; yes: Arithmetic; no: Arithmetic }

export type Test =
  | { kind: 'word'; word: Word }
  | { kind: 'not'; operand: Test }
  | { kind: 'and' | 'or'; left: Test; right: Test }
  | { kind: 'unary'; operator: string; word: Word }
  | { kind: 'compare'; operator: string; left: Word; right: Word }
