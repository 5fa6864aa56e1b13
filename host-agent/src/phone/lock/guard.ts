/**
 * Keeps a rented phone free of a screen lock, which would block its wipe. Closes the screens that set a lock
 * as soon as they come to the foreground, checks every 20 s whether a lock is set, and clears a lock whose
 * credential was typed through the agent. Run by `supervision/care.ts` while the phone is rented.
 */
import { ApiError, DeadlineExceeded, Progress, type Logger } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { DeviceGone, InvalidAnswer } from '../../base/device-gone.js'
import { readDisplays } from '../shell/displays.js'
import { parseForeground } from '../shell/windows.js'
import type { CredentialMemory } from './credential-memory.js'
import { isCredentialScreen, isSettings, parseLock, readLock } from './screens.js'

/** Milliseconds. */
const guardTimes = { focus: 1000, lock: 20_000, check: 5000 }

/** The action taken, for the device's events. */
export type LockStep = 'screen_lock_closed' | 'screen_lock_cleared' | 'screen_lock_found'

export interface LockGuardParts {
  /**
   * A transport whose calls do not count for the rescue of a hanging phone. A hanging call only skips a
   * check.
   */
  transport: Transport
  memory: CredentialMemory
  /**
   * The checks to run. `nothing`: the phone is free, restarting, or an operation works on it. `lock`: the
   * phone is rented and its screen is off.
   */
  scope: () => 'nothing' | 'lock' | 'screen'
  /** Called after each read of the lock. */
  recordLock: (isSet: boolean) => void
  note: (step: LockStep, outcome: 'done' | 'failed', reason: string) => void
  log: Logger
  times?: Readonly<typeof guardTimes>
}

export interface LockGuard {
  /**
   * Clears a lock whose credential is known, before a wipe. `transport` is the wipe's transport, so that no other phone
   * gets the credential. Returns whether a lock is set afterwards; null when unknown.
   */
  clear(transport: Transport, progress: Progress): Promise<boolean | null>
  stop(): void
}

export function startLockGuard(parts: LockGuardParts): LockGuard {
  const { memory, log } = parts
  const times = parts.times ?? guardTimes
  let checking = false
  let lockReadAt = -Infinity
  let isClosing = false
  let isFound = false
  /** Credentials that the phone refused. */
  const wrong = new Set<string>()

  async function closeCredentialScreens(transport: Transport, progress: Progress): Promise<void> {
    const { stdout } = await transport.shell(readDisplays, progress)
    const front = parseForeground(stdout.toString('utf8'))
    memory.sawForeground(isSettings(front), performance.now())
    if (!isCredentialScreen(front)) {
      isClosing = false
      return
    }
    // Stops the whole app, since a back key could reach another app that came to the foreground in the
    // meantime.
    await transport.shell(command('am', 'force-stop', front.package), progress)
    lockReadAt = -Infinity
    if (!isClosing) parts.note('screen_lock_closed', 'done', `${front.activity ?? front.package} was closed`)
    isClosing = true
  }

  /** @returns whether a lock is set now; null when not reported */
  async function checkLock(transport: Transport, progress: Progress): Promise<boolean | null> {
    const { stdout } = await transport.shell(readLock, progress)
    const isSet = parseLock(stdout.toString('utf8'))
    lockReadAt = performance.now()
    if (isSet === null) return null
    if (isSet && (await clearWithTypedCredential(transport, progress))) {
      parts.note('screen_lock_cleared', 'done', 'the credential was typed through this service')
      parts.recordLock(false)
      isFound = false
      return false
    }
    if (isSet && !isFound)
      parts.note('screen_lock_found', 'failed', 'the credential was not typed through this service')
    isFound = isSet
    if (!isSet) wrong.clear()
    parts.recordLock(isSet)
    return isSet
  }

  async function clearWithTypedCredential(transport: Transport, progress: Progress): Promise<boolean> {
    for (const credential of memory.candidates(performance.now())) {
      if (wrong.has(credential)) continue
      const { stdout } = await withoutCommandInErrors(transport.serial, () =>
        transport.shell(command('locksettings', 'clear', '--old', credential), progress),
      )
      if (/cleared/i.test(stdout.toString('utf8'))) {
        memory.forget()
        return true
      }
      wrong.add(credential)
    }
    return false
  }

  async function check(): Promise<void> {
    const scope = parts.scope()
    if (scope === 'nothing' || checking) return
    checking = true
    try {
      const progress = Progress.for(times.check)
      const transport = parts.transport.pinned()
      if (scope === 'screen') await closeCredentialScreens(transport, progress)
      if (performance.now() - lockReadAt >= times.lock) await checkLock(transport, progress)
    } catch (error) {
      // The phone's own probe reports a fault of the phone; the next check follows soon.
      log.debug({ err: error }, 'the check for a screen lock failed')
    } finally {
      checking = false
    }
  }

  const timer = setInterval(() => void check(), times.focus)
  timer.unref()
  return {
    clear: checkLock,
    stop() {
      clearInterval(timer)
      memory.forget()
      wrong.clear()
    },
  }
}

/** A call's error may quote its command, which contains the credential. */
async function withoutCommandInErrors<T>(serial: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof InvalidAnswer) throw new InvalidAnswer(serial)
    if (error instanceof DeviceGone) throw new DeviceGone(serial)
    if (error instanceof DeadlineExceeded) throw error
    // oxlint-disable-next-line preserve-caught-error -- the cause names the credential
    throw new ApiError('provider_error', { message: 'The screen lock could not be cleared.' })
  }
}
