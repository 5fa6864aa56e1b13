// Holds docs/conformance.md against what a run of the tests reported: each sentence is proven by tests that ran and
// passed, or stands there as not tested. Used by checks.mjs and by a test of `shared`.

/**
 * The rows of the tables: sentence, file and test. `file` is null where there is no test, and `test` says why.
 * @throws Error for a row that has not three cells
 */
export function rowsOf(document) {
  return document
    .split('\n')
    .filter((line) => /^\| (?!Sentence|-)/.test(line))
    .map((line) => {
      const cells = line.slice(1, -1).split(/(?<!\\)\|/)
      if (cells.length !== 3) throw new Error(`not a row of three cells: ${line}`)
      const [sentence, file, test] = cells.map((cell) => cell.trim().replaceAll(/\\([|_*])/g, '$1'))
      return { sentence, file: /^`(.+)`$/.exec(file)?.[1] ?? null, test }
    })
}

/** What a title of the source becomes in a report: values stand where it has places for them. */
function pattern(title) {
  const places = /%[sdifjoOp#]|\$\{[^}]*\}|\$[a-z][\w.]*/gi
  const fixed = title.split(places).map((text) => text.replaceAll(/\\(['"`])/g, '$1').replaceAll('%%', '%'))
  return new RegExp(
    `^${fixed.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`,
    's',
  )
}

/** Tests that several files share stand in a file that is none of tests; they are reported by those beside it. */
function outcomesOf(file, reported) {
  if (file.endsWith('.test.ts')) return reported.get(file) ?? []
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  return [...reported].filter(([name]) => name.startsWith(folder)).flatMap(([, outcomes]) => outcomes)
}

/**
 * `reported`: by file, from the root, the tests that a run reported, each `{title, passed}`.
 * Returns how many sentences there are of each kind, and those whose test did not run or failed.
 */
export function prove(document, reported) {
  const rows = rowsOf(document)
  const tested = rows.filter(({ file }) => file !== null)
  const unproven = tested.filter(({ file, test }) => {
    const wanted = pattern(test)
    const found = outcomesOf(file, reported).filter(({ title }) => wanted.test(title))
    return found.length === 0 || found.some(({ passed }) => !passed)
  })
  return {
    sentences: rows.length,
    proven: tested.length - unproven.length,
    untested: rows.length - tested.length,
    unproven,
  }
}
