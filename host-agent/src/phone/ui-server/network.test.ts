import { describe, expect, it } from 'vitest'
import { judgeAddresses } from './network.js'

const lo = '1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever\n'
const lo6 = '1: lo    inet6 ::1/128 scope host \\       valid_lft forever preferred_lft forever\n'

describe('network isolation', () => {
  it('accepts a phone with only the loopback interface', () => {
    expect(judgeAddresses(lo + lo6)).toEqual({ isolated: true })
  })

  it.each([
    ['Wi-Fi', '24: wlan0    inet 192.168.1.7/24 brd 192.168.1.255 scope global wlan0\\ valid_lft forever'],
    ['a link-local address', '2: dummy0    inet6 fe80::d8e2:1/64 scope link \\ valid_lft forever'],
    ['another address on loopback', '1: lo    inet 10.0.0.5/32 scope global lo\\ valid_lft forever'],
    ['mobile data', '9: rmnet_data0    inet6 2001:db8::1/64 scope global dynamic \\ valid_lft 10sec'],
  ])('refuses %s', (_, line) => {
    expect(judgeAddresses(lo + line).isolated).toBe(false)
  })

  it.each(['', 'ip: not found', lo + 'something else', '2: lo: <UP>'])(
    'does not accept %j as proof',
    (output) => {
      expect(judgeAddresses(output).isolated).toBe(false)
    },
  )
})
