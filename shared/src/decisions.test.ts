/** Checks docs/decisions: each record follows the template, and the index is current. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { indexOf, problemsIn, problemsOf, recordsOf, slugOf } from '../../scripts/lib/decisions.mjs'

const folder = fileURLToPath(new URL('../../docs/decisions', import.meta.url))
const name = '0042-use-a-queue.md'
const record = `# 0042 Use a queue

Status: Accepted

## Context

Writes collide.

## Decision

One queue a phone.

## Consequences

- A write can wait.
`

/** A folder with these records and their index. */
function folderOf(records: Record<string, string>): string {
  const made = mkdtempSync(path.join(tmpdir(), 'decisions-'))
  for (const [file, text] of Object.entries(records)) writeFileSync(path.join(made, file), text)
  writeFileSync(path.join(made, 'README.md'), indexOf(recordsOf(made)))
  return made
}

describe('decision records', () => {
  it('all follow docs/decisions/TEMPLATE.md, and the index is current', () => {
    expect(problemsIn(folder)).toEqual([])
    expect(recordsOf(folder).length).toBeGreaterThan(50)
  })

  it('exist for every number that code or a document cites', () => {
    const cited = execFileSync('git', ['grep', '-hoE', String.raw`decisions/[0-9]{4}((, | and )[0-9]{4})*`], {
      cwd: path.join(folder, '../..'),
      encoding: 'utf8',
    })
    const numbers = new Set(recordsOf(folder).map((file) => file.name.slice(0, 4)))
    const missing = [...new Set(cited.match(/\d{4}/g))].filter((number) => !numbers.has(number))
    expect(missing).toEqual([])
  })

  it('accepts a record that follows the template', () => {
    expect(problemsOf(name, record)).toEqual([])
    expect(problemsIn(folderOf({ [name]: record }))).toEqual([])
  })

  it.each([
    ['another file name', '0042-over-is-over.md', record, 'the file name must be 0042-use-a-queue.md'],
    ['no status', name, record.replace('Status: Accepted\n\n', ''), 'must begin with'],
    ['an unknown status', name, record.replace('Accepted', 'Maybe'), 'the status must be'],
    ['a missing section', name, record.replace('## Context', '## Why'), 'found: Why, Decision, Consequences'],
    ['an empty section', name, record.replace('Writes collide.', ''), 'the section Context is empty'],
    ['too many lines', name, `${record}${'- a\n'.repeat(60)}`, '75 lines; the limit is 60'],
    ['too many characters', name, `${record}${'a'.repeat(5000)}`, 'characters; the limit is 4500'],
  ])('reports %s', (_, file, text, problem) => {
    expect(problemsOf(file, text).join('\n')).toContain(problem)
  })

  it('reports a number that two records share', () => {
    const twice = folderOf({ [name]: record, '0042-use-two.md': record.replace('a queue', 'two') })
    expect(problemsIn(twice)).toEqual([`0042-use-two.md: ${name} has the same number`])
  })

  it('reports links to missing files and headings', () => {
    const text = record.replace(
      'collide.',
      'collide: [a](gone.md), [b](#nowhere), [c](#context), `[d](code.md)`.',
    )
    expect(problemsIn(folderOf({ [name]: text }))).toEqual([
      `${name}: link to a missing file: gone.md`,
      `${name}: link to a missing heading: #nowhere`,
    ])
  })

  it('reports an index that does not list the records', () => {
    const made = folderOf({ [name]: record })
    writeFileSync(
      path.join(made, 'README.md'),
      readFileSync(path.join(made, 'README.md'), 'utf8').slice(0, -10),
    )
    expect(problemsIn(made)).toEqual(['README.md: not current; run ./scripts/decisions'])
  })

  it('accepts an index whose lines a merge has swapped', () => {
    const made = folderOf({
      [name]: record,
      '0043-use-two.md': record.replace('0042 Use a queue', '0043 Use two'),
    })
    const index = path.join(made, 'README.md')
    writeFileSync(index, readFileSync(index, 'utf8').replace(/(- \[0042.*\n)(- \[0043.*\n)/, '$2$1'))
    expect(readFileSync(index, 'utf8').indexOf('0043')).toBeLessThan(
      readFileSync(index, 'utf8').indexOf('0042'),
    )
    expect(problemsIn(made)).toEqual([])
  })

  it('derives a file name from a title', () => {
    expect(slugOf("Keep Android 14's `adb` – once")).toBe('keep-android-14s-adb-once')
  })
})
