/**
 * The steps of one install on its phone: check, make space, send, and confirm. Each
 * step is recorded on disk before it begins. Called by `installs.ts`, which decides
 * when an install runs.
 */
import { ApiError, Progress } from '@phonerack/shared'
import {
  InstallRefused,
  type AppNeeds,
  type InstallFile,
  type InstalledVersion,
  type Packages,
} from '../../adb/device/device.js'
import type { Caller, DeviceGate } from '../gate.js'
import type { FileHeader, PackageCache } from './cache.js'
import type { InstallRecords, Outcome } from './records.js'
import { failed, failureOf, runInstall, runTimes, type RunTimes } from './run-install.js'

/** Milliseconds. */
export interface InstallTimes extends RunTimes {
  /** Time for reading the installed version and, with `replace`, uninstalling the app. */
  begin: number
  /** Time from the begin, or the last received file, to the finish. */
  unfinished: number
  /** Time for the whole install: sending, and the phone's own work. */
  install: number
}
export const installTimes: InstallTimes = {
  ...runTimes,
  begin: 90_000,
  unfinished: 120_000,
  install: 5 * 60_000,
}

export interface BeginRequest {
  id: string
  package: string
  versionCode: number
  files: readonly FileHeader[]
  replace: boolean
  /** Null when the app's requirements are unknown. */
  needs: AppNeeds | null
}

export type DeviceCaller = Caller & { serial: string }

/** One install and its state. */
export interface InstallAttempt {
  readonly caller: DeviceCaller
  readonly request: BeginRequest
  /** The version on the phone when the install began; null when not installed. */
  before: InstalledVersion | null
  uninstalled: boolean
}

interface PhoneInstallerParts {
  gateOf: (serial: string) => DeviceGate
  cache: PackageCache
  records: InstallRecords
  times: InstallTimes
  /** Aborts when the agent ends. */
  stopping: AbortSignal
}

interface PhoneInstaller {
  /**
   * Reads the installed version, refuses a downgrade, and uninstalls the app for a
   * replacement.
   * @throws ApiError version_downgrade, install_failed, action_outcome_unknown
   */
  prepare(attempt: InstallAttempt): Promise<void>
  /** Installs, once, under `caller`'s fencing number. */
  run(attempt: InstallAttempt, caller: DeviceCaller): Promise<Outcome>
  /** Saves the attempt. `session`: an install session on the phone that must still be abandoned. */
  save(attempt: InstallAttempt, outcome: Outcome | null, session: number | null): void
}

const requirePackages = (packages: Packages | null): Packages => {
  if (packages === null) throw new ApiError('feature_unavailable', { details: { feature: 'apps' } })
  return packages
}

/** Checks the space. The space of the installed app is not counted, since it is unknown until the app is gone. */
async function requireSpace(packages: Packages, request: BeginRequest, progress: Progress): Promise<void> {
  const totalBytes = request.files.reduce((sum, { size }) => sum + size, 0)
  try {
    await packages.requireSpace(request.package, totalBytes, progress)
  } catch (error) {
    if (!(error instanceof InstallRefused)) throw error
    throw new ApiError('install_failed', {
      message: 'The app is incompatible with the phone. Nothing was changed on the phone.',
      next: 'Free storage on the phone: uninstall apps, delete files, or uninstall this app yourself. Then install again.',
      details: { package: request.package, reason: error.reason },
      cause: error,
    })
  }
}

export function createPhoneInstaller({
  gateOf,
  cache,
  records,
  times,
  stopping,
}: PhoneInstallerParts): PhoneInstaller {
  function save(attempt: InstallAttempt, outcome: Outcome | null, session: number | null): void {
    const { caller, request, before, uninstalled } = attempt
    records.save({
      id: request.id,
      serial: caller.serial,
      phoneId: caller.phoneId,
      package: request.package,
      wasInstalled: before !== null,
      uninstalled,
      session,
      outcome,
    })
  }

  /** Reads the installed version, refuses a downgrade, and uninstalls the app for a replacement. */
  async function prepare(attempt: InstallAttempt): Promise<void> {
    const { caller, request } = attempt
    const phone = gateOf(caller.serial)
    const progress = Progress.for(times.begin, stopping)
    attempt.before = await phone.read(caller, progress, (device, within) =>
      requirePackages(device.packages).find(request.package, within),
    )
    const { before } = attempt
    const { needs } = request
    if (needs !== null) {
      const isNew = before === null || request.replace
      await phone.read(caller, progress, (device, within) =>
        requirePackages(device.packages).requireCompatible(request.package, needs, isNew, within),
      )
    }
    if (before === null) return
    if (!request.replace) {
      if (before.versionCode <= request.versionCode) return
      throw new ApiError('version_downgrade', {
        next: 'Use a higher version code, or install with `replace: true`.',
        details: {
          package: request.package,
          installed_version_code: before.versionCode,
          version_code: request.versionCode,
        },
      })
    }
    if (before.system) {
      throw new ApiError('install_failed', {
        message: 'The app is preinstalled, so it cannot be uninstalled and replaced.',
        next: 'Install without `replace`.',
        details: { package: request.package },
      })
    }
    await phone.write(
      'install',
      caller,
      progress,
      async (device, within) => {
        const packages = requirePackages(device.packages)
        await requireSpace(packages, request, within)
        save(attempt, null, null)
        try {
          await packages.uninstall(request.package, within)
          attempt.uninstalled = true
          save(attempt, null, null)
        } catch (error) {
          // The app is already gone, as intended.
          if (!(error instanceof ApiError) || error.code !== 'app_not_found') {
            const known = error instanceof ApiError && error.code !== 'action_outcome_unknown'
            save(attempt, known ? failed(error.code, error.message) : { kind: 'unknown' }, null)
            throw error
          }
        }
      },
      request.id,
    )
  }

  async function run(attempt: InstallAttempt, caller: DeviceCaller): Promise<Outcome> {
    const { request } = attempt
    const files: InstallFile[] = []
    for (const file of request.files) {
      const path = cache.pathOf(file)
      if (path === null) return failed('provider_error', `the package file ${file.sha256} is not on the host`)
      files.push({ ...file, path })
    }
    const progress = Progress.for(times.install, stopping)
    const reached = { phone: false }
    try {
      return await gateOf(caller.serial).writeUnqueued(
        'install',
        request.id,
        caller,
        progress,
        async (device, within, again) => {
          const packages = requirePackages(device.packages)
          await abandonLeftoverSessions(caller.serial, packages, within)
          reached.phone = true
          const reconnectedPackages = async (asked: Progress) =>
            requirePackages((await again(asked)).packages)
          return send(attempt, packages, reconnectedPackages, files, within)
        },
      )
    } catch (error) {
      if (!reached.phone) return failureOf(error, progress)
      save(attempt, { kind: 'unknown' }, null)
      throw error
    }
  }

  /** Writes to the phone. The record is on disk before the write, the outcome after it. */
  async function send(
    attempt: InstallAttempt,
    packages: Packages,
    reconnectedPackages: (progress: Progress) => Promise<Packages>,
    files: readonly InstallFile[],
    progress: Progress,
  ): Promise<Outcome> {
    const { request } = attempt
    let session: number | null = null
    const hooks = {
      onSession(id: number | null) {
        session = id
        save(attempt, null, id)
      },
      onBroken: (sha256: string) => cache.drop(sha256),
    }
    hooks.onSession(null)
    const toInstall = {
      package: request.package,
      versionCode: request.versionCode,
      files,
      before: attempt.uninstalled ? null : attempt.before,
    }
    const outcome = await runInstall(packages, reconnectedPackages, toInstall, hooks, progress, times)
    save(attempt, outcome, session)
    return outcome
  }

  /** Abandons the sessions of earlier installs during which the phone disconnected. */
  async function abandonLeftoverSessions(
    serial: string,
    packages: Packages,
    progress: Progress,
  ): Promise<void> {
    for (const record of records.leftoverSessions(serial)) {
      if (record.session !== null) await packages.abandon(record.session, progress)
      records.save({ ...record, session: null })
    }
  }

  return { prepare, run, save }
}
