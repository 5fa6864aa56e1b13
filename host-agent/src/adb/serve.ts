/** One adb server with the phones that it lists. Used by `servers.ts`. */
import { onAbort, type Logger } from '@phonerack/shared'
import type { Limiter } from '../base/limiter.js'
import type { AdbClient } from './client.js'
import type { ListedDevice } from './device-list.js'
import { keepConnected, type Keeper } from './keep.js'
import { startAdbServer, type AdbServer, type AdbServerOptions, type ServedPhones } from './server.js'
import { pollDevices, trackDevices } from './track.js'

interface ServeParts extends AdbServerOptions {
  serves: ServedPhones
  client: AdbClient
  /** Whether a listed serial is a phone of this server. */
  isMine: (serial: string) => boolean
  /** Limits the servers that start at the same time. */
  limiter: Limiter
  /** Milliseconds: the longest pause between two attempts to connect a network phone. Default: the product's. */
  reconnectMs?: number | undefined
  /** Called after each change of `devices`. */
  onChange: () => void
  /** Called once the server has been stopped. */
  onStopped: () => void
  log: Logger
}

export interface Served {
  /** The phones that the server lists. */
  readonly devices: readonly ListedDevice[]
  /** Why the server does not run; null while it runs. */
  readonly trouble: string | null
  /** Resolves after the first attempt to start the server. */
  readonly started: Promise<void>
  /** Resolves once the server has ended. A repeated call waits for the same end. */
  stop(): Promise<void>
}

/** Interval between checks of a network phone, in milliseconds. */
const networkPollMs = 500

export function serve(parts: ServeParts): Served {
  const stopping = new AbortController()
  const { signal } = stopping
  let server: AdbServer | null = null
  let devices: readonly ListedDevice[] = []
  let keeper: Keeper | null = null

  function onList(listed: readonly ListedDevice[]): void {
    const mine = listed.filter(({ serial }) => parts.isMine(serial))
    const isSame =
      mine.length === devices.length && mine.every((device, at) => isSameDevice(device, devices[at]))
    if (isSame) return
    devices = mine
    parts.onChange()
    keeper?.nudge()
  }

  /** Resolves when `stop` was called and the lists are no longer read. */
  async function follow({ client }: AdbServer): Promise<void> {
    const { serves, log } = parts
    const onLost = (error: unknown) => log.warn({ err: error }, 'the connection to the device list was lost')
    let lists = 0
    const onTracked = (listed: readonly ListedDevice[]) => {
      lists += 1
      onList(listed)
    }
    const reading = [trackDevices(client, onTracked, onLost, signal)]
    // An operator can manually connect a network phone to the server of all phones on USB.
    if (serves.kind !== 'usb') reading.push(pollDevices(client, onList, networkPollMs, signal, () => lists))
    if (serves.kind === 'network')
      keeper = keepConnected(client, serves.serial, () => devices[0]?.state ?? null, log, parts.reconnectMs)
    await new Promise<void>((resolve) => onAbort(signal, resolve))
    await Promise.all([...reading, keeper?.stop()])
  }

  const starting = parts.limiter(async () => (signal.aborted ? null : (server = await startAdbServer(parts))))
  const run = async (): Promise<void> => {
    const started = await starting
    if (started !== null) {
      await follow(started)
      onList([])
      await started.stop()
    }
    parts.onStopped()
  }
  // Rejects only on a bug, which ends the agent.
  const running = run()
  return {
    get devices() {
      return devices
    },
    get trouble() {
      return server === null ? 'the server has not started yet' : server.trouble
    },
    started: starting.then(() => undefined),
    stop() {
      stopping.abort()
      return running
    },
  }
}

const isSameDevice = (one: ListedDevice, other: ListedDevice | undefined): boolean =>
  one.serial === other?.serial &&
  one.state === other.state &&
  one.transport.id === other.transport.id &&
  one.transport.serverRun === other.transport.serverRun
