import { expect, it } from 'vitest'
import { type TunnelOutcome } from '../../base/metrics/instruments.js'
import { Gate, type Entry, type GateLimits } from './gate.js'

const limits: GateLimits = {
  waiting: 4,
  waitingPerNetwork: 3,
  failures: 2,
  failuresPerSite: 3,
  windowMs: 1000,
  trustMs: 10_000,
  attemptsPerHost: 3,
}

/** A gate with the names of connections it closed, and the outcomes of all. */
function open() {
  const closed: string[] = []
  const outcomes: TunnelOutcome[] = []
  const gate = new Gate(limits, (outcome) => outcomes.push(outcome))
  const entries = new Map<string, Entry>()
  return {
    closed,
    outcomes,
    /** False: refused. */
    enter(name: string, network: string, now = 0): boolean {
      const entry = gate.enter(network, now, () => closed.push(name))
      if (entry) entries.set(name, entry)
      return entry !== null
    },
    of(name: string): Entry {
      const entry = entries.get(name)
      if (!entry) throw new Error(`${name} was refused`)
      return entry
    },
    /** False: refused. */
    fail(network: string, now: number): boolean {
      const entry = gate.enter(network, now, () => undefined)
      entry?.leave('failed', now)
      return entry !== null
    },
  }
}

it('makes room in a network by ending its oldest connection, and refuses none', () => {
  const gate = open()
  for (const name of ['1', '2', '3', '4', '5']) expect(gate.enter(name, '192.0.2.1')).toBe(true)
  expect(gate.closed).toEqual(['1', '2'])
  // The end of an evicted connection does not count as a failure. Otherwise a crowd of honest hosts would
  // lock itself out.
  gate.of('1').leave('failed', 0)
  expect(gate.outcomes).toEqual(['evicted', 'evicted'])
  expect(gate.enter('6', '192.0.2.1')).toBe(true)
})

it('makes room for a network by ending the oldest connection of the one with the most', () => {
  const gate = open()
  gate.enter('host', '192.0.2.1')
  for (const name of ['1', '2', '3']) gate.enter(name, '198.51.100.1')
  gate.enter('other', '192.0.2.2')
  expect(gate.closed).toEqual(['1'])
  // All networks have the same number of connections, so the oldest connection is closed.
  gate.enter('a', '192.0.2.3')
  gate.enter('b', '192.0.2.4')
  expect(gate.closed).toEqual(['1', '2', 'host'])
})

it('counts the networks of an IPv6 site together', () => {
  const gate = open()
  gate.enter('host', '2001:db8:1:2::/64')
  for (const name of ['1', '2', '3', '4']) gate.enter(name, `2001:db8:2:${name}::/64`)
  expect(gate.closed).toEqual(['1'])
})

it('takes no slot for connections that presented the certificate of a host, one of each certificate', () => {
  const gate = open()
  gate.enter('first', '192.0.2.1')
  expect(gate.of('first').present('AA', 0)).toBe(true)
  for (const name of ['1', '2', '3', '4']) gate.enter(name, '192.0.2.1')
  expect(gate.closed).toEqual(['1'])
  gate.of('4').present('AA', 0)
  expect(gate.closed).toEqual(['1', 'first'])
  expect(gate.of('first').present('BB', 0)).toBe(false)
  gate.of('4').leave('opened', 0)
  gate.of('3').present('AA', 0)
  expect(gate.closed).toEqual(['1', 'first'])
})

it('limits how often the holder of one certificate begins tunnels', () => {
  const gate = open()
  const presents = (fingerprint: string, now: number): boolean => {
    gate.enter('one', '192.0.2.1', now)
    const isAccepted = gate.of('one').present(fingerprint, now)
    gate.of('one').leave('opened', now)
    return isAccepted
  }
  expect([0, 1, 2, 3].map((at) => presents('AA', at))).toEqual([true, true, true, false])
  // Connections with an earlier certificate of a host do not block the holder of its current certificate.
  expect(presents('BB', 4)).toBe(true)
  expect(presents('AA', 1000)).toBe(true)
})

it('refuses a network after its failures, until the window is over', () => {
  const gate = open()
  expect([0, 500, 900].map((at) => gate.fail('192.0.2.1', at))).toEqual([true, true, false])
  expect(gate.fail('192.0.2.2', 900)).toBe(true)
  expect([1001, 1500, 1999, 2001].map((at) => gate.fail('192.0.2.1', at))).toEqual([true, true, false, true])
  const refused = gate.outcomes.filter((outcome) => outcome === 'refused')
  expect(refused).toHaveLength(2)
})

it('refuses a site after more failures of its networks', () => {
  const gate = open()
  const tries = ['1', '2', '3', '4'].map((name) => gate.fail(`2001:db8:2:${name}::/64`, 0))
  expect(tries).toEqual([true, true, true, false])
  expect(gate.fail('2001:db8:3:1::/64', 0)).toBe(true)
})

it('refuses no network for failures after a tunnel of one of its hosts, nor others of its site', () => {
  const gate = open()
  const home = '2001:db8:2:1::/64'
  gate.enter('host', home)
  gate.of('host').leave('opened', 0)
  for (let at = 0; at < 100; at += 1) expect(gate.fail(home, at)).toBe(true)
  expect(gate.fail('2001:db8:2:2::/64', 100)).toBe(true)
  // Failures count again once the tunnel ended too long ago.
  expect([10_000, 10_001, 10_002].map((at) => gate.fail(home, at))).toEqual([true, true, false])
})
