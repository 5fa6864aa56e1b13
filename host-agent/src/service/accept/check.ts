/** One check of an acceptance run: its claim, what it needs, and its outcome. Run by `run.ts`. */
import type { Progress } from '@phonerack/shared'
import type { PhoneUnderTest } from './phone.js'

/** An image for the report. */
export interface Picture {
  title: string
  /** JPEG. */
  image: Uint8Array
}

export interface Outcome {
  /** Observations, each in one line. Text from the phone is untrusted. */
  evidence: readonly string[]
  /** Measured times in milliseconds, by name. */
  times?: Readonly<Record<string, number>>
  pictures?: readonly Picture[]
}

export interface Check {
  /** Unique, in lower case with `_`. */
  name: string
  /** The claim that the check proves. */
  claim: string
  /** Names of the checks that must pass first. */
  needs: readonly string[]
  /** Milliseconds. */
  limitMs: number
  /** @throws Failed, Skipped, or any error, which also fails the check */
  run(phone: PhoneUnderTest, progress: Progress): Promise<Outcome>
}

/** The claim does not hold on this phone. */
export class Failed extends Error {
  constructor(
    reason: string,
    readonly outcome: Outcome = { evidence: [] },
  ) {
    super(reason)
    this.name = 'Failed'
  }
}

/** The claim cannot be checked here. */
export class Skipped extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Skipped'
  }
}

export type Verdict = 'passed' | 'failed' | 'skipped'

export interface CheckResult {
  name: string
  claim: string
  verdict: Verdict
  /** The reason for which the check failed or was skipped; null when it passed. */
  reason: string | null
  evidence: readonly string[]
  times: Readonly<Record<string, number>>
  pictures: readonly Picture[]
  /** Milliseconds. */
  ms: number
}
