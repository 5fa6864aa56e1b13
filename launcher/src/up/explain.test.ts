import { expect, it } from 'vitest'
import { StartFailed } from '../processes/child.js'
import { explain } from './explain.js'

it('shows the last lines of the failed program’s log for people', () => {
  const tail = [
    'plain \u001b[31mline',
    '{"level":50,"msg":"no database","err":{"message":"connect ECONNREFUSED"}}',
    '{"level":30,"msg":"waiting"}',
    '{"cut off',
    '{"no":"message"}',
  ]
  expect(explain(new StartFailed('control-plane', 'was not ready within 60 s', tail))).toBe(
    `
up: control-plane was not ready within 60 s

The last lines of control-plane:
  plain line
  no database: connect ECONNREFUSED
  waiting
  {"cut off
  {"no":"message"}
`,
  )
})
