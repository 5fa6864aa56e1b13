import { type DeviceStatus, type Heartbeat } from '@phonerack/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxDevices, readHeartbeat, type ReadHeartbeat } from './read-heartbeat.js'

const hostId = 'hst_aaaaaaaaaaaa'
const status: DeviceStatus = {
  serial: 'one',
  link: 'healthy',
  fencing_number: 3,
  maker: 'm',
  model: 'n',
  sdk: 30,
  reason: null,
  proof_of_life_at: '2026-01-01T00:00:00.000Z',
}
const heartbeat: Heartbeat = {
  host_id: hostId,
  sequence: 1,
  at: '2026-01-01T00:00:00.000Z',
  version: '1',
  address: '127.0.0.1:1',
  load: 0,
  devices: [status, { ...status, serial: 'two' }],
}
const read = (message: unknown): ReadHeartbeat => {
  const found = readHeartbeat(message, hostId)
  if ('refused' in found) throw new Error(found.refused)
  return found
}
const withDevice = (change: object) => ({ ...heartbeat, devices: [{ ...status, ...change }, status] })

describe('a heartbeat', () => {
  it('is read completely when all of it is valid', () => {
    expect(read(heartbeat)).toMatchObject({ heartbeat, deviceFaults: new Map(), fault: null })
  })

  it.each<[string, object, object]>([
    ['an unknown link', { link: 'levitating' }, { link: 'unknown', sdk: 30 }],
    ['a NUL', { maker: 'a\0b' }, { maker: 'a\u{fffd}b' }],
    ['half a surrogate pair', { model: '\ud800' }, { model: '\u{fffd}' }],
    ['a number of another size', { sdk: 2 ** 40 }, { sdk: null, link: 'healthy' }],
    ['text for a number', { fencing_number: 'three' }, { fencing_number: 0 }],
    [
      'a year that Postgres does not know',
      { proof_of_life_at: '0000-01-01T00:00:00Z' },
      { proof_of_life_at: null },
    ],
    ['a condition of another form', { condition: { battery_percent: 'full' } }, { link: 'healthy' }],
  ])('with %s in one device keeps the rest, and reports the fault', (_, change, expected) => {
    const found = read(withDevice({ serial: 'bad', ...change }))
    expect(found.heartbeat.devices[0]).toMatchObject({ serial: 'bad', ...expected })
    expect(found.heartbeat.devices[1]).toEqual(status)
    expect([...found.deviceFaults.keys()]).toEqual(['bad'])
    expect(found.deviceFaults.get('bad')).toContain(Object.keys(change)[0])
  })

  it('reads an outcome that it does not know as unknown', () => {
    const event = { at: heartbeat.at, step: 'dance', outcome: 'sideways', reason: '' }
    expect(read(withDevice({ events: [event] })).heartbeat.devices[0]?.events).toMatchObject([
      { outcome: 'unknown' },
    ])
  })

  it('leaves out a device without a serial, a duplicate, and devices beyond the limit', () => {
    const many = Array.from({ length: maxDevices }, (_, index) => ({ ...status, serial: `s${index}` }))
    const devices = [{ ...status, serial: 'a\0' }, 'no object', status, status, ...many]
    const found = read({ ...heartbeat, devices })
    expect(found.heartbeat.devices).toHaveLength(maxDevices - 3)
    expect(found.fault).toBe(
      'Not read: devices.0 (no readable serial), devices.1 (no readable serial), devices.3 (its serial is listed twice), 4 devices above 500',
    )
  })

  it.each<[string, object]>([
    ['another host', { host_id: 'hst_bbbbbbbbbbbb' }],
    ['no address', { address: 'rack\0:1' }],
    ['a year that Postgres does not know', { at: '0000-01-01T00:00:00Z' }],
    ['no list of devices', { devices: {} }],
    ['a version of the protocol from another time', { protocol_version: 99 }],
    ['an invalid version', { protocol_version: 'two' }],
  ])('with %s is refused', (_, change) => {
    expect(readHeartbeat({ ...heartbeat, ...change }, hostId)).toHaveProperty('refused')
  })

  it('is read or refused in any form, and never breaks the reader', () => {
    const device = fc.oneof(
      fc.anything(),
      fc.record(Object.fromEntries(Object.keys(status).map((key) => [key, fc.anything()])), {
        requiredKeys: [],
      }),
      fc
        .dictionary(fc.constantFrom(...Object.keys(status), 'events', 'condition', 'custody'), fc.jsonValue())
        .map((change) => ({ ...status, ...change })),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.array(device).map((devices) => ({ ...heartbeat, devices })),
        ),
        (message) => {
          const found = readHeartbeat(message, hostId)
          if (!('refused' in found))
            expect(JSON.stringify(found.heartbeat)).not.toMatch(/\\u0000|\\ud[89a-f]/)
        },
      ),
      { numRuns: 500 },
    )
  })
})
