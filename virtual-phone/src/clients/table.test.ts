import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { clientTable, rowsOf, tableRows, withTable, type Report } from './table.js'

const here = dirname(fileURLToPath(import.meta.url))
const result = (client: string, title: string, status: string) => ({
  ancestorTitles: [client],
  title,
  status,
})
const REPORT: Report = {
  testResults: [
    { name: 'b', assertionResults: [result('two 2.0', 'a|b', 'failed')] },
    { name: 'a', assertionResults: [result('one 1.0', 'x', 'passed'), result('one 1.0', 'y', 'pending')] },
  ],
}
const ROWS = [
  { client: 'one 1.0', operation: 'x', result: 'works' },
  { client: 'one 1.0', operation: 'y', result: 'not run' },
  { client: 'two 2.0', operation: 'a|b', result: '**fails**' },
]
const DOCUMENT = '# A\n\n<!-- clients: begin -->\nold\n<!-- clients: end -->\n\n## B\n'

/** Titles of tests in the source; a group that runs twice counts once. */
function titles(source: string): string[] {
  return [...source.matchAll(/\bit\(\s*(['"`])(.+?)\1,/g)].map((match) => match[2] ?? '')
}

describe('the table of clients', () => {
  it('has a row for each test, and marks failures', () => {
    expect(rowsOf(REPORT)).toEqual(ROWS)
    expect(clientTable(ROWS, ['adb 1'])).toBe(
      [
        '- adb 1',
        '',
        '| Client | Operation | Result |',
        '| --- | --- | --- |',
        '| one 1.0 | x | works |',
        '| one 1.0 | y | not run |',
        '| two 2.0 | a\\|b | **fails** |',
      ].join('\n'),
    )
  })

  it('is written between the markers, and can be read back', () => {
    const written = withTable(DOCUMENT, clientTable(ROWS, ['adb 1']))
    expect(written.startsWith('# A\n\n<!--') && written.endsWith('-->\n\n## B\n')).toBe(true)
    expect(written).not.toContain('old')
    expect(tableRows(written)).toEqual(ROWS)
    expect(() => tableRows('nothing')).toThrow('no markers')
  })

  it('is committed with exactly the tests of this folder, all passing', () => {
    const rows = tableRows(readFileSync(join(here, '../../README.md'), 'utf8'))
    const tests = readdirSync(here)
      .filter((file) => file.endsWith('.test.ts') && file !== 'table.test.ts')
      .flatMap((file) => titles(readFileSync(join(here, file), 'utf8')))
    expect(tests.length).toBeGreaterThan(50)
    expect([...new Set(rows.map((row) => row.operation))].sort()).toEqual([...new Set(tests)].sort())
    expect(rows.filter((row) => row.result !== 'works')).toEqual([])
    expect(rows.filter((row) => !/ \d+\.\d+/.test(row.client))).toEqual([])
  })
})
