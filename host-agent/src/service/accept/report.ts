/** The report of an acceptance run as JSON and as text. Pure. */
import { plain } from '@phonerack/shared'
import type { CheckResult } from './check.js'
import { allPassed } from './run.js'

export interface Report {
  /** The phone's own texts; null when unknown. */
  phone: { serial: string; maker: string | null; model: string | null; sdk: number | null }
  /** Version of the agent. */
  version: string
  startedAt: Date
  endedAt: Date
  results: readonly CheckResult[]
}

/** Formats the results without pictures. */
export function reportJson({ phone, version, startedAt, endedAt, results }: Report): string {
  const checks = results.map(({ pictures: _, ...check }) => check)
  return `${JSON.stringify(
    {
      format: 1,
      phone,
      agent: version,
      started_at: startedAt,
      ended_at: endedAt,
      passed: allPassed(results),
      checks,
    },
    null,
    2,
  )}\n`
}

export const marks = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' } as const

export const resultLine = ({ name, verdict, ms, reason }: CheckResult): string =>
  `${marks[verdict].padEnd(8)}${name}${verdict === 'skipped' ? '' : `, ${ms} ms`}${reason === null ? '' : `: ${plain(reason)}`}\n`

export function totals(results: readonly CheckResult[]): string {
  const count = (verdict: CheckResult['verdict']) => results.filter((each) => each.verdict === verdict).length
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
}

/**
 * Returns the beginning of the report's file names, such as `google-pixel-8-api-34`. The text contains only
 * `[a-z0-9-]`, because the phone reports its parts.
 */
export function fileNameOf({ maker, model, sdk }: Report['phone']): string {
  const words = [maker, model, sdk === null ? null : `api-${sdk}`].filter((word) => word !== null)
  const name = words
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return name.slice(0, 80) || 'phone'
}
