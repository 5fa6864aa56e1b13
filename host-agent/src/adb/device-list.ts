/**
 * Parses the server's list of devices with their transport ids. adbkit's lists lack the ID, or read it from a
 * fixed column that a network phone does not have (`HostDevicesWithPathsCommand`).
 */
import type { TransportId } from './target.js'

/** One line of `host:devices-l`. */
export interface ListedDevice {
  serial: string
  /** Reported by the server: `device`, `offline`, `unauthorized`, `authorizing`, `connecting`, `recovery`, `no permissions`… */
  state: string
  /** The transport ID. A device that reconnects gets a new ID. */
  transport: TransportId
}

const line = /^(\S+)\s+(\S.*) transport_id:(\d+)$/

/**
 * Parses AOSP `adb/transport.cpp`, `append_transport_info`: one line per device.
 * @param serverRun the run of the server that sent the list
 */
export function parseDeviceList(text: string, serverRun: number): ListedDevice[] {
  const devices: ListedDevice[] = []
  for (const each of text.split(/\r?\n/)) {
    const [, serial, rest, id] = line.exec(each) ?? []
    if (serial === undefined || rest === undefined || id === undefined) continue
    // The server has not read the phone's serial yet.
    if (/^\?+$/.test(serial) || each.startsWith('(no serial number)')) continue
    const words = rest.split(' ')
    // Facts about the device, such as `usb:1-4 model:Pixel_8`.
    while (words.at(-1)?.includes(':')) words.pop()
    devices.push({ serial, state: words.join(' ').trim(), transport: { id: Number(id), serverRun } })
  }
  return devices
}
