/** A batch whose client may leave: it stops between actions, and starts none after its time. */
import { expect, it } from 'vitest'
import { run } from '../testing/simulated-batch.js'
import { simulatedPhone } from '../testing/simulated-phone.js'

const types = (results: { type: string; ok: boolean }[]) => results.map(({ type, ok }) => `${type} ${ok}`)

it('lets the started action end, starts no other, and does not read the screen [40.33]', async () => {
  const stop = new AbortController()
  const phone = simulatedPhone([])
  const ended = await run(phone, [{ type: 'home' }, { type: 'back' }], 'ui', {
    stop: stop.signal,
    onStarted: () => stop.abort(),
  })
  expect(types(ended.results)).toEqual(['home true'])
  expect(ended.observation).toBeUndefined()
})

it('ends a wait immediately', async () => {
  const stop = new AbortController()
  const startedAt = performance.now()
  const running = run(simulatedPhone([]), [{ type: 'wait', ms: 60_000 }, { type: 'home' }], 'none', {
    stop: stop.signal,
    onStarted: () => void setTimeout(() => stop.abort(), 20),
  })
  expect(types((await running).results)).toEqual(['wait false'])
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

it('starts no action after its time, and then reads the screen [40.30]', async () => {
  const ended = await run(simulatedPhone([]), [{ type: 'home' }, { type: 'back' }], 'ui', {
    startBefore: -Infinity,
  })
  expect(ended.results).toEqual([])
  expect(ended.completed).toBe(0)
  expect(ended.observation).toBeDefined()
})
