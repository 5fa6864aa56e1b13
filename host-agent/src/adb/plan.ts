/**
 * Plans the adb servers of an agent, and the phones of each server. Used by `servers.ts`, and by `doctor` and `health`.
 */
import { existsSync } from 'node:fs'
import { AdbClient } from './client.js'
import { readAdbProgram } from './program.js'
import { adbSocketPath } from './sockets.js'
import { serialsToServe, usbDevices, type UsbPort } from './usb.js'

/** Returns the folder in which this system lists USB devices; null when it has none. */
export const systemUsb = (): string | null => (process.platform === 'linux' ? usbDevices : null)

/**
 * Returns why all phones on USB share one server; null when each phone has a separate server.
 * @param sys the folder of USB devices; null when there is none
 */
export async function whyShared(bin: string, sys: string | null): Promise<string | null> {
  if (sys === null) return 'this system does not list USB devices in a folder'
  try {
    const { version, knowsOneDevice } = await readAdbProgram(bin)
    return knowsOneDevice ? null : `this adb does not know --one-device: ${version}`
  } catch (error) {
    return `adb does not run: ${error instanceof Error ? error.message : String(error)}`
  }
}

/**
 * Whether a phone belongs to a server. A phone on USB chooses its serial, and must not count as a network phone.
 * @param server serial of the server's phone; null for the server of all phones on USB
 * @param serial of the phone in the server's list
 * @param networkPhones `host:port`
 */
export const isPhoneOf = (
  server: string | null,
  serial: string,
  networkPhones: ReadonlySet<string>,
): boolean => (server === null ? !networkPhones.has(serial) : serial === server)

export interface ServerToAsk {
  /** Null for the server of all phones on USB. */
  serial: string | null
  client: AdbClient
}

/**
 * Returns the servers of a running agent. The agent decided at its start whether the phones on USB share one server,
 * whose socket then exists.
 * @param networkPhones `host:port`
 * @param ports the USB ports with phones
 */
export function serversOf(
  dataDir: string,
  networkPhones: readonly string[],
  ports: readonly Pick<UsbPort, 'serial'>[],
): ServerToAsk[] {
  const network = new Set(networkPhones)
  const usb = existsSync(adbSocketPath(dataDir, null)) ? [null] : serialsToServe(ports, network)
  return [...network, ...usb].map((serial) => ({
    serial,
    client: new AdbClient(adbSocketPath(dataDir, serial)),
  }))
}
