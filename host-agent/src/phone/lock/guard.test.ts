/** A screen lock on a rented phone: detected, prevented and cleared, on a virtual phone over adb. */
import { createLogger, Progress } from '@phonerack/shared'
import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { createCredentialMemory } from './credential-memory.js'
import { startLockGuard, type LockGuard, type LockGuardParts } from './guard.js'

const times = { focus: 50, lock: 200, check: 5000 }
const settings = 'com.android.settings'
let plugged: PluggedIn
let guard: LockGuard | null = null
beforeAll(async () => {
  plugged = await plugIn()
})
afterEach(() => {
  guard?.stop()
  guard = null
})
afterAll(() => plugged.stop())

const shell = async (...args: string[]): Promise<string> =>
  (await plugged.transport.shell(command(...args), Progress.for(10_000))).stdout.toString('utf8')
const inFront = () => plugged.phone.inside.state().focused

function watch(scope: LockGuardParts['scope']) {
  const notes: string[] = []
  const locks: boolean[] = []
  const lines: string[] = []
  const sink = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line))
      done()
    },
  })
  const memory = createCredentialMemory()
  const log = createLogger('test', sink)
  log.level = 'trace'
  guard = startLockGuard({
    transport: plugged.transport,
    memory,
    scope,
    recordLock: (isSet) => void locks.push(isSet),
    note: (step, outcome) => void notes.push(`${step} ${outcome}`),
    log,
    times,
  })
  return { memory, notes, locks, lines, guard }
}

describe('the lock guard', () => {
  it('closes a screen that sets a lock, and leaves other settings open', async () => {
    const { notes } = watch(() => 'screen')
    await shell('am', 'start', '-a', 'android.settings.SETTINGS')
    await new Promise((resolve) => setTimeout(resolve, 6 * times.focus))
    expect(inFront().package).toBe(settings)
    await shell('am', 'start', '-a', 'android.app.action.SET_NEW_PASSWORD')
    await expect.poll(() => inFront().package, { timeout: 10_000 }).not.toBe(settings)
    await expect.poll(() => notes, { timeout: 10_000 }).toEqual(['screen_lock_closed done'])
  })

  it('detects a lock, and reports once that no typed credential opens it', async () => {
    const { notes, locks } = watch(() => 'lock')
    await expect.poll(() => locks.at(-1), { timeout: 10_000 }).toBe(false)
    await shell('locksettings', 'set-pin', '9999')
    await expect.poll(() => locks.filter((isSet) => isSet).length, { timeout: 10_000 }).toBeGreaterThan(1)
    expect(notes).toEqual(['screen_lock_found failed'])
    await shell('locksettings', 'clear', '--old', '9999')
    await expect.poll(() => locks.at(-1), { timeout: 10_000 }).toBe(false)
  })

  it('clears a lock whose credential was typed through the agent, and never logs the credential', async () => {
    const { memory, notes, locks, lines } = watch(() => 'lock')
    memory.sawForeground(true, performance.now())
    memory.typed('wrong1', performance.now())
    memory.typed('2580', performance.now())
    memory.typed('2580', performance.now())
    await shell('locksettings', 'set-pin', '2580')
    await expect.poll(() => notes, { timeout: 10_000 }).toEqual(['screen_lock_cleared done'])
    expect(await shell('locksettings', 'verify')).toContain('verified successfully')
    expect(locks.at(-1)).toBe(false)
    expect(memory.candidates(performance.now())).toEqual([])
    expect(lines.join('')).not.toContain('2580')
  })

  it('does nothing while the phone is not rented', async () => {
    const { notes, locks } = watch(() => 'nothing')
    await shell('am', 'start', '-a', 'android.app.action.SET_NEW_PASSWORD')
    await new Promise((resolve) => setTimeout(resolve, 6 * times.focus))
    expect([notes, locks]).toEqual([[], []])
    expect(inFront().package).toBe(settings)
  })

  it('keeps the credential out of the error of a phone that disconnects', async () => {
    const { memory, guard: own, lines } = watch(() => 'nothing')
    memory.sawForeground(true, performance.now())
    memory.typed('2580', performance.now())
    await shell('locksettings', 'set-pin', '7777')
    plugged.phone.inside.faults.hangEvery(1, 'locksettings clear')
    const error: unknown = await own
      .clear(plugged.transport, Progress.for(1000))
      .catch((reason: unknown) => reason)
    plugged.phone.inside.faults.hangEvery(0)
    await shell('locksettings', 'clear', '--old', '7777')
    expect(error).toBeInstanceOf(Error)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('2580')
    expect(lines.join('')).not.toContain('2580')
  })
})
