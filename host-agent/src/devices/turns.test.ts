import { expect, it } from 'vitest'
import { later } from '../base/later.js'
import { createTurns } from './turns.js'

it('aborts work when a call begins, and starts no work until all calls have ended', async () => {
  const turns = createTurns()
  const signals: AbortSignal[] = []
  const working = turns.giveWay((signal) => {
    signals.push(signal)
    return new Promise<string>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  })
  const [one, other] = [later<string>(), later<string>()]
  const calls = [turns.first(() => one.promise), turns.first(() => other.promise)]
  expect(await working).toBeNull()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  one.resolve('one')
  expect(await calls[0]).toBe('one')
  expect(await turns.giveWay(() => Promise.resolve('too early'))).toBeNull()
  other.resolve('other')
  await calls[1]
  expect(await turns.giveWay(() => Promise.resolve('done'))).toBe('done')
})

it('passes on the errors of calls and of work, after which work runs again', async () => {
  const turns = createTurns()
  await expect(turns.first(() => Promise.reject(new Error('a call')))).rejects.toThrow('a call')
  await expect(turns.giveWay(() => Promise.reject(new Error('work')))).rejects.toThrow('work')
  expect(await turns.giveWay(() => Promise.resolve('done'))).toBe('done')
})
