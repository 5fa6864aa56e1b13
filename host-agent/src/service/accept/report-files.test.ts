/** The files of a report, in a folder that others may write to. */
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeReport } from './report-files.js'
import type { Report } from './report.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'phonerack-report-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const reportOf = (serial: string): Report => ({
  phone: { serial, maker: 'Google', model: 'Pixel 8', sdk: 34 },
  version: '1',
  startedAt: new Date(0),
  endedAt: new Date(5000),
  results: [],
})
const serialIn = (file: string): unknown =>
  (JSON.parse(readFileSync(file, 'utf8')) as { phone: { serial: string } }).phone.serial

it('keeps one report for each phone of a model', () => {
  const [first, html] = writeReport(reportOf('one'), folder)
  const [second] = writeReport(reportOf('two'), folder)
  expect([serialIn(first), serialIn(second)]).toEqual(['one', 'two'])
  expect(path.basename(first)).toMatch(/^google-pixel-8-api-34-[0-9a-f]{8}\.json$/)
  expect(path.basename(html)).toMatch(/^google-pixel-8-api-34-[0-9a-f]{8}\.html$/)
  // Another run of the same phone replaces its report.
  expect(writeReport(reportOf('one'), folder)[0]).toBe(first)
  expect(readdirSync(folder)).toHaveLength(4)
})

it('replaces a link in the place of the report, and does not change its target', () => {
  const target = path.join(folder, 'target')
  writeFileSync(target, 'kept')
  const files = writeReport(reportOf('one'), folder)
  for (const file of files) {
    rmSync(file)
    symlinkSync(target, file)
  }
  writeReport(reportOf('one'), folder)
  expect(readFileSync(target, 'utf8')).toBe('kept')
  for (const file of files) expect(lstatSync(file).isFile()).toBe(true)
  expect(readdirSync(folder)).toHaveLength(3)
})
