import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { onAbort, pause } from './abort.js'
import { Progress } from './progress.js'

it('calls a listener once when the signal aborts', () => {
  const control = new AbortController()
  let calls = 0
  onAbort(control.signal, () => (calls += 1))
  expect(calls).toBe(0)
  control.abort()
  control.abort()
  expect(calls).toBe(1)
})

it('calls a listener immediately when the signal has aborted', () => {
  let calls = 0
  onAbort(AbortSignal.abort(), () => (calls += 1))
  expect(calls).toBe(1)
})

it('does not call a listener that was removed', () => {
  const control = new AbortController()
  let calls = 0
  onAbort(control.signal, () => (calls += 1))()
  control.abort()
  expect(calls).toBe(0)
  expect(getEventListeners(control.signal, 'abort')).toHaveLength(0)
})

it('calls a listener of a progress when its time is over', async () => {
  await new Promise<void>((resolve) => {
    Progress.for(10).onAbort(resolve)
  })
})

it('ends a pause when the signal aborts, and leaves no listener after one', async () => {
  const control = new AbortController()
  await pause(5, control.signal)
  expect(getEventListeners(control.signal, 'abort')).toHaveLength(0)
  const startedAt = performance.now()
  const waiting = pause(60_000, control.signal)
  control.abort()
  await waiting
  await pause(60_000, control.signal)
  expect(performance.now() - startedAt).toBeLessThan(30_000)
})
