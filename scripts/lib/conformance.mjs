// Reads the pages of docs/conformance and compares them with the reports of a test run: a sentence is proven when its
// test ran and passed. Used by checks.mjs, by conformance-pages.mjs and by a test of `shared`.

/** `- Sentence – [title](../../file.test.ts)`, or `- Sentence – not tested: reason`; `\[` and `\]` in a title. */
const line = /^(?: {2})?- (.+) – (?:\[((?:\\.|[^\]\\])+)\]\(\.\.\/\.\.\/([^)]+)\)|not tested: (.+))$/

const unescaped = (text) => text.replaceAll(/\\([[\]_*<>|\\`])/g, '$1')

/**
 * The sentences of a page: sentence, file and test. `file` is null where there is no test, and `test` gives the reason.
 * @throws Error for an item of a list that has another form
 */
export function rowsOf(page) {
  return page
    .split('\n')
    .filter((text) => /^\s*- /.test(text))
    .map((text) => {
      const found = line.exec(text)
      if (!found)
        throw new Error(`not "- Sentence – [title](../../file)" or "- Sentence – not tested: …": ${text}`)
      const [, sentence, title, file, reason] = found
      return title === undefined
        ? { sentence, file: null, test: reason }
        : { sentence, file, test: unescaped(title) }
    })
}

/** The line of a sentence; the sentence of a continuation begins with `…` and is indented below the one before it. */
export function lineOf({ sentence, file, test }) {
  const proof =
    file === null ? `not tested: ${test}` : `[${test.replaceAll(/[[\]*<>\\`]/g, '\\$&')}](../../${file})`
  return `${sentence.startsWith('…') ? '  ' : ''}- ${sentence} – ${proof}`
}

/** The titles of the tests in a source file; a title of a table of `each` counts once. */
export function titlesOf(source) {
  // After `it`, `test`, or the parenthesis that closes a table of `each`.
  const named = /(?:\b(?:it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,/g
  return [...source.matchAll(named)].map((match) => match[2] ?? '')
}

/** Matches what a title of the source becomes in a report: values replace its placeholders. */
function pattern(title) {
  const places = /%[sdifjoOp#]|\$\{[^}]*\}|\$[a-z][\w.]*/gi
  const fixed = title.split(places).map((text) => text.replaceAll(/\\(['"`])/g, '$1').replaceAll('%%', '%'))
  return new RegExp(
    `^${fixed.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`,
    's',
  )
}

/** Tests that several files share are in a file without the ending `.test.ts`; the files in its folder report them. */
function outcomesOf(file, reported) {
  if (file.endsWith('.test.ts')) return reported.get(file) ?? []
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  return [...reported].filter(([name]) => name.startsWith(folder)).flatMap(([, outcomes]) => outcomes)
}

/** Why a test does not prove its sentence; null when it does. */
function doubt({ file, test }, reported) {
  const wanted = pattern(test)
  const found = outcomesOf(file, reported).filter(({ title }) => wanted.test(title))
  if (found.length === 0) return 'did not run'
  return found.every(({ passed }) => passed) ? null : 'failed'
}

/**
 * `rows`: the rows of all pages. `reported`: by file, from the root, the outcomes `{title, passed}` of a run.
 * Returns how many sentences there are of each kind, and the unproven ones with the reason.
 */
export function prove(rows, reported) {
  const tested = rows.filter(({ file }) => file !== null)
  const unproven = tested.flatMap((row) => {
    const reason = doubt(row, reported)
    return reason === null ? [] : [{ ...row, reason }]
  })
  return {
    sentences: rows.length,
    proven: tested.length - unproven.length,
    untested: rows.length - tested.length,
    unproven,
  }
}
