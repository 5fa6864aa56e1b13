/** Tracks the list of devices (`host:track-devices-l`) across restarts of the server. Used by `serve.ts`. */
import { Progress, onAbort, pause } from '@phonerack/shared'
import { keepRunning } from '../base/keep-running.js'
import type { AdbClient } from './client.js'
import { parseDeviceList, type ListedDevice } from './device-list.js'
import { readText } from './service.js'

/** Milliseconds. */
const reconnectMs = 250

/**
 * Calls `onList` with each list until `signal` aborts. When the connection to the server breaks, calls
 * `onList` with an empty list and reconnects. Calls `onLost` once, and again only after another list. Never
 * throws.
 */
export async function trackDevices(
  client: AdbClient,
  onList: (devices: ListedDevice[]) => void,
  onLost: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  let isReported = false
  const track = async (): Promise<'again'> => {
    try {
      await client.call(
        'host:track-devices-l',
        null,
        Progress.for(5000, signal),
        async (stream, serverRun) => {
          stream.detach()
          const forget = onAbort(signal, () => stream.close())
          try {
            for (;;) {
              onList(parseDeviceList(await readText(stream), serverRun))
              isReported = false
            }
          } finally {
            forget()
          }
        },
      )
    } catch (error) {
      if (!signal.aborted) {
        onList([])
        if (!isReported) onLost(error)
        isReported = true
      }
    }
    return 'again'
  }
  await keepRunning(track, { signal, pauses: { first: reconnectMs, cap: reconnectMs } })
}

/**
 * Polls the list until `signal` aborts: the server (29.0.6) does not announce that a network phone went
 * offline, and reconnects it only after 10 s. Drops a polled list when `trackDevices` has delivered a newer
 * list: `tracked` changes with each list. Never throws: `trackDevices` reports a lost server.
 */
export async function pollDevices(
  client: AdbClient,
  onList: (devices: ListedDevice[]) => void,
  everyMs: number,
  signal: AbortSignal,
  tracked: () => unknown,
): Promise<void> {
  const stopped = () => signal.aborted
  while (!stopped()) {
    await pause(everyMs, signal)
    if (stopped()) return
    try {
      const before = tracked()
      const list = await client.devices(Progress.for(2000, signal))
      if (!stopped() && tracked() === before) onList(list)
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }
}
