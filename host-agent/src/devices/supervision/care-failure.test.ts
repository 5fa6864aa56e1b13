/** The operator's message after a failed wipe or enrolment, on phones that lack a part. */
import { ApiError, createLogger, DeadlineExceeded } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHost, type TestHost } from '../../testing/agent.js'
import { CallFailed } from '../../testing/client.js'
import { startTestPhone, untilLink, type TestPhone } from '../../testing/phone.js'
import { explain, explained } from './care-failure.js'
import { DeviceGone } from '../../adb/device/device.js'

let phone: TestPhone
let host: TestHost
beforeAll(async () => {
  phone = await startTestPhone(['testharness'])
  host = await startTestHost([phone.serial])
})
afterAll(async () => {
  await host.stop()
  await phone.stop()
})

it('names the command, its exit code and its output when a phone refuses its wipe', async () => {
  await untilLink(host, phone.serial, 'unenrolled')
  const error: unknown = await host.control
    .enroll({ serial: phone.serial, fencingNumber: 1n }, 60_000)
    .catch((reason: unknown) => reason)
  if (!(error instanceof CallFailed)) throw new Error(`not refused: ${String(error)}`)
  expect(error.plain).toMatchObject({
    code: 'provider_error',
    message:
      'The phone refused to be wiped. `cmd testharness enable` ended with exit code 1: Failed to enable Test Harness Mode.',
    details: {
      command: 'cmd testharness enable',
      exit_code: 1,
      output: 'Failed to enable Test Harness Mode',
    },
  })
})

describe('the reason of a failure', () => {
  const failed = (output: string) =>
    new ApiError('provider_error', { details: { command: 'rm', exit_code: 1, output } })

  it('contains no text that a tenant left on the phone', () => {
    const error = explain(failed('rm: /sdcard/Download/tax 2025.pdf: Permission denied'))
    expect(JSON.stringify(error.toPlain())).not.toContain('tax')
    expect(error.message).toBe(
      'The phone failed to carry out the request. `rm` ended with exit code 1: rm: /sdcard[redacted]: Permission denied.',
    )
  })

  it('includes the cause, and keeps the code and whether a retry helps', () => {
    const gone = explain(new DeviceGone('R5CT', new Error('adb reports the phone as offline')))
    expect([gone.code, gone.retryable]).toEqual(['phone_unavailable', true])
    expect(gone.message).toBe('device R5CT is unreachable. adb reports the phone as offline.')
    const late = explain(new DeadlineExceeded('restart after the wipe'))
    expect([late.code, late.message]).toEqual(['provider_timeout', 'restart after the wipe took too long.'])
    const ours = explain(new Error('io.appium.settings 7 was refused: Failure [INSTALL_FAILED_OLDER_SDK]'))
    expect(ours.message).toContain('INSTALL_FAILED_OLDER_SDK')
  })

  it('is logged', async () => {
    let lines = ''
    const log = createLogger('test', { write: (line: string) => void (lines += line) })
    log.level = 'info'
    const work = () => Promise.reject(failed('no such service'))
    await expect(explained(log, { serial: 'R5CT', work: 'wipe' }, work)).rejects.toThrow('no such service')
    expect(JSON.parse(lines)).toMatchObject({ serial: 'R5CT', work: 'wipe', command: 'rm', exitCode: 1 })
    expect(lines).toContain('no such service')
  })
})
