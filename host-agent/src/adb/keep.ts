/**
 * Keeps a network phone connected. `adb connect` answers "already connected" for a phone that is listed as offline, so the
 * keeper disconnects it first. Used by `serve.ts`.
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

/** Whether a phone in this state needs no new connection; null when the phone is not listed. */
const isConnected = (state: string | null): boolean =>
  state === 'device' || state === 'unauthorized' || state === 'authorizing' || state === 'connecting'

/**
 * @param stateNow returns the latest state of the phone; null when the phone is not listed
 * @param capMs the longest pause between two attempts
 */
export function keepConnected(
  client: AdbClient,
  address: string,
  stateNow: () => string | null,
  log: Logger,
  capMs = backoff.cap,
): Keeper {
  const stopping = new AbortController()
  const stopped = () => stopping.signal.aborted
  const nudges = new Set<() => void>()

  async function keep(): Promise<void> {
    let wait = backoff.first
    while (!stopped()) {
      if (isConnected(stateNow())) {
        wait = backoff.first
        await pause(every)
        continue
      }
      try {
        const progress = Progress.for(connectLimit, stopping.signal)
        // The known state can come from an outdated list.
        const listed = (await client.devices(progress)).find(({ serial }) => serial === address)
        if (isConnected(listed?.state ?? null)) {
          await pause(wait)
          continue
        }
        if (listed !== undefined) await client.disconnect(address, progress)
        const answer = await client.connect(address, progress)
        if (answer !== null) log.debug({ address, answer }, 'the network phone does not respond')
      } catch (error) {
        if (stopped()) return
        log.debug({ address, err: error }, 'the request to connect a network phone failed')
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

  const running = keep()
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
