// Checks the decision records against docs/decisions/TEMPLATE.md and generates their index. Used by `./scripts/decisions`
// and by shared/src/decisions.test.ts.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const maxLines = 60
const maxCharacters = 4500
const maxTitle = 90
const sections = ['Context', 'Decision', 'Consequences']

/** The file name of a title, without its number. */
export const slugOf = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[`'’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const withoutCode = (text) => text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')

/** The problems of the relative links in a Markdown file: missing files, missing headings. */
export function brokenLinks(file) {
  const problems = []
  for (const [, target] of withoutCode(readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue
    const [name, anchor] = target.split('#')
    const linked = name === '' ? file : path.resolve(path.dirname(file), decodeURI(name))
    if (!existsSync(linked)) problems.push(`link to a missing file: ${target}`)
    else if (anchor && linked.endsWith('.md')) {
      const headings = [...readFileSync(linked, 'utf8').matchAll(/^#+ (.+)$/gm)]
      if (!headings.some(([, heading]) => anchorOf(heading) === anchor))
        problems.push(`link to a missing heading: ${target}`)
    }
  }
  return problems
}

/** The parts of `# 0042 Title` and its status line, or null where the text begins differently. */
function headOf(text) {
  const head = /^# (\d{4}) (.+)\n\nStatus: (.+)\n/.exec(text)
  return head && { number: head[1], title: head[2], status: head[3] }
}

/**
 * @returns {string[]} the changes that a record needs to follow docs/decisions/TEMPLATE.md; empty when it
 * follows the template
 */
export function problemsOf(name, text) {
  const head = headOf(text)
  if (!head) return ['must begin with `# NNNN Title`, an empty line, and `Status: Accepted`']
  const problems = []
  const expected = `${head.number}-${slugOf(head.title)}.md`
  if (name !== expected) problems.push(`the file name must be ${expected}, as its title says`)
  if (head.title.length > maxTitle) problems.push(`the title is longer than ${maxTitle} characters`)
  if (head.status !== 'Accepted')
    problems.push('the status must be `Accepted`: a record that no longer holds is deleted')
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  if (headings.join() !== sections.join())
    problems.push(`the sections must be ${sections.join(', ')}; found: ${headings.join(', ') || 'none'}`)
  for (const part of text.split(/^## /m).slice(1))
    if (part.split('\n').slice(1).join('').trim() === '')
      problems.push(`the section ${part.split('\n')[0]} is empty`)
  const lines = text.trimEnd().split('\n').length
  if (lines > maxLines)
    problems.push(`${lines} lines; the limit is ${maxLines}. Measurements belong in docs/bench.md`)
  if (text.length > maxCharacters)
    problems.push(
      `${text.length} characters; the limit is ${maxCharacters}. Measurements belong in docs/bench.md`,
    )
  return problems
}

/** The records of a folder, sorted by name. */
export function recordsOf(folder) {
  return readdirSync(folder)
    .filter((name) => /^\d+.*\.md$/.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }))
}

/** The index, generated from the headings of records that follow the template. */
export function indexOf(records) {
  const rows = records.flatMap(({ name, text }) => {
    const head = headOf(text)
    return head ? [`- [${head.number}](${name}) ${head.title}`] : []
  })
  return `# Decisions

Each record names one decision that several parts or the interface depend on, its reason and its consequences. The rules of one folder are in the \`README.md\` at its head. Numbers are not used again. \`./scripts/decisions\` generates this list from the headings of the records. A new record follows [TEMPLATE.md](TEMPLATE.md).

${rows.join('\n')}
`
}

/** A merge of two branches that each add a record may swap their lines. */
const sorted = (text) => text.split('\n').sort().join('\n')

/** @returns {string[]} all problems of the records and of the index, each with its file */
export function problemsIn(folder) {
  const records = recordsOf(folder)
  const problems = records.flatMap(({ name, text }) =>
    [...problemsOf(name, text), ...brokenLinks(path.join(folder, name))].map(
      (problem) => `${name}: ${problem}`,
    ),
  )
  for (const [index, { name }] of records.entries()) {
    const before = records[index - 1]?.name
    if (before?.slice(0, 4) === name.slice(0, 4)) problems.push(`${name}: ${before} has the same number`)
  }
  const index = path.join(folder, 'README.md')
  if (!existsSync(index) || sorted(readFileSync(index, 'utf8')) !== sorted(indexOf(records)))
    problems.push('README.md: not current; run ./scripts/decisions')
  return problems
}

if (import.meta.filename === process.argv[1]) {
  const folder = path.resolve(import.meta.dirname, '../../docs/decisions')
  if (!process.argv.includes('--check'))
    writeFileSync(path.join(folder, 'README.md'), indexOf(recordsOf(folder)))
  const problems = problemsIn(folder)
  for (const problem of problems) process.stdout.write(`docs/decisions/${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
