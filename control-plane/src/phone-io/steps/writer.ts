/**
 * Writes steps and screens to Postgres. A write that fails is repeated in the background, so that an answered
 * batch keeps its step even while Postgres restarts. docs/decisions/0277
 */
import { Alarm, pause } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { Ticker } from '../../base/core/ticker.js'
import { sqlStateOf } from '../../base/db/sql-state.js'

/** Milliseconds between two rounds of repeated writes. */
const roundMs = 500

/** The limits of a writer. Above them, the oldest waiting writes are dropped. */
interface WriterRoom {
  /** The bytes of all writes, running or waiting. */
  bytes: number
  waiting: number
  /** Writes at the same time, most of which wait for a connection. Further writes wait for the next round. */
  running: number
}

const usual: WriterRoom = { bytes: 100_000_000, waiting: 1000, running: 2000 }

export interface StepWrite {
  /** The size of the write in memory. */
  bytes: number
  run(): Promise<void>
}

export interface StepWriter {
  /**
   * Resolves when `write` has succeeded, or after `waitMs`, or as soon as `write` has failed; a failed write
   * is repeated until it succeeds.
   */
  write(write: StepWrite, waitMs: number): Promise<void>
  close(): Promise<void>
}

export function createStepWriter(core: Pick<Core, 'log' | 'counters'>, room: WriterRoom = usual): StepWriter {
  const failing = new Alarm(
    core.log,
    core.counters,
    'step_write_failures',
    'could not write a step; retrying',
  )
  const lost = new Alarm(core.log, core.counters, 'step_rows_lost', 'a step could not be written; it is lost')
  const waiting: StepWrite[] = []
  /** The bytes of the running and waiting writes. */
  let bytes = 0

  const lose = (write: StepWrite, facts: object): void => {
    bytes -= write.bytes
    lost.raise({ ...facts })
  }
  const makeRoom = (): void => {
    while (waiting.length > room.waiting || bytes > room.bytes) {
      const oldest = waiting.shift()
      if (!oldest) return
      lose(oldest, { waiting: waiting.length, bytes })
    }
  }
  const attempt = async (write: StepWrite): Promise<void> => {
    try {
      await write.run()
      bytes -= write.bytes
    } catch (error) {
      if (isFinal(error)) return lose(write, { err: error })
      failing.raise({ err: error, waiting: waiting.length })
      waiting.push(write)
      makeRoom()
    }
  }
  /** Attempts the writes that wait at its beginning. */
  const round = async (): Promise<void> => {
    for (let left = waiting.length; left > 0; left -= 1) {
      const oldest = waiting.shift()
      if (!oldest) return
      await attempt(oldest)
    }
  }
  const ticker = new Ticker('steps', roundMs, core.log, round)
  const running = new Set<Promise<void>>()

  return {
    async write(write, waitMs) {
      bytes += write.bytes
      makeRoom()
      if (bytes > room.bytes) return lose(write, { running: running.size, bytes })
      if (running.size >= room.running) {
        waiting.push(write)
        return makeRoom()
      }
      const written = attempt(write)
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

/**
 * True when Postgres answered that the statement cannot succeed, because of its values, its text, or its
 * size.
 */
function isFinal(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state !== null && /^(?:2\d|42|54)/.test(state)
}
