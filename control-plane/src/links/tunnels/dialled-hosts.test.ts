import { expect, it } from 'vitest'
import { DialledHosts } from './dialled-hosts.js'

it('lists hosts that it heard within a minute, and those with a tunnel', () => {
  let now = 0
  const hosts = new DialledHosts(() => now)
  hosts.hear('hst_a')
  now = 30_000
  hosts.hear('hst_b')
  expect(Object.fromEntries(hosts.tunnels(['hst_b', 'hst_c']))).toEqual({
    hst_a: false,
    hst_b: true,
    hst_c: true,
  })
  now = 60_001
  expect([...hosts.tunnels([])]).toEqual([['hst_b', false]])
})
