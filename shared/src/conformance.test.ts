/** Compares docs/conformance.md with the numbers in the titles of tests, and tests how a run proves a sentence. */
import { describe, expect, it } from 'vitest'
import {
  differences,
  numberedTests,
  numbersOf,
  prove,
  readPage,
  sentencesOf,
  titlesOf,
  withoutNumbers,
} from '../../scripts/lib/conformance.mjs'
import { errorCodes } from './errors.js'

describe('docs/conformance.md', () => {
  const page = readPage()
  const sentences = sentencesOf(page)

  it('has a test or a reason for each sentence, and a sentence for each number', () => {
    const tests = numberedTests()
    expect(differences(sentences, tests)).toEqual([])
    expect(new Set(tests.map(({ file }) => file)).size).toBeGreaterThan(100)
  })

  it('has few sentences without a test', () => {
    const untested = sentences.filter((each) => each.untested !== null)
    expect(untested.filter((each) => (each.untested ?? '').length < 10)).toEqual([])
    expect(sentences.length).toBeGreaterThan(untested.length * 5)
  })

  it('has the cause of each error code', () => {
    const chapter = /^## (\d+)\. Error codes by their cause$/m.exec(page)?.[1] ?? ''
    const named = sentences.filter(({ number }) => number.startsWith(`${chapter}.`))
    expect(named.map(({ sentence }) => sentence.replaceAll('`', '')).sort()).toEqual([...errorCodes].sort())
  })
})

describe('the parts of a page and of a title', () => {
  it('are number, sentence and reason', () => {
    expect(sentencesOf('# T\n\nText.\n\n- 1.1 A – or b\n  - 1.2 … c – not tested: there are none\n')).toEqual(
      [
        { number: '1.1', sentence: 'A – or b', untested: null },
        { number: '1.2', sentence: '… c', untested: 'there are none' },
      ],
    )
    expect(() => sentencesOf('- A sentence without a number')).toThrow('not "- NUMBER')
  })

  it('are a title and numbers at its end', () => {
    expect(numbersOf('reads [1.1] of %s [4.12, 10.3]')).toEqual(['4.12', '10.3'])
    expect(numbersOf('scrolls [1] to the end')).toEqual([])
    expect(withoutNumbers('reads [%s] [4.12, 10.3]')).toBe('reads [%s]')
  })

  it('are found in calls of tests only', () => {
    const source =
      "it('one', () => {})\nit.each([\n  ['row', 1],\n])('two %s', () => {})\nit.each(\n  rows,\n)('three', f)\n"
    expect(titlesOf(`${source}// it is 'no name',\ncall('four', 5)\n`)).toEqual(['one', 'two %s', 'three'])
  })
})

const sentence = { number: '1.1', sentence: 'A', untested: null }
const test = { number: '1.1', file: 'a.test.ts', title: 'returns %s [1.1]' }

it('names sentences without a test, second sentences of a number, and unknown numbers', () => {
  expect(
    differences(
      [sentence, { ...sentence, number: '1.2' }, { ...sentence, sentence: 'B' }],
      [test, { ...test, number: '1.3' }],
    ),
  ).toEqual([
    '1.1 has a second sentence: A',
    'no test has [1.2]: A',
    'no sentence 1.3: a.test.ts: returns %s [1.1]',
  ])
  expect(differences([{ ...sentence, untested: 'advice' }], [test])).toEqual([
    '1.1 has a test and a reason: A',
  ])
})

describe('prove', () => {
  const proved = (...outcomes: boolean[]) =>
    prove(
      [sentence],
      [test],
      outcomes.map((passed) => ({ title: 'returns 409 [1.1]', passed })),
    )

  it('counts a sentence whose tests passed', () => {
    expect(proved(true)).toEqual({ proven: ['1.1'], unproven: [] })
  })

  it.each([
    ['did not run', []],
    ['failed', [true, false]],
  ])('reports a sentence whose test %s', (reason, outcomes) => {
    expect(proved(...outcomes)).toEqual({ proven: [], unproven: [{ ...sentence, reason }] })
  })
})
