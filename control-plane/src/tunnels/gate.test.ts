import { expect, it } from 'vitest'
import { Gate } from './gate.js'

const limits = { waiting: 3, waitingPerNetwork: 2, failures: 2, windowMs: 1000 }

it('limits the connections that wait, in all and of one network', () => {
  const gate = new Gate(limits)
  const first = gate.enter('a', 0)
  expect([first, gate.enter('a', 0), gate.enter('a', 0)].map(Boolean)).toEqual([true, true, false])
  expect([gate.enter('b', 0), gate.enter('c', 0)].map(Boolean)).toEqual([true, false])
  if (first) first('proved', 0)
  // Once only.
  if (first) first('failed', 0)
  expect([gate.enter('c', 0), gate.enter('d', 0)].map(Boolean)).toEqual([true, false])
})

it('refuses a network after its failures, until the window is over', () => {
  const gate = new Gate(limits)
  const fail = (network: string, now: number) => {
    const leave = gate.enter(network, now)
    if (leave) leave('failed', now)
    return leave !== false
  }
  expect([fail('a', 0), fail('a', 500), fail('a', 900)]).toEqual([true, true, false])
  expect(fail('b', 900)).toBe(true)
  expect([fail('a', 1001), fail('a', 1500), fail('a', 1999), fail('a', 2001)]).toEqual([
    true,
    true,
    false,
    true,
  ])
})

it('does not count connections that proved themselves', () => {
  const gate = new Gate(limits)
  for (let at = 0; at < 100; at += 1) {
    const leave = gate.enter('a', 0)
    expect(leave).not.toBe(false)
    if (leave) leave('proved', 0)
  }
})
