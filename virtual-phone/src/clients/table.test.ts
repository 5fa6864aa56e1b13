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
  { client: 'one 1.0', thing: 'x', result: 'works' },
  { client: 'one 1.0', thing: 'y', result: 'not run' },
  { client: 'two 2.0', thing: 'a|b', result: '**fails**' },
]
const DOCUMENT = '# A\n\n<!-- clients: begin -->\nold\n<!-- clients: end -->\n\n## B\n'

/** Names of tests as they stand in the source; those of a group that is run twice stand once. */
function titles(source: string): string[] {
  return [...source.matchAll(/\bit\(\s*(['"`])(.+?)\1,/g)].map((match) => match[2] ?? '')
}

describe('the table of clients', () => {
  it('has a row for each test, and tells what failed', () => {
    expect(rowsOf(REPORT)).toEqual(ROWS)
    expect(clientTable(ROWS, ['adb 1'])).toBe(
      [
        '- adb 1',
        '',
        '| Client | Thing | Result |',
        '| --- | --- | --- |',
        '| one 1.0 | x | works |',
        '| one 1.0 | y | not run |',
        '| two 2.0 | a\\|b | **fails** |',
      ].join('\n'),
    )
  })

  it('takes its place between the markers, and is read back', () => {
    const written = withTable(DOCUMENT, clientTable(ROWS, ['adb 1']))
    expect(written.startsWith('# A\n\n<!--') && written.endsWith('-->\n\n## B\n')).toBe(true)
    expect(written).not.toContain('old')
    expect(tableRows(written)).toEqual(ROWS)
    expect(() => tableRows('nothing')).toThrow('no markers')
  })

  it('as committed holds the tests of this folder, no other, and none that failed', () => {
    const rows = tableRows(readFileSync(join(here, '../../README.md'), 'utf8'))
    const tests = readdirSync(here)
      .filter((file) => file.endsWith('.test.ts') && file !== 'table.test.ts')
      .flatMap((file) => titles(readFileSync(join(here, file), 'utf8')))
    expect(tests.length).toBeGreaterThan(50)
    expect([...new Set(rows.map((row) => row.thing))].sort()).toEqual([...new Set(tests)].sort())
    expect(rows.filter((row) => row.result !== 'works')).toEqual([])
    expect(rows.filter((row) => !/ \d+\.\d+/.test(row.client))).toEqual([])
  })
})
