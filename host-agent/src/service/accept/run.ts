/**
 * Runs the checks of an acceptance in their order. A check is skipped unless all checks that it needs have
 * passed.
 */
import { ApiError, DeadlineExceeded, ownNow, Progress } from '@phonerack/shared'
import { Failed, Skipped, type Check, type CheckResult, type Outcome } from './check.js'
import type { PhoneUnderTest } from './phone.js'

export interface RunOptions {
  checks: readonly Check[]
  phone: PhoneUnderTest
  /** Ends the run: the remaining checks are skipped. */
  interrupted: AbortSignal
  /** Called before and after each check. */
  onBegin: (check: Check) => void
  onEnd: (result: CheckResult) => void
}

export async function runChecks(options: RunOptions): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of options.checks) {
    const missing = check.needs.filter((name) => !hasPassed(results, name))
    const result =
      missing.length > 0 || options.interrupted.aborted
        ? skipped(check, missing, options.interrupted.aborted)
        : await runOne(check, options)
    results.push(result)
    options.onEnd(result)
  }
  return results
}

/** Whether a run has passed. A run in which no check passed, or in which a check did not pass, has failed. */
export const allPassed = (results: readonly CheckResult[]): boolean =>
  results.length > 0 && results.every(({ verdict }) => verdict === 'passed')

const hasPassed = (results: readonly CheckResult[], name: string): boolean =>
  results.some((result) => result.name === name && result.verdict === 'passed')

const nothing: Outcome = { evidence: [] }

function skipped(check: Check, missing: readonly string[], interrupted: boolean): CheckResult {
  const reason = interrupted ? 'the run was interrupted' : `needs ${missing.join(', ')}, which did not pass`
  return resultOf(check, 'skipped', reason, nothing, 0)
}

async function runOne(check: Check, options: RunOptions): Promise<CheckResult> {
  options.onBegin(check)
  const startedAt = ownNow()
  const ms = () => Math.round(ownNow() - startedAt)
  const progress = Progress.for(check.limitMs, options.interrupted)
  let result: CheckResult
  let reported: unknown
  try {
    const outcome = await progress.race(check.name, () => check.run(options.phone, progress))
    result = resultOf(check, 'passed', null, outcome, ms())
  } catch (error) {
    if (options.interrupted.aborted)
      result = resultOf(check, 'skipped', 'the run was interrupted during this check', nothing, ms())
    else if (error instanceof Skipped) result = resultOf(check, 'skipped', error.message, nothing, ms())
    else {
      reported = error
      const outcome = error instanceof Failed ? error.outcome : nothing
      result = resultOf(check, 'failed', reasonOf(error, check.limitMs), outcome, ms())
    }
  }
  const left = (await options.phone.unfinished.settled()).filter((error) => error !== reported)
  return left.length === 0 ? result : withLeft(result, left)
}

/** Fails a check whose reset failed after the check ended, even in an interrupted run. */
const withLeft = (result: CheckResult, left: readonly unknown[]): CheckResult => ({
  ...result,
  verdict: 'failed',
  reason: [result.reason ?? [], ...left.map((error) => reasonOf(error))].flat().join('; '),
})

/** Returns the error's message, with the message of its cause. */
export function reasonOf(error: unknown, limitMs?: number): string {
  if (error instanceof DeadlineExceeded && limitMs !== undefined)
    return `${error.message} (at most ${Math.round(limitMs / 1000)} s)`
  if (error instanceof ApiError) {
    const details = Object.keys(error.details).length > 0 ? ` ${JSON.stringify(error.details)}` : ''
    return `${error.code}: ${error.message}${details}`
  }
  const messages: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message)
  return messages.join(': ') || 'unknown'
}

const resultOf = (
  { name, claim }: Check,
  verdict: CheckResult['verdict'],
  reason: string | null,
  { evidence, times = {}, pictures = [] }: Outcome,
  ms: number,
): CheckResult => ({ name, claim, verdict, reason, evidence, times, pictures, ms })
