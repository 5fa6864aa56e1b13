import { expect, it } from 'vitest'
import { checkout, namedAsPackages } from './place.js'

it('knows that tests run in a checkout', () => {
  expect(checkout).not.toBeNull()
})

it('names the commands of the packages', () => {
  expect(namedAsPackages('Run ./scripts/ctl host list, then ./scripts/agent join.')).toBe(
    'Run phonerack-ctl host list, then phonerack-agent join.',
  )
  expect(namedAsPackages('`./scripts/control-plane nats-config`')).toBe(
    '`phonerack-control-plane nats-config`',
  )
  expect(namedAsPackages('./scripts/up and ./scripts/controller')).toBe(
    './scripts/up and ./scripts/controller',
  )
})
