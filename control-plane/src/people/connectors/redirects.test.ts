// Which redirect addresses a client may use.
import { expect, it } from 'vitest'
import { answerAt, isRedirect, isRegistered } from './redirects.js'

it.each([
  'https://a.example/cb',
  'https://a.example/cb?x=1',
  'http://localhost/cb',
  'http://127.0.0.1:80/cb',
  'http://[::1]:3000/',
])('%s is a redirect', (uri) => {
  expect(isRedirect(uri)).toBe(true)
})

it.each([
  'http://a.example/cb',
  'javascript:alert(1)',
  'data:text/html,x',
  'cursor://x/cb',
  'https://a.example/#x',
  'https://a.example/#',
  'https://u@a.example/',
  'http://localhost.example/',
  'http://127.0.0.1.example/',
  'https://',
  '/cb',
])('%s is none', (uri) => {
  expect(isRedirect(uri)).toBe(false)
})

it('only the port of a program on this machine is free', () => {
  expect(isRegistered('http://127.0.0.1:5000/cb', ['http://127.0.0.1/cb'])).toBe(true)
  expect(isRegistered('http://localhost:5000/cb', ['http://localhost:1/cb'])).toBe(true)
  expect(isRegistered('http://localhost:5000/other', ['http://localhost/cb'])).toBe(false)
  expect(isRegistered('http://localhost:5000/cb', ['http://127.0.0.1/cb'])).toBe(false)
  expect(isRegistered('https://localhost:5000/cb', ['https://localhost/cb'])).toBe(false)
  expect(isRegistered('https://a.example:444/cb', ['https://a.example/cb'])).toBe(false)
  expect(isRegistered('https://A.example/cb', ['https://a.example/cb'])).toBe(false)
})

it('an answer keeps the query of the address', () => {
  const answer = answerAt('https://a.example/cb?x=1&state=old', 'https://p.example', {
    code: 'c',
    state: 'a b&c',
  })
  expect(Object.fromEntries(new URL(answer).searchParams)).toEqual({
    x: '1',
    code: 'c',
    state: 'a b&c',
    iss: 'https://p.example',
  })
})
