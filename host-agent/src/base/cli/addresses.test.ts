import { describe, expect, it } from 'vitest'
import { addressText, agentAddresses, brokerFor, serverUrl } from './addresses.js'

const remote = new URL('https://phones.example')
const local = new URL('https://127.0.0.1:7700')

describe('the server', () => {
  it('is an HTTPS address, or an HTTP address of this machine if that is allowed', () => {
    expect(serverUrl('https://phones.example:8443', false).origin).toBe('https://phones.example:8443')
    for (const url of ['http://127.0.0.1:7700', 'http://localhost:7700', 'http://[::1]:7700'])
      expect(serverUrl(url, true).origin).toBe(url)
  })

  it.each([
    ['phones.example', false, /must be a URL/],
    ['ftp://phones.example', false, /must begin with https/],
    ['http://phones.example', true, /anyone on the network could read the join token/],
    ['http://192.0.2.1', true, /anyone on the network/],
    ['http://127.0.0.1.example', true, /anyone on the network/],
    ['http://127.0.0.1', false, /needs --insecure/],
    ['https://127.0.0.1', true, /--insecure only allows/],
    ['https://ann:secret@phones.example', false, /only a name and a port/],
    ['https://phones.example/v1', false, /only a name and a port/],
    ['https://phones.example?a=1', false, /only a name and a port/],
  ])('is not %s (insecure: %s)', (url, insecure, why) => {
    expect(() => serverUrl(url, insecure)).toThrow(why)
  })
})

describe('the addresses of the agent', () => {
  it('default to the address that reaches the server', () => {
    expect(agentAddresses(remote, '192.0.2.7', {})).toEqual({
      listen: { host: '192.0.2.7', port: 7710 },
      advertise: null,
    })
    const { listen } = agentAddresses(remote, '2001:db8::7', {}) ?? {}
    expect(listen && addressText(listen)).toBe('[2001:db8::7]:7710')
  })

  it('are not needed by an agent that opens tunnels', () => {
    expect(agentAddresses(remote, '192.0.2.7', { dial: true })).toBeNull()
  })

  it('can be all addresses, with another address to announce', () => {
    const flags = { listen: '0.0.0.0:9000', advertise: 'rack-1.example:9001' }
    expect(agentAddresses(remote, '192.0.2.7', flags)).toEqual({
      listen: { host: '0.0.0.0', port: 9000 },
      advertise: { host: 'rack-1.example', port: 9001 },
    })
  })

  it.each([
    [{ listen: '192.0.2.7' }, /--listen must be ADDRESS:PORT/],
    [{ listen: '192.0.2.7:0' }, /--listen must be ADDRESS:PORT/],
    [{ listen: '192.0.2.7:70000' }, /--listen must be ADDRESS:PORT/],
    [{ listen: '[192.0.2.7]:7710' }, /--listen must be ADDRESS:PORT/],
    [{ listen: '::1:7710' }, /--listen must be ADDRESS:PORT/],
    [{ listen: 'rack.example:7710' }, /must be an IP address of this machine/],
    [{ listen: '0.0.0.0:7710' }, /needs --advertise/],
    [{ listen: '[::]:7710' }, /needs --advertise/],
    [{ listen: '127.0.0.1:7710' }, /cannot connect to --listen 127\.0\.0\.1/],
    [{ listen: '0.0.0.0:7710', advertise: '0.0.0.0:7710' }, /--advertise must be one address/],
    [{ advertise: 'localhost:7710' }, /cannot connect to --advertise localhost/],
    [{ advertise: 'a b:7710' }, /--advertise must be ADDRESS:PORT/],
    [{ dial: true, listen: '192.0.2.7:7710' }, /--dial and --listen exclude each other/],
    [{ dial: true, advertise: '192.0.2.7:7710' }, /--dial and --advertise exclude each other/],
  ])('are not %j', (flags, why) => {
    expect(() => agentAddresses(remote, '192.0.2.7', flags)).toThrow(why)
  })

  it('may be loopback when the control plane is on this machine', () => {
    expect(agentAddresses(local, '127.0.0.1', {})?.listen.host).toBe('127.0.0.1')
  })
})

it('uses the broker that the control plane names, unless only the control plane can reach the broker', () => {
  expect(brokerFor(remote, 'tls://nats.example:4222')).toBe('tls://nats.example:4222')
  expect(brokerFor(remote, '192.0.2.9:4222')).toBe('192.0.2.9:4222')
  expect(brokerFor(local, 'nats://127.0.0.1:4222')).toBe('nats://127.0.0.1:4222')
  for (const named of [
    null,
    'nats://127.0.0.1:4222',
    'localhost:4222',
    '[::1]:4222',
    'a b',
    'nats://',
    'a\nb',
  ])
    expect(brokerFor(remote, named), String(named)).toBeNull()
})
