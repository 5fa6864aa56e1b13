// `./scripts/conformance`: keeps docs/conformance current. Follows renamed tests and moved files, and generates the index.
// With --check it changes nothing and reports each difference.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { lineOf, rowsOf, titlesOf } from './conformance.mjs'

export const root = path.resolve(import.meta.dirname, '..', '..')
const folder = path.join(root, 'docs', 'conformance')

/** @returns {{ name: string, title: string, text: string, rows: object[] }[]} the pages in the order of the specification */
export function pagesOf() {
  return readdirSync(folder)
    .filter((name) => /^\d\d-.*\.md$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(path.join(folder, name), 'utf8')
      return { name, title: text.slice(2, text.indexOf('\n')), text, rows: rowsOf(text) }
    })
}

/** The index: the number of sentences in each chapter, and all sentences without a test. */
export function indexOf(pages) {
  const untestedOf = ({ rows }) => rows.filter(({ file }) => file === null)
  const cells = pages.map((page) => [
    `[${page.title}](${page.name})`,
    page.rows.length,
    page.rows.length - untestedOf(page).length,
    untestedOf(page).length,
  ])
  const sum = (column) => cells.reduce((total, row) => total + row[column], 0)
  const rows = [...cells, ['**All**', sum(1), sum(2), sum(3)]]
  const untested = pages.flatMap((page) =>
    untestedOf(page).map(({ sentence, test }) => `- [${page.title}](${page.name}): ${sentence} – ${test}`),
  )
  return `# Conformance

Each page lists the sentences of one chapter of the interface specification, each with the test that proves it. A sentence is proven when its test passes; \`./scripts/test --all\` states how many are, and \`./scripts/test --long\` how many the long tests prove. Tests under \`e2e/src/conformance\` drive \`/v1\` against virtual phones with and without the fast path. ¹ marks a limit that the test lowers by configuration.

\`./scripts/conformance\` generates this page, and follows renamed tests and moved files. \`shared/src/conformance.test.ts\` checks that every named test exists once.

| Chapter | Sentences | With a test | Not tested |
| --- | --: | --: | --: |
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}

## Not tested

${untested.join('\n')}
`
}

const git = (...args) => {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

const sources = new Map()
function titlesIn(file) {
  const full = path.join(root, file)
  if (!sources.has(file)) sources.set(file, existsSync(full) ? titlesOf(readFileSync(full, 'utf8')) : [])
  return sources.get(file)
}

/** True when the file has exactly one test with that title. */
export const isThere = ({ file, test }) =>
  file === null || titlesIn(file).filter((title) => title === test).length === 1

const wordsOf = (title) => new Set(title.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])

/** The share of words that two titles have in common, from 0 to 1. */
function likeness(one, other) {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const shared = [...a].filter((word) => b.has(word)).length
  return shared / (a.size + b.size - shared || 1)
}

/** Returns the new title of a test, by the titles of its file before and after; null when that is not clear. */
export function renamed(title, before, after) {
  const removed = before.filter((old) => !after.includes(old))
  const added = after.filter((now) => !before.includes(now))
  if (removed.length === added.length) return added[removed.indexOf(title)] ?? null
  const [best] = added.map((now) => [likeness(title, now), now]).sort(([a], [b]) => b - a)
  return best && best[0] >= 0.4 ? best[1] : null
}

/** The newest committed version of a file that has the title. */
function titlesBefore(file, title) {
  for (const commit of git('log', '--format=%H', '-n', '40', '--', file).split('\n').filter(Boolean)) {
    const titles = titlesOf(git('show', `${commit}:${file}`))
    if (titles.includes(title)) return titles
  }
  return null
}

/** The row with the test where it is now; null when it cannot be found. */
function followed(row) {
  const others = git('ls-files', '--cached', '--others', '--exclude-standard', '*.ts')
    .split('\n')
    .filter(Boolean)
  const holders = others.filter((file) => isThere({ file, test: row.test }))
  const named = holders.filter((file) => path.basename(file) === path.basename(row.file))
  const [only] = named.length === 1 ? named : holders
  if (holders.length === 1 || named.length === 1) return { ...row, file: only }
  const before = titlesBefore(row.file, row.test)
  if (before === null) return null
  const candidates = existsSync(path.join(root, row.file))
    ? [row.file]
    : others.filter((file) => path.basename(file) === path.basename(row.file))
  if (candidates.length !== 1) return null
  const test = renamed(row.test, before, titlesIn(candidates[0]))
  return test === null ? null : { ...row, file: candidates[0], test }
}

/** Rewrites the lines of the pages whose tests were renamed or moved. @returns the rows that could not be followed */
function follow(pages) {
  const lost = []
  for (const page of pages) {
    for (const row of page.rows.filter((each) => !isThere(each))) {
      const now = followed(row)
      if (now === null || !isThere(now)) lost.push(row)
      else {
        page.text = page.text.replace(lineOf(row), () => lineOf(now))
        const doubt =
          likeness(row.test, now.test) < 0.2
            ? '\n  few words in common: check that it proves the sentence'
            : ''
        process.stdout.write(
          `${page.name}: ${row.sentence}\n  was: ${row.file}: ${row.test}\n  now: ${now.file}: ${now.test}${doubt}\n`,
        )
      }
    }
    page.rows = rowsOf(page.text)
  }
  return lost
}

/** Without the spaces by which oxfmt aligns a table. */
const plain = (text) => text.replaceAll(/ {2,}/g, ' ').replaceAll(/-{2,}/g, '--')

export function isCurrent(pages) {
  const index = path.join(folder, 'README.md')
  return existsSync(index) && plain(readFileSync(index, 'utf8')) === plain(indexOf(pages))
}

function main(check) {
  const pages = pagesOf()
  const lost = check ? pages.flatMap(({ rows }) => rows.filter((row) => !isThere(row))) : follow(pages)
  if (!check) {
    for (const { name, text } of pages) writeFileSync(path.join(folder, name), text)
    writeFileSync(path.join(folder, 'README.md'), indexOf(pages))
    execFileSync(path.join(root, 'node_modules', '.bin', 'oxfmt'), [folder], { cwd: root })
  }
  for (const { sentence, file, test } of lost)
    process.stdout.write(`no such test: ${file}: ${test}\n  for: ${sentence}\n`)
  if (!isCurrent(pages)) process.stdout.write('docs/conformance/README.md is not current\n')
  return lost.length === 0 && isCurrent(pages)
}

if (import.meta.filename === process.argv[1])
  process.exitCode = main(process.argv.includes('--check')) ? 0 : 1
