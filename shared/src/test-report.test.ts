/** Tests how `./scripts/test` counts test files, and divides and continues the long tests. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { commandOf, countReport, readReport } from '../../scripts/lib/runs.mjs'
import { beginRecord, headOf, shardOf } from '../../scripts/lib/suites.mjs'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-report-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const test = (title: string, state: string, ...errors: string[]) => ({
  title,
  fullName: `a group ${title}`,
  state,
  errors,
})
const fileOf = (file: string, tests: object[], ...errors: string[]) => ({ file, ms: 1, errors, tests })

function counted(lines: object[], ...expected: string[]) {
  const report = path.join(dir, `${crypto.randomUUID()}.jsonl`)
  writeFileSync(report, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return countReport(readReport(report), expected)
}

it('counts passed tests, and names each failure with its reason and its command', () => {
  const failing = test('fails (once)', 'failed', 'expected 1\nto be 2\n    at file.ts:1')
  const lines = [fileOf('a.test.ts', [test('passes', 'passed'), test('is skipped', 'skipped'), failing])]
  expect(counted(lines, 'a.test.ts')).toEqual({
    passed: 1,
    failed: [
      "a.test.ts: a group fails (once): expected 1\n    to be 2\n    npx vitest run a.test.ts -t 'a group fails \\(once\\)'",
    ],
  })
})

it('counts a failed hook, an error outside of tests, and a file that has not ended as failures', () => {
  const lines = [
    fileOf('a.test.ts', [test('passes', 'passed')], 'the hook failed'),
    { outside: ['a stray error'] },
  ]
  expect(counted(lines, 'a.test.ts', 'e2e/src/b.test.ts')).toEqual({
    passed: 1,
    failed: [
      'a.test.ts: the hook failed\n    npx vitest run a.test.ts',
      `e2e/src/b.test.ts: has not ended\n    ${commandOf('e2e/src/b.test.ts')}`,
      'an error outside of tests: a stray error',
    ],
  })
  expect(commandOf('e2e/src/b.test.ts')).toBe(
    'npx vitest run --config e2e/vitest.config.ts e2e/src/b.test.ts',
  )
})

it('counts the last outcome of a file that ran again', () => {
  const lines = [fileOf('a.test.ts', [test('x', 'failed', 'no')]), fileOf('a.test.ts', [test('x', 'passed')])]
  expect(counted(lines, 'a.test.ts')).toEqual({ passed: 1, failed: [] })
})

it('divides files between shards without a rest', () => {
  const files = ['a', 'b', 'c', 'd', 'e']
  expect(['1/2', '2/2'].map((shard) => shardOf(files, shard))).toEqual([
    ['a', 'c', 'e'],
    ['b', 'd'],
  ])
  expect(shardOf(files, undefined)).toEqual(files)
  for (const shard of ['0/2', '3/2', '1', '1/0', 'x'])
    expect(() => shardOf(files, shard)).toThrow(`--shard must be like 2/4, not ${shard}`)
})

it('continues a run only on the sources that it tested', () => {
  const record = path.join(dir, 'record.jsonl')
  expect(() => headOf(record, 'one')).toThrow('there is no run to resume')
  beginRecord(record, { sources: 'one', seed: 3 })
  expect(headOf(record, 'one')).toEqual({ sources: 'one', seed: 3 })
  expect(() => headOf(record, 'two')).toThrow('the sources have changed')
})
