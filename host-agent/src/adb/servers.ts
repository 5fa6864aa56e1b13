/**
 * All adb servers of the agent: one for each network phone, and one for each phone on USB, so that the end or a hang of a server
 * costs one phone. With an adb that does not know `--one-device`, all phones on USB share one server.
 * Created by `agent.ts` and by acceptance runs.
 */
import { pause, type Logger } from '@phonerack/shared'
import { createLimiter } from '../base/limiter.js'
import { AdbClient } from './client.js'
import type { ListedDevice } from './device-list.js'
import { ensureAdbKey } from './key.js'
import { endLeftovers } from './leftovers.js'
import { isPhoneOf, systemUsb, whyShared } from './plan.js'
import { serve, type Served } from './serve.js'
import { makeAdbFolders, serialOf, type ServedPhones } from './server.js'
import { adbHome, adbSocketPath } from './sockets.js'
import { createUsbScan, serialsToServe, type UsbPort } from './usb.js'

export interface AdbServersOptions {
  /** Path or name of the adb program. */
  bin: string
  /** Contains the sockets, the keys and the marks of the running servers. */
  dataDir: string
  /** Network phones, `host:port`. */
  connect: readonly string[]
  /** Milliseconds: the longest pause between two attempts to connect a network phone. Default: the product's. */
  reconnectMs?: number | undefined
  /**
   * Replaced by tests. `sys`: the folder of USB devices; null when this system has none. `everyMs`: milliseconds
   * between two reads of the folder.
   */
  usb?: { sys: string | null; everyMs: number }
  log: Logger
}

export interface AdbServers {
  /** Returns the client of the server that serves the phone, or will serve it once the phone is connected. */
  clientOf(serial: string): AdbClient
  /**
   * Returns why the server of this phone does not run; null when it runs, or the phone is not connected and needs no
   * server.
   */
  troubleOf(serial: string): string | null
  /** Why no server of this host runs; null when a server runs, or the host needs none. */
  readonly trouble: string | null
  /**
   * Calls `onList` with the phones that all servers list, now and after each change. Returns a function that
   * ends the calls.
   */
  follow(onList: (devices: readonly ListedDevice[]) => void): () => void
  /** Stops the servers that this agent started. */
  stop(): Promise<void>
}

/**
 * The maximum number of servers for phones on USB: one USB bus has as many addresses, and a rack has fewer
 * phones.
 */
const mostUsbServers = 127
/** Maximum number of servers that start at the same time. */
const mostStarting = 8
const usbEveryMs = 1000

/**
 * Returns once each server answers, or after the server's first attempt failed; servers are restarted until
 * `stop`.
 */
export async function startAdbServers(options: AdbServersOptions): Promise<AdbServers> {
  const { bin, dataDir, reconnectMs, log } = options
  const connect = new Set(options.connect)
  const usb = options.usb ?? { sys: systemUsb(), everyMs: usbEveryMs }
  makeAdbFolders(dataDir)
  await endLeftovers(dataDir, log)
  const stopping = new AbortController()
  const { signal } = stopping
  const limiter = createLimiter(mostStarting)
  const clients = new Map<string | null, AdbClient>()
  /** The servers by the serial of the phone; null for the server of all phones on USB. */
  const served = new Map<string | null, Served>()
  let onList: (devices: readonly ListedDevice[]) => void = () => undefined
  let making: Promise<void> | null = null
  const shared = await whyShared(bin, usb.sys)

  const ensureKey = (): Promise<void> =>
    (making ??= ensureAdbKey(bin, adbHome(dataDir)).finally(() => (making = null)))

  function clientFor(serial: string | null): AdbClient {
    const client = clients.get(serial) ?? new AdbClient(adbSocketPath(dataDir, serial))
    clients.set(serial, client)
    return client
  }

  const keyOf = (serial: string): string | null => (shared !== null && !connect.has(serial) ? null : serial)

  const devices = (): ListedDevice[] => [...served.values()].flatMap((each) => each.devices)

  function begin(serves: ServedPhones): void {
    const serial = serialOf(serves)
    const started = serve({
      bin,
      dataDir,
      serves,
      limiter,
      ensureKey,
      log,
      reconnectMs,
      client: clientFor(serial),
      isMine: (each) => isPhoneOf(serial, each, connect),
      onChange: () => onList(devices()),
      onStopped: () => served.delete(serial),
    })
    served.set(serial, started)
  }

  /** Starts and stops servers so that each phone on USB has one server. */
  function matchUsb(serials: readonly string[]): void {
    // A stopping server stays in the map until its end. A phone that returns before that gets a new server at a later
    // scan.
    for (const [serial, each] of served)
      if (serial !== null && !connect.has(serial) && !serials.includes(serial)) void each.stop()
    for (const serial of serials)
      if (!served.has(serial) && served.size < connect.size + mostUsbServers) begin({ kind: 'usb', serial })
  }

  function serveUsb(scan: () => UsbPort[]): void {
    try {
      matchUsb(serialsToServe(scan(), connect))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      log.warn({ err: error }, 'the USB devices cannot be read')
    }
  }

  async function watchUsb(scan: () => UsbPort[]): Promise<void> {
    const stopped = () => signal.aborted
    while (!stopped()) {
      await pause(usb.everyMs, signal)
      if (!stopped()) serveUsb(scan)
    }
  }

  for (const serial of connect) begin({ kind: 'network', serial })
  let watching: Promise<void> | null = null
  if (shared !== null || usb.sys === null) {
    log.warn(
      { reason: shared },
      'all phones on USB share one adb server, whose end disconnects all these phones',
    )
    begin({ kind: 'all_usb' })
  } else {
    const scan = createUsbScan(usb.sys)
    serveUsb(scan)
    // Rejects only on a bug, which ends the agent.
    watching = watchUsb(scan)
  }
  await Promise.all([...served.values()].map(({ started }) => started))

  return {
    clientOf: (serial) => clientFor(keyOf(serial)),
    troubleOf: (serial) => served.get(keyOf(serial))?.trouble ?? null,
    get trouble() {
      const troubles = [...served.values()].map((each) => each.trouble)
      const first = troubles[0] ?? null
      return troubles.every((trouble) => trouble !== null) ? first : null
    },
    follow(listener) {
      onList = listener
      listener(devices())
      return () => (onList = () => undefined)
    },
    async stop() {
      stopping.abort()
      await watching
      await Promise.all([...served.values()].map((each) => each.stop()))
    },
  }
}
