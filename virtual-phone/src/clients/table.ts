/**
 * Makes `clients.md` of a run of the tests in this folder: each client a table, each thing it did a row.
 *   npx vitest run --project virtual-phone src/clients --reporter=json --outputFile=/tmp/clients.json
 *   node dist/clients/table.js /tmp/clients.json > clients.md
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** What of vitest's JSON report is used. */
export interface Report {
  testResults: {
    /** Path of the file. */
    name: string
    assertionResults: { ancestorTitles: string[]; title: string; status: string }[]
  }[]
}

const RESULTS: Readonly<Record<string, string>> = { passed: 'works', failed: '**fails**' }

/** @param setting lines on what the run was made with */
export function clientTables(report: Report, setting: readonly string[]): string {
  const byClient = new Map<string, string[]>()
  const files = [...report.testResults].sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { ancestorTitles, title, status } of files.flatMap((file) => file.assertionResults)) {
    const client = ancestorTitles.filter((name) => name !== '').join(' · ')
    const rows = byClient.get(client) ?? []
    rows.push(`| ${cell(title)} | ${RESULTS[status] ?? 'not run'} |`)
    byClient.set(client, rows)
  }
  const tables = [...byClient].map(([client, rows]) =>
    [`## ${client}`, '', '| Thing | Result |', '| --- | --- |', ...rows].join('\n'),
  )
  const head = [
    '# What others’ clients do with the virtual phone',
    '',
    'Made by `src/clients/table.ts` of a run of the tests in `src/clients/`; each row is a test of this name.',
    ...setting.map((line) => `- ${line}`),
  ]
  return `${[head.join('\n'), ...tables].join('\n\n')}\n`
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

function firstLine(program: string, args: readonly string[]): string {
  return execFileSync(program, args).toString().split('\n')[0] ?? ''
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Report
  const adb = execFileSync('adb', ['version']).toString().split('\n')
  process.stdout.write(
    clientTables(report, [
      `adb server: ${adb[0] ?? ''}, ${adb[1] ?? ''}`,
      `H.264: ${firstLine(process.env['FFMPEG_BIN'] ?? 'ffmpeg', ['-version']).replace(/ Copyright.*/, '')}`,
      `Node ${process.version}`,
    ]),
  )
}
