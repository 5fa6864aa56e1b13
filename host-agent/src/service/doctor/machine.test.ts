import { expect, it } from 'vitest'
import { machineFindings } from './machine.js'
import type { HostReadings, Readings, UsbPhone } from './readings.js'

const phone: UsbPhone = {
  port: '1-1',
  name: 'Pixel',
  serial: 'A',
  speed: 480,
  node: '/dev/bus/usb/001/002',
  access: 'ok',
}

const readings = (servers: HostReadings['servers'], usb: UsbPhone[] = [phone]): Readings => ({
  now: new Date(),
  configuration: null,
  adb: { value: { version: 'adb', knowsOneDevice: true } },
  adbServers: { value: [] },
  usb: { value: usb },
  ffmpeg: { value: { missing: [] } },
  ffprobe: { value: '' },
  host: {
    identity: { value: null },
    server: { failed: '' },
    broker: null,
    disks: [],
    servers,
    phoneNetwork: [],
    way: { kind: 'listen', address: 'a:1', port: { listen: 'a:1', state: 'free', why: '' }, back: null },
  },
})

it.each([
  ['unauthorized', /accept "Allow USB debugging"/],
  ['offline', /disconnect the phone and connect it again/],
  ['no permissions (user in plugdev group); see [http://developer.android.com]', /plugdev/],
  ['authorizing', /wait a moment/],
  ['recovery', /adb -s SERIAL reboot/],
])('advises for a phone in state %s', (state, fix) => {
  const found = machineFindings(
    readings([{ serial: null, phones: { value: [{ serial: 'SERIAL', state }] } }]),
  ).filter(({ id }) => id === 'phones')
  expect(found).toMatchObject([{ level: 'error', about: `SERIAL is ${state}` }])
  expect(found[0]?.fix).toMatch(fix)
})

it('lists connected phones as fine, without control characters of their names', () => {
  const found = machineFindings(
    readings([{ serial: null, phones: { value: [{ serial: 'A\u001b[2J\nB', state: 'device' }] } }]),
  )
  expect(found.at(-1)).toMatchObject({ level: 'ok', about: 'A B is connected' })
})

it('reports a USB phone without a usable serial', () => {
  const found = machineFindings(readings(null, [{ ...phone, serial: 'two words' }]))
  expect(found.filter(({ level }) => level === 'error')).toMatchObject([
    { id: 'usb_serial', about: 'Pixel two words at USB port 1-1 has no usable serial' },
  ])
})

it('reports a USB phone without rights for this user', () => {
  const found = machineFindings(readings(null, [{ ...phone, access: 'denied', name: 'Evil\u009b31m' }]))
  expect(found.filter(({ level }) => level === 'error')).toMatchObject([
    { id: 'usb_access', about: 'this user has no rights to Evil A at USB port 1-1 (/dev/bus/usb/001/002)' },
  ])
})
