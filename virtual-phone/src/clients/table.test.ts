import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { clientTables } from './table.js'

const here = dirname(fileURLToPath(import.meta.url))

describe('the table of clients', () => {
  it('has a table for each client and tells what failed', () => {
    const text = clientTables(
      {
        testResults: [
          {
            name: 'b',
            assertionResults: [{ ancestorTitles: ['two 2.0'], title: 'a|b', status: 'failed' }],
          },
          {
            name: 'a',
            assertionResults: [
              { ancestorTitles: ['one 1.0'], title: 'x', status: 'passed' },
              { ancestorTitles: ['one 1.0'], title: 'y', status: 'pending' },
            ],
          },
        ],
      },
      ['adb 1'],
    )
    expect(text).toContain(
      '- adb 1\n\n## one 1.0\n\n| Thing | Result |\n| --- | --- |\n| x | works |\n| y | not run |',
    )
    expect(text).toContain('\n\n## two 2.0\n\n| Thing | Result |\n| --- | --- |\n| a\\|b | **fails** |\n')
  })

  it('as committed names each test of a client, and no test that failed', () => {
    const committed = readFileSync(join(here, '../../clients.md'), 'utf8')
    const titles = readdirSync(here)
      .filter((file) => file.endsWith('.test.ts') && file !== 'table.test.ts')
      .flatMap((file) => [...readFileSync(join(here, file), 'utf8').matchAll(/\bit\(\s*(['"`])(.+?)\1,/g)])
      .map((match) => match[2])
    expect(titles.length).toBeGreaterThan(40)
    expect(titles.filter((title) => !committed.includes(`| ${title ?? ''} `))).toEqual([])
    expect(committed).not.toContain('**fails**')
  })
})
