import { DeadlineExceeded, Progress } from '@phonerack/shared'
import { afterEach, expect, it, vi } from 'vitest'
import { CallFailure } from '../../links/host-calls/calls.js'
import { retryRead } from './reads.js'

afterEach(() => vi.restoreAllMocks())

it('fails with the error of the phone when its time ends within a pause', async () => {
  vi.spyOn(Progress.prototype, 'sleep').mockRejectedValue(new DeadlineExceeded('the pause'))
  const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
  const read = () => Promise.reject(CallFailure.notSent('the host is unreachable'))
  await expect(retryRead('ph_a', context, read)).rejects.toMatchObject({ code: 'phone_unavailable' })
})
