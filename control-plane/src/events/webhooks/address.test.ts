import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseNetwork } from '../../base/config/webhooks.js'
import { isAllowedAddress } from './address.js'

const refused = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]

it.each(refused)('refuses %s', (address) => expect(isAllowedAddress(address, [])).toBe(false))

it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '::ffff:1.1.1.1', '2606:4700:4700::1111'])(
  'allows %s',
  (address) => expect(isAllowedAddress(address, [])).toBe(true),
)

it('refuses text that is not an address', () => {
  for (const text of ['', 'localhost', '1.1.1', '1.1.1.1 ', '2130706433', '[::1]'])
    expect([text, isAllowedAddress(text, [])]).toEqual([text, false])
})

it('allows the networks of the list, and nothing else [41.50]', () => {
  const allowed = ['127.0.0.0/8', '::1', '10.2.0.0/16', 'fd00:1::/32'].map(parseNetwork)
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::1', '10.2.255.1', 'fd00:1:2::3'])
    expect([address, isAllowedAddress(address, allowed)]).toEqual([address, true])
  for (const address of ['10.3.0.1', '169.254.169.254', 'fd00:2::1', '::2'])
    expect([address, isAllowedAddress(address, allowed)]).toEqual([address, false])
})

it('refuses the addresses of this machine in every form, unless they are in the list [41.48]', () => {
  const own = ['203.0.113.7', '93.184.215.14', '2606:4700:4700:0::1111', 'fe80::1%eth0', '']
  for (const address of ['93.184.215.14', '::ffff:93.184.215.14', '2606:4700:4700::1111']) {
    expect([address, isAllowedAddress(address, [], own)]).toEqual([address, false])
    expect([address, isAllowedAddress(address, [])]).toEqual([address, true])
  }
  const allowed = ['93.184.215.14', '2606:4700::/32'].map(parseNetwork)
  for (const address of ['93.184.215.14', '::ffff:93.184.215.14', '2606:4700:4700::1111'])
    expect([address, isAllowedAddress(address, allowed, own)]).toEqual([address, true])
  expect(isAllowedAddress('93.184.215.15', [], own)).toBe(true)
})

const octet = fc.integer({ min: 0, max: 255 })

it('treats an IPv4 address alike in all its forms', () => {
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), ([a, b, c, d]) => {
      const text = `${a}.${b}.${c}.${d}`
      const hex = [(a << 8) | b, (c << 8) | d].map((part) => part.toString(16)).join(':')
      const verdict = isAllowedAddress(text, [])
      expect(isAllowedAddress(`::ffff:${text}`, [])).toBe(verdict)
      expect(isAllowedAddress(`::ffff:${hex}`, [])).toBe(verdict)
      // Translated and embedded forms reach the same machine on some networks.
      for (const prefix of ['64:ff9b::', '64:ff9b:1::', '::'])
        expect(isAllowedAddress(`${prefix}${hex}`, [])).toBe(false)
    }),
  )
})

it('refuses every address of the private, loopback and link-local networks', () => {
  const networks: [number, number][] = [
    [0x0a000000, 8],
    [0x7f000000, 8],
    [0xa9fe0000, 16],
    [0xac100000, 12],
    [0xc0a80000, 16],
    [0x64400000, 10],
  ]
  fc.assert(
    fc.property(fc.constantFrom(...networks), fc.nat(0xffffffff), ([network, bits], random) => {
      const value = (network + (random % 2 ** (32 - bits))) >>> 0
      const text = [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
      expect([text, isAllowedAddress(text, [])]).toEqual([text, false])
    }),
  )
})
