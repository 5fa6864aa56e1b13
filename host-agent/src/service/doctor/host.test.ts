import { expect, it } from 'vitest'
import { hostFindings } from './host.js'
import type { HostReadings, Readings } from './readings.js'

const host: HostReadings = {
  identity: { value: null },
  server: { failed: 'x' },
  broker: null,
  servers: null,
  phoneNetwork: [],
  way: { kind: 'listen', address: 'a:1', port: { listen: 'a:1', state: 'free', why: '' }, back: null },
  disks: [{ name: 'state folder', path: '/mnt/it is', free: { failed: 'EIO: i/o error' }, needed: 1 }],
}
const readings: Readings = {
  now: new Date(),
  configuration: null,
  adb: { value: { version: 'adb', knowsOneDevice: true } },
  adbServers: { value: [] },
  usb: { value: [] },
  ffmpeg: { value: { missing: [] } },
  ffprobe: { value: '' },
  host,
}

it('reports a disk that cannot be read as unknown, with a command that is safe to paste', () => {
  expect(hostFindings(readings).filter(({ id }) => id === 'disk')).toMatchObject([
    { level: 'unknown', about: expect.stringContaining('EIO') as string, fix: "df -h '/mnt/it is'" },
  ])
})
