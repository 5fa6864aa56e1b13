/** Finds phones with USB debugging in Linux's sysfs. Used by `servers.ts`, `doctor` and `health`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The folder in which Linux lists USB devices. */
export const usbDevices = '/sys/bus/usb/devices'

export interface UsbPort {
  /** The port in the USB tree, such as `1-2`. */
  port: string
  /** The device's folder in sysfs. */
  folder: string
  /** The serial that the device reports; null when it reports none. */
  serial: string | null
}

/** Class, subclass and protocol of the ADB interface (AOSP `adb/adb.h`). */
const adbInterface = ['ff', '42', '01']

/**
 * Returns the ports of devices with an ADB interface.
 * @param sys `usbDevices`
 * @throws Error when the folder cannot be read
 */
export function readUsbPorts(sys: string): UsbPort[] {
  const names = readdirSync(sys)
  const ports = new Set(
    names.filter((name) => isAdb(path.join(sys, name))).map((name) => name.split(':', 1)[0] ?? ''),
  )
  return [...ports].sort().map((port) => {
    const folder = path.join(sys, port)
    return { port, folder, serial: usbAttribute(folder, 'serial') }
  })
}

/**
 * Returns a function that returns the ports with an ADB interface. When nothing changed on USB, a call reads
 * one file per device. A system without USB has no ports.
 */
export function createUsbScan(sys: string): () => UsbPort[] {
  let before = ''
  let found: UsbPort[] = []
  return () => {
    const state = stateOf(sys)
    if (state === before) return found
    found = state === '' ? [] : readUsbPorts(sys)
    before = state
    return found
  }
}

/**
 * Returns a text that changes with each device that connects or disconnects. A device gets a new number each time, and
 * its interfaces appear later.
 */
function stateOf(sys: string): string {
  if (!existsSync(sys)) return ''
  return readdirSync(sys)
    .map((name) =>
      name.includes(':') ? name : `${name} ${usbAttribute(path.join(sys, name), 'devnum') ?? ''}`,
    )
    .join('\n')
}

/** The limit is longer than the text of any USB string descriptor. */
const longestSerial = 128
const usable = new RegExp(`^[\\x21-\\x7e]{1,${longestSerial}}$`)

/**
 * `--one-device` also accepts the place of a phone on USB (AOSP `transport_server_owns_device`), such as
 * `usb:2-6`.
 */
const place = /^(?:usb:|\/|\d+-\d+(?:\.\d+)*$)/

/**
 * Returns the serials that get an adb server, each once. A phone chooses its serial: a serial is not used if it cannot
 * be a serial in adb's list, or if it names the place of another phone, on USB or in the network.
 */
export const serialsToServe = (
  ports: readonly Pick<UsbPort, 'serial'>[],
  networkPhones: ReadonlySet<string>,
): string[] => [
  ...new Set(
    ports.flatMap(({ serial }) =>
      serial !== null &&
      usable.test(serial) &&
      !/^\?+$/.test(serial) &&
      !place.test(serial) &&
      !networkPhones.has(serial)
        ? [serial]
        : [],
    ),
  ),
]

const isAdb = (folder: string): boolean =>
  folder.includes(':') &&
  ['bInterfaceClass', 'bInterfaceSubClass', 'bInterfaceProtocol'].every(
    (name, at) => usbAttribute(folder, name) === adbInterface[at],
  )

/** Null when the device lacks the attribute, or has disconnected. */
export function usbAttribute(folder: string, name: string): string | null {
  try {
    return readFileSync(path.join(folder, name), 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && absent.has(String(error.code))) return null
    throw error
  }
}

const absent: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO'])
