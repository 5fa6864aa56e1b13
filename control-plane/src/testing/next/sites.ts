/**
 * Finds the places in our sources that produce a `next`: the values of `next` properties and constants, and
 * every literal that names a request of `/v1`. For the test that follows each `next`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

interface Site {
  /** Relative to the package's `src`. */
  file: string
  /** The preceding error code, for lists of exceptions. */
  code: string
  /** Matches each text that the literal may produce. */
  pattern: RegExp
  /** The literal with `1` for each value. */
  sample: string
}

/** `file: expression` of a `next` whose text is produced elsewhere. */
type PassedOn = string

/** The parts of a string literal between its values. */
interface Literal {
  at: number
  parts: string[]
}

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, (comment) => ' '.repeat(comment.length))

const filesOf = (folder: string): { file: string; text: string }[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    // The tools of `mcp/` name tools instead, which its own tests call, and the console (`routes/console`,
    // `users`) tells people what to do on its pages. In `authority-rotation.ts`, `next` is an authority.
    .filter(
      (path) =>
        !/[/](?:gen|testing|openapi|page|conformance|mcp|users|console)[/]|authority-rotation\.ts$/.test(
          path,
        ),
    )
    .sort()
    .map((path) => ({
      file: path.slice(join(root, folder).length + 1),
      text: withoutComments(readFileSync(path, 'utf8')),
    }))

/** Returns the literal that begins at `at`, and where the literal ends. */
function literalAt(text: string, at: number): { literal: Literal; end: number } {
  const quote = text[at]
  const parts = ['']
  let end = at + 1
  for (; end < text.length && text[end] !== quote; end += 1) {
    if (text[end] === '\\') end += 1
    else if (quote === '`' && text.startsWith('${', end)) {
      end = closing(text, end + 1)
      parts.push('')
      continue
    }
    parts.push(`${parts.pop() ?? ''}${text[end] ?? ''}`)
  }
  return { literal: { at, parts }, end }
}

/** Returns the position of the bracket that closes the bracket at `at`. */
function closing(text: string, at: number): number {
  let depth = 0
  for (let each = at; each < text.length; each += 1) {
    const sign = text[each] ?? ''
    if (/['"`]/.test(sign)) each = literalAt(text, each).end
    else if ('([{'.includes(sign)) depth += 1
    else if (')]}'.includes(sign) && (depth -= 1) === 0) return each
  }
  return text.length
}

/** Returns the expression from `at` to the `,`, `;`, bracket or line end that ends it. */
function expressionAt(text: string, at: number): string {
  let end = at
  for (; end < text.length; end += 1) {
    const sign = text[end] ?? ''
    if (/['"`]/.test(sign)) end = literalAt(text, end).end
    else if ('([{'.includes(sign)) end = closing(text, end)
    else if (',;)]}'.includes(sign)) break
    else if (sign === '\n') {
      const isBegun = text.slice(at, end).trim() !== '' && !/[?:+&|=>]\s*$/.test(text.slice(at, end))
      if (isBegun && !/^\s*[?:+&|.]/.test(text.slice(end))) break
    }
  }
  return text.slice(at, end)
}

/** Returns the literals of an expression, except operands of comparisons. */
function literalsIn(text: string, from: number, to: number): Literal[] {
  const found: Literal[] = []
  for (let at = from; at < to; at += 1) {
    if (!/['"`]/.test(text[at] ?? '')) continue
    const { literal, end } = literalAt(text, at)
    if (!/(?:[!=]==|\bmessage[:=])\s*$/.test(text.slice(from, at))) found.push(literal)
    at = end
  }
  return found
}

const codeBefore = (text: string, at: number): string =>
  [...text.slice(0, at).matchAll(/(?:ApiError\(\s*|\bcode: |\berror: )'(\w+)'/g)].at(-1)?.[1] ?? 'none'

const isType = (expression: string): boolean =>
  /^(?:string|number|unknown|null|Map|\$ZodType|z\.|name\.|cleaned\(|\()|^\{ message/.test(expression.trim())

/**
 * Returns the definition of a name in its file, or an exported definition: a constant, or a function's return
 * value.
 */
function definitionOf(
  name: string,
  own: string,
  files: { file: string; text: string }[],
): [number, number, string, string][] {
  for (const { file, text } of files) {
    const exported = file === own ? '(?:export )?' : 'export '
    const match = new RegExp(`^${exported}(const|function) ${name}\\b`, 'm').exec(text)
    if (!match) continue
    const end = /\n(?=\S)(?![)}\]])/.exec(text.slice(match.index + 1))
    const to = match.index + 1 + (end?.index ?? text.length)
    const body = text.slice(match.index, to)
    const returned = [...body.matchAll(/\breturn\s/g)].map(
      (each) => match.index + each.index + each[0].length,
    )
    if (returned.length === 0) return [[match.index, to, file, text]]
    return returned.map((at) => [at, at + expressionAt(text, at).length, file, text])
  }
  return []
}

const request = /\b(?:GET|POST|PUT|PATCH|DELETE) \/v1/
/** Shorter texts match any text. */
const leastText = 8

export function sitesOf(folder: string): { sites: Site[]; passedOn: PassedOn[] } {
  const files = filesOf(folder)
  const sites = new Map<string, Site>()
  const passedOn: PassedOn[] = []
  const add = (file: string, text: string, { at, parts }: Literal): boolean => {
    if (parts.join('').trim().length < leastText || !/\s/.test(parts.join('').trim())) return false
    const escaped = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    sites.set(`${file}:${at}`, {
      file,
      code: codeBefore(text, at),
      sample: parts.join('1'),
      pattern: new RegExp(`(?<![\\w/])${escaped.join('.*').trim()}(?![\\w/?])`, 's'),
    })
    return true
  }
  for (const { file, text } of files) {
    for (const match of text.matchAll(/\bnext(?:\?)?(?::|\s*=(?![=>]))\s*/g)) {
      const at = match.index + match[0].length
      const expression = expressionAt(text, at)
      if (isType(expression)) continue
      const own = literalsIn(text, at, at + expression.length).filter((each) => add(file, text, each))
      if (own.length > 0) continue
      const names = [...expression.matchAll(/\b[a-z]\w*\b/gi)].map(([name]) => name)
      const defined = names
        .flatMap((name) => definitionOf(name, file, files))
        .flatMap(([from, to, where, whole]) =>
          literalsIn(whole, from, to).filter((each) => add(where, whole, each)),
        )
      if (defined.length === 0) passedOn.push(`${file}: ${expression.trim()}`)
    }
    // Requests that are passed on as an argument count; descriptions of routes are not advice.
    if (file.startsWith('api/routes/')) continue
    for (const literal of literalsIn(text, 0, text.length))
      if (request.test(literal.parts.join('x')) && !sites.has(`${file}:${literal.at}`))
        add(file, text, literal)
  }
  return { sites: [...sites.values()], passedOn: passedOn.sort() }
}
