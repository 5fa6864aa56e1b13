/**
 * Keeps network phones connected. `adb connect` answers "already connected" for a phone that is listed as offline, so the
 * keeper disconnects it first. Used by `devices/registry.ts`.
 */
import { Progress, type Logger, onAbort } from '@phonerack/shared'
import type { AdbClient } from './client.js'

export interface Keeper {
  /** Checks immediately, for example after the list of devices changed. */
  nudge(): void
  stop(): Promise<void>
}

/** Milliseconds. */
const every = 1000
const backoff = { first: 250, cap: 10_000 }
const connectLimit = 8000

/** `stateOf` returns the latest state of a serial; null when it is not listed. `capMs`: the longest pause between two attempts. */
export function keepConnected(
  client: AdbClient,
  addresses: readonly string[],
  stateOf: (serial: string) => string | null,
  log: Logger,
  capMs = backoff.cap,
): Keeper {
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  const nudges = new Set<() => void>()

  async function keepOne(address: string): Promise<void> {
    let wait = backoff.first
    while (!stopped()) {
      const state = stateOf(address)
      if (
        state === 'device' ||
        state === 'unauthorized' ||
        state === 'authorizing' ||
        state === 'connecting'
      ) {
        wait = backoff.first
        await pause(every)
        continue
      }
      try {
        const progress = Progress.for(connectLimit, stopping.signal)
        if (state !== null) await client.disconnect(address, progress)
        const answer = await client.connect(address, progress)
        if (answer !== null) log.debug({ address, answer }, 'network phone does not respond')
      } catch (error) {
        if (stopped()) return
        log.debug({ address, err: error }, 'could not request a connection from the adb server')
      }
      await pause(wait)
      wait = Math.min(wait * 2, capMs)
    }
  }

  /** Waits `ms`, or less when nudged or stopped. */
  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        nudges.delete(done)
        forget()
        resolve()
      }
      let forget = (): void => undefined
      const timer = setTimeout(done, ms)
      nudges.add(done)
      forget = onAbort(stopping.signal, done)
    })
  }

  const running = Promise.all(addresses.map(keepOne))
  return {
    nudge() {
      for (const nudge of [...nudges]) nudge()
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
