/**
 * One install on one phone, from the session to the proof, and what it came to: told apart are what the phone refused,
 * what never began to change the app, and what nobody knows. Called by `installs.ts`, which has journalled it.
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
  /** Giving up a session, also for a caller who has no time left. */
  abandon: number
  /** After the phone said success, until it lists the app; and after it said nothing, until it is back and does. */
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
  /** A session is on the phone (number), or no more (null). */
  onSession(session: number | null): void
  /** A file of the cache is not what it was. */
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
    // Whether the order arrived is told by the phone or by nobody; it is never sent again.
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

/** The phone left, did not answer, or said neither yes nor no. */
const isSilence = (error: unknown): boolean =>
  error instanceof DeviceGone || error instanceof DeadlineExceeded || error instanceof ApiError

/** What kept an install from being committed: the app is as it was. */
export function failureOf(error: unknown, progress: Progress): Outcome {
  if (error instanceof InstallRefused) return failed('install_failed', error.reason)
  if (error instanceof InstallFileBroken) return failed('provider_error', error.message)
  if (error instanceof ApiError) return failed(error.code, error.message)
  if (error instanceof DeviceGone) return failed('phone_unavailable', error.message)
  if (!(error instanceof DeadlineExceeded)) throw error
  // Aborted before its time.
  return progress.remaining > 0
    ? failed(
        'phone_unavailable',
        'the phone was parked or assigned again, or the agent stopped, during the install',
      )
    : failed('provider_timeout', error.message)
}

/** In time of its own: the install's may be over. A phone that has left keeps the session; it is given up before the next. */
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

/** Whether the phone comes to list the app at the version, as `proves` wants it. */
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
