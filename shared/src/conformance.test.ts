/** Compares docs/conformance with the tests that it names, and tests how a run proves a sentence. */
import { describe, expect, it } from 'vitest'
import { isCurrent, isThere, pagesOf, renamed } from '../../scripts/lib/conformance-pages.mjs'
import { lineOf, prove, rowsOf, titlesOf } from '../../scripts/lib/conformance.mjs'
import { errorCodes } from './errors.js'

describe('docs/conformance', () => {
  const pages = pagesOf()
  const rows = pages.flatMap((page) => page.rows)

  it('names tests that exist, each once in its file', () => {
    const missing = rows.filter((row) => !isThere(row)).map(({ file, test }) => `${file ?? ''}: ${test}`)
    expect(missing, 'run ./scripts/conformance, which follows renamed tests and moved files').toEqual([])
    expect(new Set(rows.map(({ file }) => file)).size).toBeGreaterThan(15)
  })

  it('gives a reason for each sentence without a test', () => {
    const untested = rows.filter(({ file }) => file === null)
    expect(untested.filter(({ test }) => test.length < 10)).toEqual([])
    expect(rows.length).toBeGreaterThan(untested.length * 5)
  })

  it('has each sentence once in a chapter', () => {
    for (const page of pages) {
      const sentences = page.rows
        .map(({ sentence }) => sentence)
        .filter((sentence) => !sentence.startsWith('…'))
      expect(new Set(sentences).size, page.name).toBe(sentences.length)
    }
  })

  it('names a test of the cause of each error code', () => {
    const page = pages.find(({ title }) => title === 'Error codes by their cause')
    const named = (page?.rows ?? []).map(({ sentence }) => sentence.replaceAll('`', ''))
    expect([...named].sort()).toEqual([...errorCodes].sort())
  })

  it('has a current index', () => {
    expect(isCurrent(pages), 'run ./scripts/conformance').toBe(true)
  })
})

describe('the lines of a page', () => {
  it('hold a sentence, its test and its file', () => {
    const row = { sentence: '… as text – or JSON', file: 'a/b.test.ts', test: 'reads [%s] as a_b' }
    expect(lineOf(row)).toBe('  - … as text – or JSON – [reads \\[%s\\] as a_b](../../a/b.test.ts)')
    expect(rowsOf(`# Title\n\nText.\n\n${lineOf(row)}\n`)).toEqual([row])
  })

  it('hold a reason in place of a test', () => {
    expect(rowsOf('- Events – not tested: there are none')).toEqual([
      { sentence: 'Events', file: null, test: 'there are none' },
    ])
  })

  it('are refused in another form', () => {
    expect(() => rowsOf('- A sentence without a test')).toThrow('not "- Sentence')
  })
})

describe('titlesOf', () => {
  it('finds titles of tests only', () => {
    const source =
      "it('one', () => {})\nit.each([\n  ['row', 1],\n])('two %s', () => {})\nit.each(\n  rows,\n)('three', f)\n"
    expect(titlesOf(`${source}// it is 'no name',\ncall('four', 5)\n`)).toEqual(['one', 'two %s', 'three'])
  })
})

describe('renamed', () => {
  it('maps titles by their order when as many were removed as added', () => {
    expect(renamed('b', ['a', 'b', 'c'], ['x', 'y', 'c'])).toBe('y')
  })

  it('takes the most similar added title otherwise', () => {
    const after = ['returns 409 while the phone is parking', 'lists phones', 'is new']
    expect(
      renamed('answers 409 while a phone is parking', ['answers 409 while a phone is parking'], after),
    ).toBe(after[0])
    expect(renamed('waits', ['waits'], after)).toBeNull()
  })
})

describe('prove', () => {
  const row = { sentence: 'A', file: 'a.test.ts', test: 'returns %s' }
  const proven = (...outcomes: boolean[]) =>
    prove(
      [row, { sentence: 'B', file: null, test: 'not possible' }],
      new Map([
        ['a.test.ts', outcomes.map((passed) => ({ title: 'returns 409', passed }))],
        ['b.test.ts', [{ title: 'returns 409', passed: false }]],
      ]),
    )

  it('counts a sentence whose test passed', () => {
    expect(proven(true)).toEqual({ sentences: 2, proven: 1, untested: 1, unproven: [] })
  })

  it.each([
    ['did not run', []],
    ['failed', [false]],
    ['failed', [true, false]],
  ])('reports a sentence whose test %s', (reason, outcomes) => {
    expect(proven(...outcomes)).toEqual({
      sentences: 2,
      proven: 0,
      untested: 1,
      unproven: [{ ...row, reason }],
    })
  })
})
