import { expect, it } from 'vitest'
import { agentAddresses, placeOf } from './phone-network.js'

it('reads addresses, and refuses options and other text', () => {
  expect(placeOf('192.0.2.7:5555')).toEqual({ host: '192.0.2.7', port: 5555 })
  expect(placeOf('[2001:db8::7]:5555')).toEqual({ host: '2001:db8::7', port: 5555 })
  expect(placeOf('rack-1.example:7710')).toEqual({ host: 'rack-1.example', port: 7710 })
  for (const text of ['R58M12ABCDE', '-l:80', '$(reboot):80', ':80', 'a b:80', '1.2.3.4:', '1.2.3.4:x'])
    expect(placeOf(text)).toBeNull()
})

it('tries the IPv4 addresses of all interfaces of an agent that listens everywhere', () => {
  const own = [
    { address: '127.0.0.1', family: 'IPv4' as const, internal: true },
    ...Array.from({ length: 9 }, (_, at) => ({
      address: `2001:db8::${at + 1}`,
      family: 'IPv6' as const,
      internal: false,
    })),
    { address: 'fe80::1', family: 'IPv6' as const, internal: false },
    { address: '10.0.20.2', family: 'IPv4' as const, internal: false },
    { address: '10.0.30.2', family: 'IPv4' as const, internal: false },
  ]
  const hosts = agentAddresses('0.0.0.0:7710', own).map(({ host }) => host)
  expect(hosts.slice(0, 3)).toEqual(['10.0.20.2', '10.0.30.2', '2001:db8::1'])
  expect(hosts).toHaveLength(8)
  expect(agentAddresses('10.0.20.2:7710', own)).toEqual([{ host: '10.0.20.2', port: 7710 }])
  expect(agentAddresses('127.0.0.1:7710', own)).toEqual([])
})
