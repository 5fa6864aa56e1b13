/** The table "Clients" of docs/mcp.md: each habit has its source, and a test that exists. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'

const docs = path.join(import.meta.dirname, '../../../../docs')
const text = await readFile(path.join(docs, 'mcp.md'), 'utf8')
const table = /\n## Clients\n[^]*?\n((?:\|.*\n)+)/.exec(text)?.[1] ?? ''
const rows = table
  .split('\n')
  .slice(2, -1)
  .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| *| *\|$/g, '').trim()))

it('has a row for each habit', () => {
  expect(rows.length).toBeGreaterThan(25)
})

it.each(rows)('%s %s', async (_client, habit, source, test = '') => {
  expect(habit).not.toBe('')
  expect(source).toMatch(/\(https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/issues\/\d+\)/)
  const links = [...test.matchAll(/\[(.+?)\]\((.+?)\)/g)]
  expect(links.length).toBeGreaterThan(0)
  for (const [, title = '', file = ''] of links) {
    const code = await readFile(path.join(docs, file), 'utf8')
    // The sentences of the interface that a test shows follow its title.
    expect(
      [`'${title}'`, `'${title} [`].some((name) => code.includes(name)),
      title,
    ).toBe(true)
  }
})
