/** Writes the report of an acceptance run. Called by `accept-command.ts`. */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { writeText } from '../../base/atomic-file.js'
import { reportHtml } from './html.js'
import { fileNameOf, reportJson, type Report } from './report.js'

/**
 * The files are named after the model and the serial's hash, so that two phones of a model have two reports,
 * and a later run of a phone replaces its report.
 * @returns the paths of the JSON and of the HTML file
 */
export function writeReport(report: Report, folder: string): [json: string, html: string] {
  const serial = createHash('sha256').update(report.phone.serial).digest('hex').slice(0, 8)
  const base = path.join(folder, `${fileNameOf(report.phone)}-${serial}`)
  const files: [string, string] = [`${base}.json`, `${base}.html`]
  writeText(files[0], reportJson(report))
  writeText(files[1], reportHtml(report))
  return files
}
