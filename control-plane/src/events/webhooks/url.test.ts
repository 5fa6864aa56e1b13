import { expect, it } from 'vitest'
import { parseNetwork } from '../../base/config/webhooks.js'
import { urlProblem } from './url.js'

const outside = { allowed: [], allowsHttp: false }
const loopback = { allowed: [parseNetwork('127.0.0.0/8'), parseNetwork('::1')], allowsHttp: true }

it.each([
  'https://agents.example.com/hook?a=b',
  'https://agents.example.com:8443',
  'https://1.1.1.1/',
  'https://[2606:4700:4700::1111]/',
  'https://localhost/',
])('accepts %s', (url) => expect(urlProblem(url, outside)).toBeNull())

it.each([
  ['http://agents.example.com/', 'must be an `https` URL'],
  ['ftp://agents.example.com/', 'must be an `https` URL'],
  ['agents.example.com', 'must be a URL'],
  ['', 'must be a URL'],
  ['https://user@agents.example.com/', 'must not contain a user name or password'],
  ['https://:pass@agents.example.com/', 'must not contain a user name or password'],
  ['https://agents.example.com/#part', 'must not contain a fragment'],
  [`https://agents.example.com/${'a'.repeat(2048)}`, 'must have at most 2048 characters'],
])('refuses %s [41.45]', (url, problem) => expect(urlProblem(url, outside)).toBe(problem))

it.each([
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[fe80::1]/',
])('refuses the address of %s in every form', (url) =>
  expect(urlProblem(url, outside)).toBe(
    'must not be a private, loopback, link-local or other special address, nor one of this service',
  ),
)

it('refuses an address of this machine', () => {
  const own = ['93.184.215.14', '2606:4700:4700::1111']
  for (const url of ['https://93.184.215.14/', 'https://[2606:4700:4700::1111]/'])
    expect(urlProblem(url, { ...outside, own })).toMatch(/nor one of this service$/)
  expect(urlProblem('https://93.184.215.15/', { ...outside, own })).toBeNull()
})

it('accepts http and allowed addresses on an installation that only its machine reaches [41.46]', () => {
  for (const url of ['http://127.0.0.1:8080/hook', 'http://[::1]:8080/', 'https://agents.example.com/'])
    expect(urlProblem(url, loopback)).toBeNull()
  expect(urlProblem('http://10.0.0.1/', loopback)).toMatch(/^must not be a private/)
})
