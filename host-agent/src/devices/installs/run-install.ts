/**
 * One install on one phone, from the session to the confirmation, and its outcome:
 * refused by the phone, failed before the app changed, or unknown. Called by
 * `installs.ts`, which has journalled it.
 */
import { ApiError, DeadlineExceeded, Progress, type ErrorCode } from '@phonerack/shared'
import {
  DeviceGone,
  notDone,
  InstallFileBroken,
  InstallRefused,
  type InstallFile,
  type InstalledVersion,
  type Packages,
} from '../../adb/device/device.js'
import type { Outcome } from './records.js'

/** Milliseconds. */
export interface RunTimes {
  /** Time for abandoning a session, even after the caller's deadline. */
  abandon: number
  /**
   * Time from the phone's success until the phone lists the app; and from a lost answer until the phone is
   * back and lists the app.
   */
  confirm: number
}
export const runTimes: RunTimes = { abandon: 3000, confirm: 30_000 }

interface AppToInstall {
  package: string
  versionCode: number
  files: readonly InstallFile[]
  /** The version on the phone when the install began; null when not installed. */
  before: InstalledVersion | null
}

interface RunHooks {
  /** Called with the ID of the session on the phone, and with null once there is no session. */
  onSession(session: number | null): void
  /** Called when a cached file is corrupt. */
  onBroken(sha256: string): Promise<void>
}

/**
 * Runs the install. `reconnect` returns the packages of the phone once the phone is connected, since the phone can
 * disconnect after the commit.
 */
export async function runInstall(
  packages: Packages,
  reconnect: (progress: Progress) => Promise<Packages>,
  app: AppToInstall,
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
    await packages.install(app.package, app.files, steps, progress)
  } catch (error) {
    if (error instanceof InstallFileBroken) await hooks.onBroken(error.sha256)
    // A refused commit has ended its session.
    if (error instanceof InstallRefused && reached.committed) return refused(error, hooks)
    if (!reached.committed) {
      await abandonSession(packages, reached.session, hooks, times)
      return failureOf(error, progress)
    }
    if (!hasNoAnswer(error)) throw error
    // Only the phone's list of apps shows whether the commit arrived; the commit is never sent again.
    const done = await waitUntilListed(
      reconnect,
      app,
      (found) => found.path !== app.before?.path,
      progress,
      times,
    )
    if (done) hooks.onSession(null)
    return done ? success : { kind: 'unknown' }
  }
  hooks.onSession(null)
  const found = await waitUntilListed(reconnect, app, () => true, progress, times)
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

/** Whether the phone disconnected, did not answer, or reported neither success nor failure. */
const hasNoAnswer = (error: unknown): boolean =>
  error instanceof DeviceGone || error instanceof DeadlineExceeded || error instanceof ApiError

/** Returns the outcome of an install that failed before its commit: the app is unchanged. */
export function failureOf(error: unknown, progress: Progress): Outcome {
  if (error instanceof InstallRefused) return failed('install_failed', error.reason)
  if (error instanceof InstallFileBroken) return failed('provider_error', error.message)
  if (error instanceof ApiError) return failed(error.code, error.message)
  if (error instanceof DeviceGone) return failed(notDone(error).code, error.message)
  if (!(error instanceof DeadlineExceeded)) throw error
  // The install was aborted before its deadline.
  return progress.remaining > 0
    ? failed(
        'phone_unavailable',
        'the phone was parked or assigned again, or the agent stopped, during the install',
      )
    : failed('provider_timeout', error.message)
}

/**
 * Abandons the session within a separate deadline, since the deadline of the install may have passed. A disconnected
 * phone keeps the session, which is abandoned before the next install.
 */
async function abandonSession(
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
    if (!hasNoAnswer(error)) throw error
  }
}

/**
 * Waits until the phone lists the app at this version and `proves` accepts it. Returns false when that does
 * not happen.
 */
async function waitUntilListed(
  reconnect: (progress: Progress) => Promise<Packages>,
  app: AppToInstall,
  proves: (found: InstalledVersion) => boolean,
  progress: Progress,
  times: RunTimes,
): Promise<boolean> {
  const within = progress.within(times.confirm)
  try {
    for (;;) {
      try {
        const found = await (await reconnect(within)).find(app.package, within)
        if (found?.versionCode === app.versionCode && proves(found)) return true
      } catch (error) {
        if (!hasNoAnswer(error) || within.expired) throw error
      }
      await within.sleep(200, 'the listing of the app')
    }
  } catch (error) {
    if (!hasNoAnswer(error)) throw error
    return false
  }
}
