/** The output of `doctor`. Pure. */
import type { Finding } from './readings.js'

const marks = { ok: 'ok      ', warning: 'WARNING ', error: 'ERROR   ', unknown: 'unknown ' }

export function reportText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ level, about, why, fix }) => [
    `${marks[level]}${about}`,
    ...(level === 'ok' ? [] : [`        Why: ${why}`, `        Fix: ${fix}`]),
  ])
  const count = (level: Finding['level']): number => findings.filter((each) => each.level === level).length
  const totals = `${count('error')} errors, ${count('warning')} warnings, ${count('unknown')} unknown`
  return `${lines.join('\n')}\n\n${totals}\n`
}

export const reportJson = (findings: readonly Finding[]): string =>
  `${JSON.stringify({ ok: isHealthy(findings), findings }, null, 2)}\n`

/** Warnings and unknown states do not fail the command. */
export const isHealthy = (findings: readonly Finding[]): boolean =>
  findings.every(({ level }) => level !== 'error')
