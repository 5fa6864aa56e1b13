/** Screen locks, which would block a wipe: closed, reported, and cleared. Each check removes the lock that it sets. */
import { Progress } from '@phonerack/shared'
import { command } from '../../../adb/quote.js'
import type { LockStep } from '../../../phone/lock/guard.js'
import { Failed, type Check } from '../check.js'
import { atMost, timed, type PhoneUnderTest } from '../phone.js'
import { openSettings } from './input.js'
import { observeScreen, runActions } from './screen.js'
import { openSearch } from './text.js'

/** `typed`: the PIN is entered through the agent, so that the agent can clear it. */
const pins = { typed: '2580', unknown: '9999' }
/** Milliseconds. The guard reads the lock every 20 s. */
const limits = { closed: 5000, reported: 60_000, cleared: 40_000, shell: 10_000 }

async function shell(phone: PhoneUnderTest, progress: Progress, ...words: string[]): Promise<string> {
  const transport = await phone.transport(progress)
  const { stdout, stderr } = await transport.shell(command(...words), progress)
  return `${stdout.toString('utf8')}${stderr.toString('utf8')}`.trim()
}

/** Waits for the guard's step. @returns null when it does not come within `ms` */
async function stepAfter(
  phone: PhoneUnderTest,
  step: LockStep,
  since: number,
  ms: number,
  progress: Progress,
): Promise<string | null> {
  const within = atMost(ms, progress)
  for (;;) {
    const found = phone.status()?.events?.findLast((event) => event.step === step)
    if (found && Date.parse(found.at) >= since) return found.reason
    if (within.expired) return null
    await progress.sleep(50, 'the guard against screen locks')
  }
}

/**
 * Sets a PIN while `work` runs, and removes the PIN, even after an interruption.
 * @throws Failed when the PIN stays on the phone
 */
export async function whileLocked<T>(
  phone: PhoneUnderTest,
  pin: string,
  progress: Progress,
  work: () => Promise<T>,
): Promise<T> {
  const locked = async (): Promise<T> => {
    const answer = await shell(phone, progress, 'locksettings', 'set-pin', pin)
    if (!/set to/i.test(answer)) throw new Failed(`the phone takes no PIN: ${answer}`)
    return work()
  }
  return phone.unfinished.resetAfter(locked, () => removeLock(phone, pin))
}

async function removeLock(phone: PhoneUnderTest, pin: string): Promise<void> {
  const within = Progress.for(limits.shell)
  // The command fails if the agent has already cleared the lock; only the state counts.
  const answer = await shell(phone, within, 'locksettings', 'clear', '--old', pin).catch(String)
  const state = await shell(phone, Progress.for(limits.shell), 'locksettings', 'verify').catch(String)
  if (!isOpen(state)) throw new Failed(`the PIN ${pin} is still set on the phone: ${answer}`)
}

const isOpen = (state: string): boolean => /verified successfully/i.test(state)

export const lockClosed: Check = {
  name: 'lock_closed',
  claim: 'A screen that sets a screen lock is closed.',
  needs: ['start'],
  limitMs: 60_000,
  async run(phone, progress) {
    const since = Date.now()
    const { result, ms } = await timed(async () => {
      await shell(phone, progress, 'am', 'start', '-a', 'android.app.action.SET_NEW_PASSWORD')
      return stepAfter(phone, 'screen_lock_closed', since, limits.closed, progress)
    })
    if (result === null) {
      const { app } = await observeScreen(phone, progress)
      await runActions(phone, [{ type: 'home' }], progress)
      throw new Failed(`the screen for a new lock stayed open: ${app.package}/${app.activity ?? 'unknown'}`)
    }
    return { evidence: [result], times: { closed: ms } }
  },
}

export const lockReported: Check = {
  name: 'lock_reported',
  claim: 'A screen lock that the agent cannot clear is reported within a minute.',
  needs: ['condition'],
  limitMs: 120_000,
  async run(phone, progress) {
    const isReported = () => phone.status()?.condition?.lock_credential === true
    const { result: warning, ms } = await whileLocked(phone, pins.unknown, progress, () =>
      timed(async () => {
        const within = atMost(limits.reported, progress)
        while (!isReported()) {
          if (within.expired) throw new Failed('the lock was not reported')
          await progress.sleep(50, 'the report of the lock')
        }
        return phone.status()?.condition?.warnings.find((each) => each.includes('lock')) ?? 'reported'
      }),
    )
    while (isReported()) await progress.sleep(50, 'the report without the lock')
    return { evidence: [warning], times: { reported: ms } }
  },
}

export const lockCleared: Check = {
  name: 'lock_cleared',
  claim: 'A screen lock whose credential was typed through the agent is cleared.',
  needs: ['text'],
  limitMs: 120_000,
  async run(phone, progress) {
    await openSearch(phone, progress)
    await runActions(phone, [{ type: 'type', text: pins.typed, clear: true }], progress)
    const since = Date.now()
    const { result: reason, ms } = await whileLocked(phone, pins.typed, progress, () =>
      timed(async () => {
        const found = await stepAfter(phone, 'screen_lock_cleared', since, limits.cleared, progress)
        if (found === null || !isOpen(await shell(phone, progress, 'locksettings', 'verify')))
          throw new Failed('the lock was not cleared')
        return found
      }),
    )
    await openSettings(phone, progress)
    return { evidence: [reason], times: { cleared: ms } }
  },
}
