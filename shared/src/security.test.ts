/** The table of bounds in SECURITY.md names tests that exist. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { titlesOf, withoutNumbers } from '../../scripts/lib/conformance.mjs'

const root = path.resolve(import.meta.dirname, '..', '..')
const linked = /\[((?:\\.|[^\]\\])+)\]\(([^)]+\.test\.ts)\)/g

it('names a test of each bound, once in its file', () => {
  const text = readFileSync(path.join(root, 'SECURITY.md'), 'utf8')
  const section = text.slice(text.indexOf('## Bounds'), text.indexOf('## Limits'))
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  // Two lines are the head of the table.
  const tests = rows.slice(2).map((row) => {
    const [[, title = '', file = ''] = []] = [...row.matchAll(linked)]
    return { file, test: title.replaceAll(/\\(.)/g, '$1'), row }
  })
  expect(tests.length).toBeGreaterThan(40)
  const missing = tests.filter(({ file, test }) => {
    if (file === '') return true
    const titles = titlesOf(readFileSync(path.join(root, file), 'utf8'))
    return titles.filter((title) => withoutNumbers(title) === test).length !== 1
  })
  expect(missing.map(({ row }) => row)).toEqual([])
})
