/**
 * Writes steps and screens to Postgres. A write that fails is repeated in the background, so that an answered batch keeps
 * its record even while Postgres restarts. docs/decisions/0277
 */
import { Alarm, pause } from '@phonerack/shared'
import { type Core } from '../core/core.js'
import { Ticker } from '../core/ticker.js'
import { sqlStateOf } from '../db/sql-state.js'

/** Milliseconds between two rounds of repeated writes. */
const roundMs = 500
/** Writes that may wait. */
const mostWaiting = 1000

export interface StepWriter {
  /** Resolves when `work` has succeeded, or after `waitMs`; the work is then repeated until it succeeds. */
  write(work: () => Promise<void>, waitMs: number): Promise<void>
  close(): Promise<void>
}

export function createStepWriter(core: Pick<Core, 'log' | 'counters'>): StepWriter {
  const failing = new Alarm(
    core.log,
    core.counters,
    'step_write_failures',
    'could not write a step; retrying',
  )
  const lost = new Alarm(core.log, core.counters, 'step_rows_lost', 'a step could not be written; it is lost')
  const waiting: (() => Promise<void>)[] = []

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (isFinal(error)) return lost.raise({ err: error })
      failing.raise({ err: error, waiting: waiting.length })
      waiting.push(work)
      if (waiting.length > mostWaiting) {
        waiting.shift()
        lost.raise({ most: mostWaiting })
      }
    }
  }
  const round = async (): Promise<void> => {
    for (const work of waiting.splice(0)) await attempt(work)
  }
  const ticker = new Ticker('steps', roundMs, core.log, round)
  const running = new Set<Promise<void>>()

  return {
    async write(work, waitMs) {
      const written = attempt(work)
      running.add(written)
      void written.finally(() => running.delete(written))
      const late = new AbortController()
      await Promise.race([written, pause(waitMs, late.signal)])
      late.abort()
    },
    async close() {
      await ticker.stop()
      await Promise.all(running)
      await round()
    },
  }
}

/** True when Postgres answered that the statement cannot succeed: faults of its values, its text, or its size. */
function isFinal(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state !== null && /^(?:2\d|42|54)/.test(state)
}
