/** The networks to which `up` lets webhooks connect. */
import { expect, it } from 'vitest'
import { webhookAllow } from './webhook-allow.js'

const loopback = '127.0.0.0/8,::1'

it.each([
  ['127.0.0.1', 'http://127.0.0.1:7700', loopback],
  ['127.0.0.2', 'http://127.0.0.1:7700', loopback],
  ['::1', 'http://[::1]:7700', loopback],
  ['127.0.0.1', 'http://localhost:7700', loopback],
  // A proxy on this machine.
  ['127.0.0.1', 'https://phones.example', ''],
  ['127.0.0.1', 'http://192.0.2.7', ''],
  ['127.0.0.1', 'not a URL', ''],
  ['0.0.0.0', 'http://127.0.0.1:7700', ''],
  ['192.0.2.7', 'http://192.0.2.7:7700', ''],
])('with the API on %s and the public address %s: %j [41.49]', (host, baseUrl, expected) =>
  expect(webhookAllow(host, baseUrl, {})).toBe(expected),
)

it('uses the value of the environment, even an empty value', () => {
  for (const value of ['', '10.0.0.0/8'])
    expect(webhookAllow('127.0.0.1', 'http://127.0.0.1', { PHONERACK_WEBHOOK_ALLOW: value })).toBe(value)
})
