/**
 * Installs on this host's phones: begin, receive files, run, and repeat the answer. One
 * install ID is one attempt: an install that began to write never starts again. Called
 * by `grpc/app-handlers.ts`.
 */
import { ApiError, type Logger, type Progress, onAbort } from '@phonerack/shared'
import { ownPackages } from '../../adb/parts/parts.js'
import type { DeviceGate } from '../gate.js'
import type { FileHeader, PackageCache } from './cache.js'
import {
  createPhoneInstaller,
  installTimes,
  type BeginRequest,
  type InstallTimes,
  type InstallAttempt,
  type DeviceCaller,
} from './phone-installer.js'
import type { InstallRecords, Outcome } from './records.js'
import { failed } from './run-install.js'
import { createSlots, type Slots } from './slots.js'

interface InstallAnswer {
  succeeded: boolean
  /** A public error code; empty for success. */
  errorCode: string
  /** The phone's own error text, when the phone refused. */
  reason: string
  /** Whether the phone had the app when the install began. */
  wasInstalled: boolean
}

export interface Installs {
  /**
   * Takes a slot and, with `replace`, uninstalls the app. A repeated call for the same install returns the
   * same answer.
   * @throws ApiError install_in_progress, version_downgrade, install_failed for an app that cannot be
   * replaced, action_outcome_unknown
   */
  begin(caller: DeviceCaller, request: BeginRequest): Promise<{ missing: string[]; uninstalled: boolean }>
  put(file: FileHeader, chunks: AsyncIterable<Uint8Array>, progress: Progress): Promise<void>
  /**
   * Runs an install once: a repeated call joins the running install, or returns the answer of the finished
   * install. @throws ApiError action_outcome_unknown
   */
  finish(caller: DeviceCaller, installId: string): Promise<InstallAnswer>
  /** Aborts running installs, abandons unfinished installs, and returns when all have ended. */
  stop(): Promise<void>
}

interface InstallParts {
  gateOf: (serial: string) => DeviceGate
  cache: PackageCache
  records: InstallRecords
  log: Logger
  times?: InstallTimes
}

/** An install between its begin and its end. */
interface ActiveInstall extends InstallAttempt {
  prepared: Promise<void>
  running: Promise<Outcome> | null
  timer: NodeJS.Timeout | null
  /** Releases slot and files. */
  end: () => void
}

export function createInstalls(parts: InstallParts): Installs {
  const { gateOf, cache, records, log } = parts
  const times = parts.times ?? installTimes
  const active = new Map<string, ActiveInstall>()
  const stopping = new AbortController()
  const installer = createPhoneInstaller({ gateOf, cache, records, times, stopping: stopping.signal })
  const slots = new Map<string, Slots>()

  const slotsOf = (serial: string): Slots => {
    const known = slots.get(serial) ?? createSlots()
    slots.set(serial, known)
    return known
  }

  const unknown = (installId: string, packageName: string, uninstalled: boolean): ApiError =>
    new ApiError('action_outcome_unknown', {
      message: 'The outcome of the install is unknown: the phone may have installed the app.',
      details: { install: installId, package: packageName, ...(uninstalled ? { uninstalled } : {}) },
    })

  /**
   * Returns an earlier attempt of this ID for this phone.
   * @throws ApiError action_outcome_unknown when the attempt's outcome is unknown
   */
  function recordOf(caller: DeviceCaller, installId: string) {
    const record = records.get(installId)
    if (!record || record.serial !== caller.serial || record.phoneId !== caller.phoneId) return null
    if (record.outcome?.kind === 'unknown') throw unknown(installId, record.package, record.uninstalled)
    return record
  }

  function startFinishTimer(entry: ActiveInstall): void {
    if (entry.timer) clearTimeout(entry.timer)
    entry.timer = setTimeout(() => {
      const { files, id } = entry.request
      if (files.some(({ sha256 }) => cache.isReceiving(sha256))) return startFinishTimer(entry)
      log.warn({ install: id }, 'an install was abandoned: its slot is free again')
      abandonInstall(entry, 'the install was not finished before the timeout')
    }, times.unfinished)
  }

  /** Ends an install before it runs. The record says when an app was uninstalled for the install. */
  function abandonInstall(entry: ActiveInstall, reason: string): void {
    if (entry.uninstalled) installer.save(entry, failed('phone_unavailable', reason), null)
    entry.end()
  }

  /** Records the outcome, even when the install never reached the phone. */
  async function runAndRecord(entry: ActiveInstall, caller: DeviceCaller): Promise<Outcome> {
    try {
      await entry.prepared
      const outcome = await installer.run(entry, caller)
      const record = records.get(entry.request.id)
      if (!record?.outcome) installer.save(entry, outcome, null)
      log.info({ install: entry.request.id, package: entry.request.package, outcome }, 'an install has ended')
      return outcome
    } finally {
      entry.end()
    }
  }

  return {
    async begin(caller, request) {
      const held = gateOf(caller.serial).fencing.hold(caller)
      if (ownPackages.has(request.package)) {
        throw new ApiError('install_failed', {
          message: 'The app is part of the service and cannot be replaced.',
          details: { package: request.package },
        })
      }
      const ended = recordOf(caller, request.id)
      const known = active.get(request.id)
      if (ended && !known) return { missing: [], uninstalled: ended.uninstalled }
      if (known && !isSame(known, caller, request)) {
        throw new ApiError('validation_failed', {
          message: 'The install ID is already used for another install.',
        })
      }
      const entry = known ?? addInstall(caller, request, held)
      await entry.prepared
      const missing = request.files.filter((file) => cache.pathOf(file) === null).map(({ sha256 }) => sha256)
      return { missing: [...new Set(missing)], uninstalled: entry.uninstalled }
    },

    put: (file, chunks, progress) => cache.put(file, chunks, progress),

    async finish(caller, installId) {
      gateOf(caller.serial).fencing.hold(caller)
      const entry = active.get(installId)
      if (entry && entry.caller.phoneId === caller.phoneId && entry.caller.serial === caller.serial) {
        if (entry.timer) clearTimeout(entry.timer)
        entry.timer = null
        entry.running ??= runAndRecord(entry, caller)
        const outcome = await entry.running
        if (outcome.kind === 'unknown') throw unknown(installId, entry.request.package, entry.uninstalled)
        return answerOf(outcome, entry.before !== null)
      }
      const record = recordOf(caller, installId)
      if (record?.outcome?.kind === 'answered') return answerOf(record.outcome, record.wasInstalled)
      throw new ApiError('phone_unavailable', {
        message: 'This install was not started on this host, or it timed out. Nothing was installed.',
        details: { install: installId },
      })
    },

    async stop() {
      const entries = [...active.values()]
      stopping.abort()
      await Promise.allSettled(entries.map(({ prepared, running }) => running ?? prepared))
      for (const entry of entries)
        if (active.get(entry.request.id) === entry)
          abandonInstall(entry, 'the agent stopped before the install')
    },
  }

  /** Takes a slot, protects the files, and begins to prepare. @throws ApiError install_in_progress */
  function addInstall(caller: DeviceCaller, request: BeginRequest, held: AbortSignal): ActiveInstall {
    const phoneSlots = slotsOf(caller.serial)
    const busy = phoneSlots.take(request.id, request.package)
    if (busy) {
      throw new ApiError('install_in_progress', { retryable: true, details: { package: busy.busyWith } })
    }
    const release = cache.hold(request.files)
    const onFenced = () => {
      // A running install is aborted separately and ends itself.
      if (!entry.running) abandonInstall(entry, 'the phone was parked or assigned again before the install')
    }
    const entry: ActiveInstall = {
      caller,
      request,
      before: null,
      uninstalled: false,
      prepared: Promise.resolve(),
      running: null,
      timer: null,
      end() {
        if (entry.timer) clearTimeout(entry.timer)
        entry.timer = null
        forget()
        release()
        phoneSlots.release(request.id)
        if (active.get(request.id) === entry) active.delete(request.id)
      },
    }
    active.set(request.id, entry)
    const forget = onAbort(held, onFenced)
    entry.prepared = installer.prepare(entry).then(
      () => {
        if (active.get(request.id) === entry && !entry.running) startFinishTimer(entry)
      },
      (error: unknown) => {
        entry.end()
        throw error
      },
    )
    return entry
  }
}

const answerOf = (outcome: Outcome & { kind: 'answered' }, wasInstalled: boolean): InstallAnswer => ({
  succeeded: outcome.succeeded,
  errorCode: outcome.errorCode,
  // Other reasons appear only in the log, since they may name the host's devices.
  reason: outcome.errorCode === 'install_failed' ? outcome.reason : '',
  wasInstalled,
})

function isSame(entry: ActiveInstall, caller: DeviceCaller, request: BeginRequest): boolean {
  const of = ({ serial, phoneId }: DeviceCaller, { files, ...rest }: BeginRequest) =>
    JSON.stringify([serial, phoneId, { ...rest }, files.map(({ sha256, size }) => [sha256, size])])
  return of(entry.caller, entry.request) === of(caller, request)
}
