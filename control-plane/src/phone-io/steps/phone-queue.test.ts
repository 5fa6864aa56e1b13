/** The order of the writes of a phone. */
import { expect, it } from 'vitest'
import { createPhoneQueue } from './phone-queue.js'

it('runs the works of a phone in their order, and works of several phones at the same time', async () => {
  const queue = createPhoneQueue()
  const done: string[] = []
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const note = (name: string, after?: Promise<void>) => async () => {
    await after
    done.push(name)
  }
  void queue.add('phn_a', note('a1', held))
  void queue.add('phn_a', note('a2'))
  await queue.add('phn_b', note('b1'))
  expect([done, queue.length('phn_a'), queue.length('phn_b')]).toEqual([['b1'], 2, 0])
  await queue.settled('phn_a', 1)
  expect(done).toEqual(['b1'])
  const idle = queue.idle()
  release()
  await queue.settled('phn_a', 60_000)
  await idle
  expect([done, queue.length('phn_a')]).toEqual([['b1', 'a1', 'a2'], 0])
})
