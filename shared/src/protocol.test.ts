import { expect, it } from 'vitest'
import { explainRefusal, isSpoken, protocol, readProtocolVersion } from './protocol.js'

it('accepts one version older and newer, and treats a missing version as the oldest', () => {
  const { version } = protocol
  expect([-2, -1, 0, 1, 2].map((step) => isSpoken(version + step))).toEqual([false, true, true, true, false])
  expect(readProtocolVersion(undefined)).toBe(protocol.unnamed)
  expect(readProtocolVersion('3')).toBe(3)
  expect(['-1', '1e3', 'two', ' 2'].map((text) => isSpoken(readProtocolVersion(text)))).toEqual(
    Array.from({ length: 4 }, () => false),
  )
})

it('names the command that upgrades the older side', () => {
  expect(explainRefusal('host agent', 0)).toContain('--host-only')
  expect(explainRefusal('host agent', 99)).toContain('--control-only')
  expect(explainRefusal('control plane', 99)).toContain('--host-only')
})
