// Finds the prose of a file: comments, strings that are sentences, Markdown text.
// Every fragment keeps the length of its source text, so that an index in it is an index in the file.

/**
 * @param {string} path decides the language
 * @returns {{ at: number, text: string }[]} `at`: index of the fragment in the source
 */
export function fragmentsOf(path, source) {
  const extension = /\.([a-z]+)$/.exec(path)?.[1] ?? 'sh'
  if (extension === 'md') return markdown(source)
  if (extension === 'html')
    return [{ at: 0, text: blank(source, /<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/g) }]
  if (extension === 'sh' || extension === 'yml' || extension === 'yaml') return shell(source)
  return code(source, /^(ts|mts|mjs|js)$/.test(extension))
}

/** Replaces each match by spaces; line breaks stay. */
const blank = (text, pattern) => text.replaceAll(pattern, (match) => match.replaceAll(/[^\n]/g, ' '))

/** Inline code is one word: its content is no prose. */
const hideCode = (text) => text.replaceAll(/`[^`\n]*`/g, (match) => `\`${'x'.repeat(match.length - 2)}\``)

/** A string is prose when it has three words in a row. */
const isSentence = (text) => /[a-z]{2,}[,;:]? [`'"“(]?[a-zA-Z]+[,;:]? [`'"“(]?[a-zA-Z]/.test(text)

function markdown(source) {
  const text = hideCode(
    blank(source, /^( *)(```|~~~)[\s\S]*?^\1\2.*$|<!--[\s\S]*?-->|<[^>]*>|\]\([^)\s]*\)/gm),
  )
  return split(0, text, /\n\s*\n|\n(?=\s*([-*+>|]|\d+\.|#+)\s)|(?<!\\)\||^[#>\s*+-]+/gm)
}

/** Divides a fragment at the separators, which belong to no part. */
function split(at, text, separator) {
  const parts = []
  let from = 0
  for (const match of text.matchAll(separator)) {
    parts.push({ at: at + from, text: text.slice(from, match.index) })
    from = match.index + match[0].length
  }
  parts.push({ at: at + from, text: text.slice(from) })
  return parts.filter((part) => part.text.trim() !== '')
}

/** Comments of shell and YAML, and quoted texts. */
function shell(source) {
  const found = []
  const token = /(?<=^|\s)#(?!!).*(?:\n[ \t]*#.*)*|'[^']*'|"(?:\\.|[^"\\])*"/gm
  for (const { 0: value, index } of source.matchAll(token)) {
    if (value.startsWith('#')) found.push(...comment(index, blank(value, /^[ \t]*#/gm)))
    else if (isSentence(value)) found.push(...string(index + 1, value.slice(1, -1)))
  }
  return found
}

/** Paragraphs, `@` tags and list items of a comment are apart. */
const comment = (at, text) => split(at, hideCode(text), /\n\s*\n|@[a-z]+\b|^\s*[-*]\s/gm)

/** Escaped line breaks and backticks are what they stand for. */
const string = (at, text) =>
  split(at, hideCode(text.replaceAll('\\`', ' `').replaceAll(/\\[nt]/g, '\n ')), /\n\s*\n/g)

/** After one of these a slash begins a regular expression. */
const beforeRegex =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|yield|await|void|delete))\s*$/

/** TypeScript, JavaScript, and with `isScript` false what only shares their comments and strings: proto, Prisma, CSS. */
function code(source, isScript) {
  const found = []
  let lines = null
  const endLines = () => {
    if (lines) found.push(...comment(lines.at, lines.text))
    lines = null
  }
  // Depths of braces at which an open template literal continues.
  const templates = []
  let depth = 0
  let index = 0
  /** A value before or after the text counts as a word, so that the text neither starts nor ends a sentence there. */
  const template = (isContinued) => {
    const match = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y
    match.lastIndex = index
    const [text] = match.exec(source)
    const hasValue = source[index + text.length] === '$'
    addString(index - (isContinued ? 1 : 0), `${isContinued ? 'x' : ''}${text}${hasValue ? 'xx' : ''}`)
    index += text.length
    if (hasValue) {
      templates.push(depth)
      depth += 1
      index += 2
    } else index += 1
  }
  const addString = (at, text) => {
    if (isSentence(text)) found.push(...string(at, text))
  }
  const take = (pattern) => {
    pattern.lastIndex = index
    return pattern.exec(source)?.[0]
  }
  while (index < source.length) {
    const here = source[index]
    const two = source.slice(index, index + 2)
    if (two === '//') {
      const value = take(/.*/y)
      const text = blank(value, /^\/+/g)
      // Lines with nothing between them are one comment.
      if (lines && /^\n[ \t]*$/.test(source.slice(lines.at + lines.text.length, index)))
        lines.text += source.slice(lines.at + lines.text.length, index) + text
      else {
        endLines()
        lines = { at: index, text }
      }
      index += value.length
      continue
    }
    if (two === '/*') {
      const value = take(/\/\*[\s\S]*?(?:\*\/|$)/y)
      found.push(...comment(index, blank(value, /^\/\*+|\*+\/$|^[ \t]*\*(?!\/)/gm)))
      index += value.length
    } else if (here === '"' || (here === "'" && isScript)) {
      const value = take(here === '"' ? /"(?:\\.|[^"\\\n])*"?/y : /'(?:\\.|[^'\\\n])*'?/y)
      addString(index + 1, value.slice(1, -1))
      index += value.length
    } else if (isScript && here === '`') {
      index += 1
      template(false)
    } else if (isScript && here === '/' && beforeRegex.test(source.slice(Math.max(0, index - 30), index))) {
      index += (take(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y) ?? '/').length
    } else if (here === '{') {
      depth += 1
      index += 1
    } else if (here === '}') {
      depth -= 1
      index += 1
      if (templates.at(-1) === depth) {
        templates.pop()
        template(true)
      }
    } else index += 1
  }
  endLines()
  return found
}
