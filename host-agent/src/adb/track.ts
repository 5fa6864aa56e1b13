/**
 * Follows the list of devices (`host:track-devices`), and follows it again
 * after the server died. Used by the registry of devices.
 */
import { Progress } from '@phonerack/shared'
import { readText, type AdbClient } from './client.js'

export interface TrackedDevice {
  serial: string
  /** The server's word: `device`, `offline`, `unauthorized`, `authorizing`, `connecting`, `recovery`, `no permissions`… */
  state: string
}

/** One list as the server prints it: a line a device, serial and state parted by a tab. */
export function parseDeviceList(text: string): TrackedDevice[] {
  const devices: TrackedDevice[] = []
  for (const line of text.split('\n')) {
    const tab = line.indexOf('\t')
    if (tab <= 0) continue
    const serial = line.slice(0, tab)
    // A phone whose serial could not be read yet: it cannot be addressed.
    if (/^\?+$/.test(serial) || serial === '(no serial number)') continue
    devices.push({ serial, state: line.slice(tab + 1).trim() })
  }
  return devices
}

/**
 * Calls `onList` with each list. When the server is away the list is empty, and the tracker tries again
 * until `signal` aborts. Never throws.
 */
export async function trackDevices(
  client: AdbClient,
  onList: (devices: TrackedDevice[]) => void,
  onLost: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const stopped = () => signal.aborted
  while (!stopped()) {
    try {
      const socket = await client.open('host:track-devices', Progress.for(5000, signal))
      socket.detach()
      const onAbort = () => socket.close()
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        for (;;) onList(parseDeviceList(await readText(socket)))
      } finally {
        signal.removeEventListener('abort', onAbort)
        socket.close()
      }
    } catch (error) {
      if (stopped()) return
      onList([])
      onLost(error)
      try {
        await Progress.for(1000, signal).sleep(250)
      } catch (cause) {
        if (!stopped()) throw cause
      }
    }
  }
}

/**
 * Asks for the list again and again until `signal` aborts: the server (29.0.6) does not announce that a
 * phone on the network went offline, and by itself connects to it again only after 10 s. Never throws; what
 * it cannot read, the tracker finds out too.
 */
export async function pollDevices(
  client: AdbClient,
  onList: (devices: TrackedDevice[]) => void,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  const stopped = () => signal.aborted
  while (!stopped()) {
    try {
      await Progress.for(everyMs + 1000, signal).sleep(everyMs)
      const list = parseDeviceList(await client.ask('host:devices', Progress.for(2000, signal)))
      if (!stopped()) onList(list)
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
  }
}
