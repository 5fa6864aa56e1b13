/** The public errors of failed calls, and the errors that count as bugs. */
import { createLogger, DeadlineExceeded } from '@phonerack/shared'
import { expect, it, vi } from 'vitest'
import { AdbFileRefused, AdbProtocolError } from '../../adb/errors.js'
import { DeviceGone, InvalidAnswer } from '../../base/device-gone.js'
import { toApiError } from './errors.js'

it.each([
  [new DeviceGone('a phone'), 'phone_unavailable'],
  [new InvalidAnswer('a phone', new AdbProtocolError('shell packet of 4294967295 bytes')), 'provider_error'],
  [new AdbFileRefused('pull of /sdcard[redacted]: Permission denied'), 'provider_error'],
  [new DeadlineExceeded('a call'), 'provider_timeout'],
  [new TypeError('a bug'), 'internal_error'],
])('maps %s', (error, code) => {
  const log = createLogger('test')
  log.level = 'silent'
  const bugs = vi.spyOn(log, 'error')
  expect(toApiError(error, log)).toMatchObject({ code, cause: error })
  expect(bugs).toHaveBeenCalledTimes(code === 'internal_error' ? 1 : 0)
})
