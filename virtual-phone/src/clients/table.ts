/**
 * Writes README's table of clients from a run of the tests in this folder: one row per test, with its client and
 * operation. `npm run clients` runs the tests and this program:
 *   node dist/clients/table.js dist/clients.json README.md
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** The used part of vitest's JSON report. */
export interface Report {
  testResults: {
    /** Path of the file. */
    name: string
    assertionResults: { ancestorTitles: string[]; title: string; status: string }[]
  }[]
}

export interface Row {
  /** The client and its version: the name of the group of tests. */
  client: string
  /** The test's name. */
  operation: string
  result: string
}

const BEGIN = '<!-- clients: begin -->'
const END = '<!-- clients: end -->'
const HEAD = ['| Client | Operation | Result |', '| --- | --- | --- |']
const RESULTS: Readonly<Record<string, string>> = { passed: 'works', failed: '**fails**' }

export function rowsOf(report: Report): Row[] {
  const files = [...report.testResults].sort((a, b) => (a.name < b.name ? -1 : 1))
  return files
    .flatMap((file) => file.assertionResults)
    .map(({ ancestorTitles, title, status }) => ({
      client: ancestorTitles.filter((name) => name !== '').join(' · '),
      operation: title,
      result: RESULTS[status] ?? 'not run',
    }))
}

/** @param setting lines that describe the environment of the run */
export function clientTable(rows: readonly Row[], setting: readonly string[]): string {
  const lines = rows.map(
    ({ client, operation, result }) => `| ${cell(client)} | ${cell(operation)} | ${result} |`,
  )
  return [...setting.map((line) => `- ${line}`), '', ...HEAD, ...lines].join('\n')
}

/** The rows of the table between the markers. @throws Error without markers */
export function tableRows(document: string): Row[] {
  const [, between] = parts(document)
  return between
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(HEAD.length)
    .map((line) => {
      const [client = '', operation = '', result = ''] = line
        .slice(1)
        .split(/(?<!\\)\|/)
        .map((text) => text.trim().replaceAll('\\|', '|'))
      return { client, operation, result }
    })
}

/** The document with this table between its markers. @throws Error without markers */
export function withTable(document: string, table: string): string {
  const [before, , after] = parts(document)
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`
}

function parts(document: string): [before: string, between: string, after: string] {
  const from = document.indexOf(BEGIN)
  const to = document.indexOf(END)
  if (from === -1 || to < from) throw new Error('The document has no markers for the table of clients')
  return [document.slice(0, from), document.slice(from + BEGIN.length, to), document.slice(to + END.length)]
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

function firstLine(program: string, args: readonly string[]): string {
  return execFileSync(program, args).toString().split('\n')[0] ?? ''
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [reportPath = '', documentPath = ''] = process.argv.slice(2)
  const report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report
  const adb = execFileSync('adb', ['version']).toString().split('\n')
  const table = clientTable(rowsOf(report), [
    `adb server: ${adb[0] ?? ''}, ${adb[1] ?? ''}`,
    `H.264: ${firstLine(process.env['FFMPEG_BIN'] ?? 'ffmpeg', ['-version']).replace(/ Copyright.*/, '')}`,
    `Node ${process.version}`,
  ])
  writeFileSync(documentPath, withTable(readFileSync(documentPath, 'utf8'), table))
}
