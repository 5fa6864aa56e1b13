/** Faults of the machine, by real errors of Node where the test can cause them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ApiError, HostRefused } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import { AdbConnectionLost } from '../adb/errors.js'
import { DeviceGone } from '../adb/device/device.js'
import { asRefusal, orRefuse, ownFaultOf } from './own-fault.js'

const errno = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })

describe('ownFaultOf', () => {
  it('finds errors of system calls, also as a cause, and programs that cannot be started', async () => {
    expect(ownFaultOf(errno('ENOSPC', 'write'))).toBe('disk_full')
    expect(ownFaultOf(new AdbConnectionLost('x', errno('EMFILE', 'connect')))).toBe('own_fault')
    const child = spawn('/no/such/program')
    const [error] = (await once(child, 'error')) as [Error]
    expect(ownFaultOf(new Error('adb', { cause: error }))).toBe('own_fault')
  })

  it('finds nothing in errors of phones, of connections, and of the protocol', () => {
    const others = [
      new DeviceGone('serial'),
      new ApiError('provider_error', { message: 'ENOSPC' }),
      new Error('No space left on device'),
      errno('ECONNRESET', 'read'),
      errno('ENOENT', 'open'),
      errno('ENOSPC'),
      null,
      'ENOSPC',
    ]
    for (const error of others) expect(ownFaultOf(error)).toBeNull()
  })
})

it('converts a fault to a retryable refusal that names it, and leaves other errors', () => {
  const fail = () => {
    throw errno('ENOSPC', 'write')
  }
  expect(() => orRefuse(fail)).toThrow(HostRefused)
  expect(asRefusal(errno('EACCES', 'open'))).toMatchObject({
    code: 'phone_unavailable',
    retryable: true,
    details: { host_fault: 'own_fault' },
  })
  const other = new Error('x')
  expect(asRefusal(other)).toBe(other)
  const refused = new HostRefused('stopping')
  expect(asRefusal(refused)).toBe(refused)
})
