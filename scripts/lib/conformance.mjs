// `./scripts/conformance`: compares the numbered sentences of docs/conformance.md with the tests whose titles end with a
// number, and prints the page with a link to each test. checks.mjs and a test of `shared` use the same functions.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { root } from './runs.mjs'
import { sourceFiles } from './suites.mjs'

const item = /^\s*- (\d+\.\d+) (.+?)(?: – not tested: (.+))?$/
const ending = / \[(\d+\.\d+(?:, \d+\.\d+)*)\]$/
const readText = (file) => readFileSync(path.join(root, file), 'utf8')
export const readPage = () => readText('docs/conformance.md')

/** The numbers of the sentences that a test with this title proves. */
export const numbersOf = (title) => ending.exec(title)?.[1].split(', ') ?? []
export const withoutNumbers = (title) => title.replace(ending, '')

/**
 * The sentences of the page. `untested`: why a sentence has no test, or null.
 * @throws Error for a list item with another form
 */
export const sentencesOf = (page) =>
  page
    .split('\n')
    .filter((line) => /^\s*- /.test(line))
    .map((line) => {
      const [, number, sentence, untested = null] = item.exec(line) ?? []
      if (number === undefined) throw new Error(`not "- NUMBER Sentence": ${line}`)
      return { number, sentence, untested }
    })

/** The titles of the tests in a source file. A title of a table of `each` counts once. */
export function titlesOf(source) {
  // A title comes after `it`, `test`, or the parenthesis that closes a table of `each`.
  const named = /(?:\b(?:it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,/g
  return [...source.matchAll(named)].map((match) => match[2] ?? '')
}

/** The tests with numbers in this checkout, with number, file and title; a test is listed once per number. */
export const numberedTests = () =>
  sourceFiles(root).flatMap((file) =>
    titlesOf(readText(file)).flatMap((title) => numbersOf(title).map((number) => ({ number, file, title }))),
  )

/** The differences between the sentences and the tests, one line per difference. */
export function differences(sentences, tests) {
  const proved = new Set(tests.map(({ number }) => number))
  const known = new Map(sentences.map((each) => [each.number, each]))
  const repeated = sentences.filter((each) => known.get(each.number) !== each)
  return [
    ...repeated.map(({ number, sentence }) => `${number} has a second sentence: ${sentence}`),
    ...sentences
      .filter(({ number, untested }) => proved.has(number) === (untested !== null))
      .map(({ number, sentence, untested }) =>
        untested === null
          ? `no test has [${number}]: ${sentence}`
          : `${number} has a test and a reason: ${sentence}`,
      ),
    ...tests
      .filter(({ number }) => !known.has(number))
      .map(({ number, file, title }) => `no sentence ${number}: ${file}: ${title}`),
  ]
}

/**
 * `tests`: the tests of the run. `titles`: titles of the run's tests, with whether each passed. Returns the
 * numbers of proven sentences, and the unproven sentences with the reason.
 */
export function prove(sentences, tests, titles) {
  const outcomes = titles.flatMap(({ title, passed }) =>
    numbersOf(title).map((number) => ({ number, passed })),
  )
  const ofRun = new Set(tests.map(({ number }) => number))
  const judged = sentences
    .filter(({ number }) => ofRun.has(number))
    .map((each) => {
      const found = outcomes.filter(({ number }) => number === each.number)
      if (found.length === 0) return { ...each, reason: 'did not run' }
      return { ...each, reason: found.every(({ passed }) => passed) ? null : 'failed' }
    })
  return {
    proven: judged.filter(({ reason }) => reason === null).map(({ number }) => number),
    unproven: judged.filter(({ reason }) => reason !== null),
  }
}

/** The page with a link to each test after its sentence. */
function withLinks(page, tests) {
  const linkOf = ({ file, title }) =>
    `[${withoutNumbers(title).replaceAll(/[[\]*<>\\`]/g, '\\$&')}](../${file})`
  const lines = page.split('\n').map((line) => {
    const links = tests.filter(({ number }) => number === item.exec(line)?.[1]).map(linkOf)
    return links.length === 0 ? line : `${line} – ${links.join(', ')}`
  })
  return lines.join('\n')
}

if (import.meta.filename === process.argv[1]) {
  const [page, tests] = [readPage(), numberedTests()]
  const found = differences(sentencesOf(page), tests)
  if (found.length === 0 && !process.argv.includes('--check')) process.stdout.write(withLinks(page, tests))
  for (const difference of found) process.stderr.write(`${difference}\n`)
  process.exitCode = found.length === 0 ? 0 : 1
}
