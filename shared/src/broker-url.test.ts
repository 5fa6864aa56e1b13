import { expect, it } from 'vitest'
import { brokerHost, refutePlainBroker } from './broker-url.js'

it.each([
  ['tls://nats.example:4222', true],
  ['tls://192.0.2.7', true],
  ['wss://nats.example', true],
  ['nats://127.0.0.1:4222', true],
  ['127.0.0.1:4222', true],
  ['nats://localhost:4222', true],
  ['nats://[::1]:4222', true],
  ['nats://user:secret@127.0.0.1:4222', true],
  ['nats://192.0.2.7:4222', false],
  ['192.0.2.7:4222', false],
  ['nats://nats.example', false],
  ['nats://[2001:db8::1]:4222', false],
  ['nats://127.0.0.1@192.0.2.7:4222', false],
  ['nats://127.0.0.1.example:4222', false],
  ['ws://192.0.2.7', false],
  ['nats://', false],
  ['', false],
])('%s may be used without an option: %s', (url, isAllowed) => {
  expect(refutePlainBroker(url) === null).toBe(isAllowed)
})

it('reads the host of an address', () => {
  expect(brokerHost('nats://[2001:db8::1]:4222')).toBe('2001:db8::1')
  expect(brokerHost('nats.example:4222')).toBe('nats.example')
  expect(brokerHost('nats://a b')).toBeNull()
})
