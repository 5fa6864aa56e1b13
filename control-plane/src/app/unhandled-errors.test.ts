import { EventEmitter } from 'node:events'
import { createLogger } from '@phonerack/shared'
import { expect, it } from 'vitest'
import { CallFailure } from '../links/host-calls/calls.js'
import { watchFaults } from './unhandled-errors.js'

const log = createLogger('test')
log.level = 'silent'

it('ends the process after a bug, but not when a dependency disconnects', () => {
  const source = new EventEmitter()
  let ends = 0
  watchFaults(source, log, () => (ends += 1))
  source.emit('unhandledRejection', CallFailure.noAnswer('lost', false))
  source.emit('uncaughtException', Object.assign(new Error('read'), { code: 'ECONNRESET' }))
  expect(ends).toBe(0)
  source.emit('uncaughtException', new SyntaxError('Unexpected token'))
  source.emit('unhandledRejection', 'no error at all')
  expect(ends).toBe(2)
})
