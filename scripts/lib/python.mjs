// Parses the output of clients/python/scripts/check.sh, for checks.mjs.
import { stripVTControlCharacters } from 'node:util'

/**
 * `failed` and `skipped` name the checks; `skippedCount` counts tests, of which several can be in one line. A
 * run without a last line of counts, or a failed run without a failed check, is one failure.
 */
export function readReport(output, endedWell) {
  const lines = stripVTControlCharacters(output).trimEnd().split('\n')
  const counts = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(lines.at(-1) ?? '')
  if (counts === null)
    return { passed: 0, failed: [`python: ended badly: ${lines.at(-1)}`], skipped: [], skippedCount: 0 }
  const [passed, failedCount, skippedCount] = counts.slice(1).map(Number)
  const named = lines.flatMap((line) => /^(?:failed:|FAILED|ERROR) (.*)$/.exec(line)?.[1] ?? [])
  const failed = Array.from({ length: failedCount }, (_, index) => `python: ${named[index] ?? 'see above'}`)
  if (!endedWell && failedCount === 0) failed.push('python: ended badly')
  const skipped = lines.flatMap((line) => /^(?:skipped:|SKIPPED) (.*)$/.exec(line)?.[1] ?? [])
  return { passed, failed, skipped: skipped.map((line) => `python: ${line}`), skippedCount }
}
