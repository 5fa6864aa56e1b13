import { expect, it } from 'vitest'
import { isLoopback, isLoopbackUrl } from './loopback.js'

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['localhost.example.org', false],
  ['', false],
])('%s is reachable only from the same machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected)
})

it.each([
  ['http://127.0.0.1:8080', true],
  ['http://[::1]:8080/', true],
  ['https://localhost', true],
  ['https://phones.example', false],
  ['http://0.0.0.0:8080', false],
  ['http://[::]:8080', false],
  ['https://127.0.0.1.phones.example/', false],
])('%s is reachable only from the same machine: %s', (url, expected) => {
  expect(isLoopbackUrl(url)).toBe(expected)
})
