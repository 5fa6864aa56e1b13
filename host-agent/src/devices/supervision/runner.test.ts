/** The runner of the state machine, with effects that the test controls. */
import { createLogger, Progress } from '@phonerack/shared'
import { afterEach, expect, it } from 'vitest'
import { later } from '../../base/later.js'
import { DeviceGone } from '../../adb/device/device.js'
import { until } from '../../testing/until.js'
import { StateRunner, type RunnerParts } from './runner.js'
import type { DeviceEvent } from './state-machine.js'

let runner: StateRunner | undefined
afterEach(() => runner?.stop())

function start(perform: RunnerParts['perform'], changes: Partial<RunnerParts> = {}): StateRunner {
  runner = new StateRunner({
    serial: 'a-phone',
    perform,
    hanging: () => false,
    isHostFault: () => false,
    entering: () => undefined,
    onChange: () => undefined,
    log: createLogger('test'),
    ...changes,
  })
  return runner
}

const unenrolled: DeviceEvent = { type: 'identified', booted: true, enrolled: false }

it('ignores the outcome of an effect whose state has ended, and aborts it', async () => {
  const began = later<Progress>()
  const outcome = later<DeviceEvent>()
  const states = start((_, progress) => {
    began.resolve(progress)
    return outcome.promise
  })
  states.dispatch({ type: 'link', link: 'online' })
  const progress = await began.promise
  states.dispatch({ type: 'link', link: 'unauthorized' })
  expect(progress.signal.aborted).toBe(true)
  states.dispatch({ type: 'link', link: 'online' })
  outcome.resolve(unenrolled)
  await outcome.promise
  await Promise.resolve()
  expect(states.current.name).toBe('booting')
})

it('treats an effect that throws as a failure, with its reason', async () => {
  const states = start(() => Promise.reject(new Error('no answer', { cause: new Error('cut') })))
  states.dispatch({ type: 'link', link: 'online' })
  await until(() => states.current.name === 'offline', 60_000)
  expect(states.current).toMatchObject({ failures: 1, reason: 'no answer: cut' })
})

it('resolves a wait for a state once an event causes the state', async () => {
  const states = start(() => Promise.resolve(unenrolled))
  const found = states.waitFor(
    () => (states.current.name === 'unenrolled' ? 'found' : null),
    'the state',
    () => `it is ${states.current.name}`,
    Progress.for(5000),
  )
  states.dispatch({ type: 'link', link: 'online' })
  expect(await found).toBe('found')
})

it.each(['the time is over', 'it is stopped'])(
  'rejects a wait with the current state when %s',
  async (end) => {
    const states = start(() => Promise.resolve(unenrolled))
    const wait = states.waitFor(
      () => null,
      'a state',
      () => `it is ${states.current.name}`,
      Progress.for(end === 'it is stopped' ? 60_000 : 20),
    )
    if (end === 'it is stopped') states.stop()
    await expect(wait).rejects.toThrow(DeviceGone)
    await expect(wait).rejects.toMatchObject({ cause: new Error('it is absent') })
  },
)

it('calls `entering` before the effect of the state begins', async () => {
  const order: string[] = []
  const states = start(
    (effect) => {
      order.push(effect)
      return Promise.resolve(unenrolled)
    },
    { entering: ({ name }) => order.push(name) },
  )
  states.dispatch({ type: 'link', link: 'online' })
  await until(() => states.current.name === 'unenrolled', 60_000)
  expect(order).toEqual(['booting', 'identify', 'unenrolled'])
})
