/** Holds docs/conformance.md against the tests that it names. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../scripts/lib/conformance.mjs'
import { errorCodes } from './errors.js'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, root)), 'utf8')

/** The names of tests as they stand in the source; of those that run many times, once. */
function titles(source: string): string[] {
  // After `it`, `test`, or the parenthesis that closes a table of `each`.
  const named = /(?:\b(?:it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,/g
  return [...source.matchAll(named)].map((match) => match[2] ?? '')
}

describe('the table of sentences', () => {
  const rows = rowsOf(read('docs/conformance.md'))

  it('names tests that there are, each once in its file', () => {
    const sources = new Map<string, string[]>()
    const missing = rows.filter(({ file, test }) => {
      if (file === null) return false
      const known = sources.get(file) ?? titles(read(file))
      sources.set(file, known)
      return known.filter((title) => title === test).length !== 1
    })
    expect(missing).toEqual([])
    expect(sources.size).toBeGreaterThan(15)
  })

  it('says why of each sentence that has none', () => {
    const untested = rows.filter(({ file }) => file === null)
    expect(untested.filter(({ test }) => test.length < 10)).toEqual([])
    expect(rows.length).toBeGreaterThan(untested.length * 5)
  })

  it('has each sentence once in a chapter', () => {
    for (const chapter of read('docs/conformance.md').split(/^## /m).slice(1)) {
      const sentences = rowsOf(chapter)
        .map(({ sentence }) => sentence)
        .filter((sentence) => !sentence.startsWith('…'))
      expect(new Set(sentences).size).toBe(sentences.length)
    }
  })

  it('names a test of the cause of each error code', () => {
    const chapter = read('docs/conformance.md').split('\n## Error codes by their cause\n')[1] ?? ''
    const named = rowsOf(chapter.split('\n## ')[0] ?? '').map(({ sentence }) => sentence.replaceAll('`', ''))
    expect([...named].sort()).toEqual([...errorCodes].sort())
  })

  it('is read as a person reads it, and finds only names of tests', () => {
    expect(rowsOf('| Sentence | File | Test |\n| --- | --- | --- |\n| A | `a.ts` | x \\| y |\n')).toEqual([
      { sentence: 'A', file: 'a.ts', test: 'x | y' },
    ])
    const source =
      "it('one', () => {})\nit.each([\n  ['row', 1],\n])('two %s', () => {})\nit.each(\n  rows,\n)('three', f)\n"
    expect(titles(`${source}// it is 'no name',\ncall('four', 5)\n`)).toEqual(['one', 'two %s', 'three'])
  })
})
