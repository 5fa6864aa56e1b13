import { expect, it } from 'vitest'
import { rotationLines, trustOf } from './trust.js'

const host = (phase: 'begun' | 'switched', trust: 'earlier' | 'both' | 'renewed', isReady: boolean) => ({
  authority_rotation: { phase, trust, is_ready: isReady },
})

it('shows which hosts are ready for the next step of a rotation', () => {
  const begun = [host('begun', 'both', true), host('begun', 'earlier', false), { authority_rotation: null }]
  expect(begun.map(trustOf)).toEqual(['both (ready)', 'the earlier authority (not ready)', null])
  expect(rotationLines(begun)).toEqual([
    'A rotation of the certificate authority is open: 1 of 2 hosts trust the next authority. Wait for the other hosts, or connect them, before `rotate-authority switch`.',
  ])
  const switched = [host('switched', 'renewed', true)]
  expect(switched.map(trustOf)).toEqual(['both, renewed (ready)'])
  expect(rotationLines(switched)[0]).toMatch(/1 of 1 hosts have .* then run `rotate-authority finish`/)
  expect(trustOf(host('switched', 'both', false))).toBe('both (not ready)')
})

it('shows nothing without a rotation, and for an older control plane', () => {
  for (const hosts of [[{ authority_rotation: null }], [{}], []]) {
    expect(hosts.map(trustOf).filter((text) => text !== null)).toEqual([])
    expect(rotationLines(hosts)).toEqual([])
  }
})
