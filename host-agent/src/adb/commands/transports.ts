/**
 * Reads and tracks the list of devices with their transport ids. adbkit's lists lack the id, or read it from a fixed column
 * that a network phone does not have (`HostDevicesWithPathsCommand`).
 */
import type { Bluebird } from '../adbkit.js'
import { ServiceCommand } from './service.js'

/** One line of `host:devices-l`. */
export interface ListedDevice {
  serial: string
  /** Reported by the server: `device`, `offline`, `unauthorized`, `authorizing`, `connecting`, `recovery`, `no permissions`… */
  state: string
  /** Assigned by the server, counting from its start. A device that reconnects gets a new one. */
  transportId: number
}

const line = /^(\S+)\s+(\S.*) transport_id:(\d+)$/

/** Parses the server's list (AOSP `adb/transport.cpp`, `append_transport_info`): one line per device. */
export function parseDeviceList(text: string): ListedDevice[] {
  const devices: ListedDevice[] = []
  for (const each of text.split(/\r?\n/)) {
    const [, serial, rest, id] = line.exec(each) ?? []
    if (serial === undefined || rest === undefined || id === undefined) continue
    // The server has not read the serial of this phone yet.
    if (/^\?+$/.test(serial) || each.startsWith('(no serial number)')) continue
    const words = rest.split(' ')
    // Facts about the device, such as `usb:1-4 model:Pixel_8`.
    while (words.at(-1)?.includes(':')) words.pop()
    devices.push({ serial, state: words.join(' ').trim(), transportId: Number(id) })
  }
  return devices
}

export class ListDevicesCommand extends ServiceCommand<ListedDevice[]> {
  execute(): Bluebird<ListedDevice[]> {
    return this.request('host:devices-l')
      .then(() => this.readText())
      .then(parseDeviceList)
  }
}

export class TrackDevicesCommand extends ServiceCommand<void> {
  /** Starts tracking; `next` then returns each list. */
  execute(): Bluebird<void> {
    return this.request('host:track-devices-l')
  }

  next(): Bluebird<ListedDevice[]> {
    return this.readText().then(parseDeviceList)
  }
}

/** Selects the device that answers the next service on this connection. */
export class TransportIdCommand extends ServiceCommand<void> {
  execute(transportId: number): Bluebird<void> {
    return this.request(`host:transport-id:${transportId}`)
  }
}
