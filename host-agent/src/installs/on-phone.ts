/**
 * The steps of one install on its phone: check, make space, send, and confirm; each
 * step is on disk before it is taken. Called by `installs.ts`, which decides who may
 * install and when.
 */
import { ApiError, Progress } from '@phonerack/shared'
import {
  InstallRefused,
  type AppNeeds,
  type InstallFile,
  type InstalledVersion,
  type Packages,
} from '../device/device.js'
import type { Caller, DeviceGate } from '../devices/gate.js'
import type { FileHeader, PackageCache } from './cache.js'
import type { InstallRecords, Outcome } from './records.js'
import { failed, failureOf, runInstall, runTimes, type RunTimes } from './run-install.js'

/** Milliseconds. */
export interface InstallTimes extends RunTimes {
  /** Reading the installed version and, with `replace`, uninstalling it. */
  begin: number
  /** From the begin, or the last received file, to the finish. */
  unfinished: number
  /** The whole install: sending, and the phone's own work. */
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
  /** Null: unknown. */
  needs: AppNeeds | null
}

export type DeviceCaller = Caller & { serial: string }

/** One install on this host's phones, and its state. */
export interface Order {
  readonly who: DeviceCaller
  readonly request: BeginRequest
  /** What the phone had when it began. */
  before: InstalledVersion | null
  uninstalled: boolean
}

export interface OnPhoneParts {
  gateOf: (serial: string) => DeviceGate
  cache: PackageCache
  records: InstallRecords
  times: InstallTimes
  /** Aborts when the agent ends. */
  stopping: AbortSignal
}

export interface OnPhone {
  /**
   * Reads the installed version, refuses a downgrade, and uninstalls the app for a
   * replacement.
   * @throws ApiError version_downgrade, install_failed, action_outcome_unknown
   */
  prepare(order: Order): Promise<void>
  /** Installs, once, under `who`'s fencing number. */
  run(order: Order, who: DeviceCaller): Promise<Outcome>
  /** `session`: on the phone, still to be abandoned. */
  save(order: Order, outcome: Outcome | null, session: number | null): void
}

const needPackages = (packages: Packages | null): Packages => {
  if (packages === null) throw new ApiError('feature_unavailable', { details: { feature: 'apps' } })
  return packages
}

/** The space of the installed app is not counted: it is unknown until the app is gone. */
async function requireRoom(packages: Packages, request: BeginRequest, progress: Progress): Promise<void> {
  const totalBytes = request.files.reduce((sum, { size }) => sum + size, 0)
  try {
    await packages.requireRoom(request.package, totalBytes, progress)
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

export function createOnPhone({ gateOf, cache, records, times, stopping }: OnPhoneParts): OnPhone {
  function save(order: Order, outcome: Outcome | null, session: number | null): void {
    const { who, request, before, uninstalled } = order
    records.save({
      id: request.id,
      serial: who.serial,
      phoneId: who.phoneId,
      package: request.package,
      wasInstalled: before !== null,
      uninstalled,
      session,
      outcome,
    })
  }

  /** Reads the installed version, refuses a downgrade, and uninstalls the app for a replacement. */
  async function prepare(order: Order): Promise<void> {
    const { who, request } = order
    const phone = gateOf(who.serial)
    const progress = Progress.for(times.begin, stopping)
    order.before = await phone.read(who, progress, (device, within) =>
      needPackages(device.packages).find(request.package, within),
    )
    const { before } = order
    const { needs } = request
    if (needs !== null) {
      const isNew = before === null || request.replace
      await phone.read(who, progress, (device, within) =>
        needPackages(device.packages).requireFit(request.package, needs, isNew, within),
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
      who,
      progress,
      async (device, within) => {
        const packages = needPackages(device.packages)
        await requireRoom(packages, request, within)
        save(order, null, null)
        try {
          await packages.uninstall(request.package, within)
          order.uninstalled = true
          save(order, null, null)
        } catch (error) {
          // The app is already gone, which is the goal.
          if (!(error instanceof ApiError) || error.code !== 'app_not_found') {
            const known = error instanceof ApiError && error.code !== 'action_outcome_unknown'
            save(order, known ? failed(error.code, error.message) : { kind: 'unknown' }, null)
            throw error
          }
        }
      },
      request.id,
    )
  }

  async function run(order: Order, who: DeviceCaller): Promise<Outcome> {
    const { request } = order
    const files: InstallFile[] = []
    for (const file of request.files) {
      const path = cache.pathOf(file)
      if (path === null) return failed('provider_error', `the package file ${file.sha256} is not on the host`)
      files.push({ ...file, path })
    }
    const progress = Progress.for(times.install, stopping)
    const reached = { phone: false }
    try {
      return await gateOf(who.serial).writeUnqueued(
        'install',
        request.id,
        who,
        progress,
        async (device, within, again) => {
          const packages = needPackages(device.packages)
          await giveUpLeftSessions(who.serial, packages, within)
          reached.phone = true
          const packagesAgain = async (asked: Progress) => needPackages((await again(asked)).packages)
          return send(order, packages, packagesAgain, files, within)
        },
      )
    } catch (error) {
      if (!reached.phone) return failureOf(error, progress)
      save(order, { kind: 'unknown' }, null)
      throw error
    }
  }

  /** The part that writes. It is recorded before, and its outcome after. */
  async function send(
    order: Order,
    packages: Packages,
    packagesAgain: (progress: Progress) => Promise<Packages>,
    files: readonly InstallFile[],
    progress: Progress,
  ): Promise<Outcome> {
    const { request } = order
    let session: number | null = null
    const hooks = {
      onSession(id: number | null) {
        session = id
        save(order, null, id)
      },
      onBroken: (sha256: string) => cache.drop(sha256),
    }
    hooks.onSession(null)
    const toInstall = {
      package: request.package,
      versionCode: request.versionCode,
      files,
      before: order.uninstalled ? null : order.before,
    }
    const outcome = await runInstall(packages, packagesAgain, toInstall, hooks, progress, times)
    save(order, outcome, session)
    return outcome
  }

  /** Abandons sessions that earlier installs could not, since the phone had disconnected. */
  async function giveUpLeftSessions(serial: string, packages: Packages, progress: Progress): Promise<void> {
    for (const record of records.leftSessions(serial)) {
      if (record.session !== null) await packages.abandon(record.session, progress)
      records.save({ ...record, session: null })
    }
  }

  return { prepare, run, save }
}
