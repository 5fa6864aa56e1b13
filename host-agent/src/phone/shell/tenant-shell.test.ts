/** A tenant's command on a virtual phone, whose call is aborted before the phone has printed anything. */
import { DeadlineExceeded, Progress } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { createTenantShell } from './tenant-shell.js'

let plugged: PluggedIn
beforeAll(async () => {
  plugged = await plugIn()
})
afterAll(() => plugged.stop())

it('is ended, although its process ID was not known at the abort', async () => {
  const { transport } = plugged
  const stop = new AbortController()
  const aborting: Transport = {
    ...transport,
    pinned: () => aborting,
    async spawn(line, progress) {
      const stream = await transport.spawn(line, progress)
      stop.abort()
      return stream
    },
  }
  const shell = createTenantShell(aborting, () => undefined)
  const request = { command: 'sleep 7777 >/dev/null 2>&1 & sleep 8888', stdin: '', outputLimit: 1000 }
  const run = shell.run({ ...request, timeoutMs: 20_000 }, Progress.for(20_000, stop.signal))
  await expect(run).rejects.toThrow(DeadlineExceeded)
  const list = await transport.shell(command('ps', '-A', '-o', 'ARGS'), Progress.for(20_000))
  expect(list.stdout.toString()).not.toMatch(/7777|8888/)
})
