/** Reads the phones with USB debugging from Linux's sysfs, and whether this user may open them. */
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { attempt } from './programs.js'
import type { Reading, UsbPhone } from './readings.js'

/** Class, subclass and protocol of the ADB interface (AOSP `adb/adb.h`). */
const adbInterface = ['ff', '42', '01']

/** @param sys `/sys/bus/usb/devices` @param dev `/dev/bus/usb` */
export const readUsb = (sys: string, dev: string): Promise<Reading<UsbPhone[]>> =>
  attempt(() => {
    const names = readdirSync(sys)
    const ports = new Set(
      names.filter((name) => isAdb(path.join(sys, name))).map((name) => name.split(':', 1)[0] ?? ''),
    )
    return [...ports].sort().map((port) => phoneAt(path.join(sys, port), port, dev))
  })

const isAdb = (folder: string): boolean =>
  folder.includes(':') &&
  ['bInterfaceClass', 'bInterfaceSubClass', 'bInterfaceProtocol'].every(
    (name, at) => attribute(folder, name) === adbInterface[at],
  )

function phoneAt(folder: string, port: string, dev: string): UsbPhone {
  const number = (name: string): string => (attribute(folder, name) ?? '').padStart(3, '0')
  const node = path.join(dev, number('busnum'), number('devnum'))
  const speed = Number(attribute(folder, 'speed'))
  return {
    ...{ port, node, access: accessTo(node) },
    name: attribute(folder, 'product') ?? 'a phone',
    serial: attribute(folder, 'serial'),
    speed: Number.isFinite(speed) && speed > 0 ? speed : null,
  }
}

function accessTo(node: string): UsbPhone['access'] {
  if (!existsSync(node)) return 'missing'
  try {
    accessSync(node, constants.R_OK | constants.W_OK)
    return 'ok'
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 'denied'
    throw error
  }
}

/** Null when it does not exist. */
function attribute(folder: string, name: string): string | null {
  const file = path.join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}
