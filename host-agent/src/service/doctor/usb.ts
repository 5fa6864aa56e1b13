/** Reads the phones with USB debugging, and whether this user may open them. */
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { readUsbPorts, usbAttribute, type UsbPort } from '../../adb/usb.js'
import { attempt } from './programs.js'
import type { Reading, UsbPhone } from './readings.js'

/** @param sys `/sys/bus/usb/devices` @param dev `/dev/bus/usb` */
export const readUsb = (sys: string, dev: string): Promise<Reading<UsbPhone[]>> =>
  attempt(() => readUsbPorts(sys).map((port) => phoneAt(port, dev)))

function phoneAt({ folder, port, serial }: UsbPort, dev: string): UsbPhone {
  const number = (name: string): string => (usbAttribute(folder, name) ?? '').padStart(3, '0')
  const node = path.join(dev, number('busnum'), number('devnum'))
  const speed = Number(usbAttribute(folder, 'speed'))
  return {
    port,
    serial,
    node,
    access: accessTo(node),
    name: usbAttribute(folder, 'product') ?? 'a phone',
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
