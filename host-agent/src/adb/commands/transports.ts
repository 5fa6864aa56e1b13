/**
 * Reads and follows the list of devices with their transport ids. adbkit's own lists lack the id or take it from a fixed
 * column, which a network phone does not have (`HostDevicesWithPathsCommand`).
 */
import type { Bluebird } from '../adbkit.js'
import { ServiceCommand } from './service.js'

/** One line of `host:devices-l`. */
export interface ListedDevice {
  serial: string
  /** The server's word: `device`, `offline`, `unauthorized`, `authorizing`, `connecting`, `recovery`, `no permissions`… */
  state: string
  /** Counted by the server from its start; a device that reconnects gets a new one. */
  transportId: number
}

const line = /^(\S+)\s+(.*?)(?: \S+:\S*)* transport_id:(\d+)$/

/** A list as the server prints it (AOSP `adb/transport.cpp`, `append_transport_info`): each line is one device. */
export function parseDeviceList(text: string): ListedDevice[] {
  const devices: ListedDevice[] = []
  for (const each of text.split('\n')) {
    const [, serial, state, id] = line.exec(each) ?? []
    if (serial === undefined || state === undefined || id === undefined) continue
    // The server has not read this phone's serial yet.
    if (/^\?+$/.test(serial) || each.startsWith('(no serial number)')) continue
    devices.push({ serial, state: state.trim(), transportId: Number(id) })
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
  /** Then `next` gives each list. */
  execute(): Bluebird<void> {
    return this.request('host:track-devices-l')
  }

  next(): Bluebird<ListedDevice[]> {
    return this.readText().then(parseDeviceList)
  }
}

/** Makes the connection lead to a device; the next service is the device's. */
export class TransportIdCommand extends ServiceCommand<void> {
  execute(transportId: number): Bluebird<void> {
    return this.request(`host:transport-id:${transportId}`)
  }
}
