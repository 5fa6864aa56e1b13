/**
 * One install on one phone, from the session to the confirmation, and its outcome:
 * refused by the phone, failed before the app changed, or unknown. Called by
 * `installs.ts`, which has journalled it.
 */
import { ApiError, DeadlineExceeded, Progress, type ErrorCode } from '@phonerack/shared'
import {
  DeviceGone,
  InstallFileBroken,
  InstallRefused,
  type InstallFile,
  type InstalledVersion,
  type Packages,
} from '../device/device.js'
import type { Outcome } from './records.js'

/** Milliseconds. */
export interface RunTimes {
  /** Abandoning a session, also for a caller whose deadline has passed. */
  abandon: number
  /**
   * From the phone's success until it lists the app; and from a lost answer until the
   * phone is back and lists it.
   */
  confirm: number
}
export const runTimes: RunTimes = { abandon: 3000, confirm: 30_000 }

export interface InstallOrder {
  package: string
  versionCode: number
  files: readonly InstallFile[]
  /** What the phone had when the install began. */
  before: InstalledVersion | null
}

export interface RunHooks {
  /** A session exists on the phone (number), or no longer does (null). */
  onSession(session: number | null): void
  /** A cached file is corrupt. */
  onBroken(sha256: string): Promise<void>
}

/** `again`: the phone's packages once it is connected, which it may not be after the commit. */
export async function runInstall(
  packages: Packages,
  again: (progress: Progress) => Promise<Packages>,
  order: InstallOrder,
  hooks: RunHooks,
  progress: Progress,
  times: RunTimes = runTimes,
): Promise<Outcome> {
  const reached = { session: null as number | null, committed: false }
  const steps = {
    onSession(id: number) {
      reached.session = id
      hooks.onSession(id)
    },
    onCommit() {
      reached.committed = true
    },
  }
  try {
    await packages.install(order.package, order.files, steps, progress)
  } catch (error) {
    if (error instanceof InstallFileBroken) await hooks.onBroken(error.sha256)
    // A refused commit has ended its session.
    if (error instanceof InstallRefused && reached.committed) return refused(error, hooks)
    if (!reached.committed) {
      await giveUp(packages, reached.session, hooks, times)
      return failureOf(error, progress)
    }
    if (!isSilence(error)) throw error
    // Only the phone's list shows whether the commit arrived; it is never sent again.
    const done = await isThere(again, order, (found) => found.path !== order.before?.path, progress, times)
    if (done) hooks.onSession(null)
    return done ? success : { kind: 'unknown' }
  }
  hooks.onSession(null)
  const found = await isThere(again, order, () => true, progress, times)
  return found ? success : { kind: 'unknown' }
}

const success: Outcome = { kind: 'answered', succeeded: true, errorCode: '', reason: '' }
export const failed = (errorCode: ErrorCode, reason: string): Outcome => ({
  kind: 'answered',
  succeeded: false,
  errorCode,
  reason: reason.slice(0, 500),
})

function refused(error: InstallRefused, hooks: RunHooks): Outcome {
  hooks.onSession(null)
  return failed('install_failed', error.reason)
}

/** The phone disconnected, did not answer, or reported neither success nor failure. */
const isSilence = (error: unknown): boolean =>
  error instanceof DeviceGone || error instanceof DeadlineExceeded || error instanceof ApiError

/** Why an install was not committed: the app is unchanged. */
export function failureOf(error: unknown, progress: Progress): Outcome {
  if (error instanceof InstallRefused) return failed('install_failed', error.reason)
  if (error instanceof InstallFileBroken) return failed('provider_error', error.message)
  if (error instanceof ApiError) return failed(error.code, error.message)
  if (error instanceof DeviceGone) return failed('phone_unavailable', error.message)
  if (!(error instanceof DeadlineExceeded)) throw error
  // Aborted before its deadline.
  return progress.remaining > 0
    ? failed(
        'phone_unavailable',
        'the phone was parked or assigned again, or the agent stopped, during the install',
      )
    : failed('provider_timeout', error.message)
}

/**
 * Has a separate deadline, since the install's may have passed. A disconnected phone
 * keeps the session; it is abandoned before the next install.
 */
async function giveUp(
  packages: Packages,
  session: number | null,
  hooks: RunHooks,
  times: RunTimes,
): Promise<void> {
  if (session === null) return
  try {
    await packages.abandon(session, Progress.for(times.abandon))
    hooks.onSession(null)
  } catch (error) {
    if (!isSilence(error)) throw error
  }
}

/** Whether the phone starts to list the app at the version, as `proves` requires. */
async function isThere(
  again: (progress: Progress) => Promise<Packages>,
  order: InstallOrder,
  proves: (found: InstalledVersion) => boolean,
  progress: Progress,
  times: RunTimes,
): Promise<boolean> {
  const within = progress.within(times.confirm)
  try {
    for (;;) {
      try {
        const found = await (await again(within)).find(order.package, within)
        if (found?.versionCode === order.versionCode && proves(found)) return true
      } catch (error) {
        if (!isSilence(error) || within.expired) throw error
      }
      await within.sleep(200, 'the app to be listed')
    }
  } catch (error) {
    if (!isSilence(error)) throw error
    return false
  }
}
