/**
 * Installs of this host: begun, supplied with files, run, and answered also to later
 * queries. One install id is one attempt: an install that began to write is never
 * started again. Called by `grpc/app-handlers.ts`.
 */
import { ApiError, type Logger, type Progress, onAbort } from '@phonerack/shared'
import { ownPackages } from '../parts/parts.js'
import type { DeviceGate } from '../devices/gate.js'
import type { FileHeader, PackageCache } from './cache.js'
import {
  createOnPhone,
  installTimes,
  type BeginRequest,
  type InstallTimes,
  type Order,
  type DeviceCaller,
} from './on-phone.js'
import type { InstallRecords, Outcome } from './records.js'
import { failed } from './run-install.js'
import { createSlots, type Slots } from './slots.js'

export interface InstallAnswer {
  succeeded: boolean
  /** A public error code; empty for success. */
  errorCode: string
  /** The phone's own error text, when it refused. */
  reason: string
  /** Whether the phone had the app when the install began. */
  wasInstalled: boolean
}

export interface Installs {
  /**
   * Takes a slot and, with `replace`, uninstalls the app. A repeat of the same install
   * gets the same answer.
   * @throws ApiError install_in_progress, version_downgrade, install_failed for an app
   * that may not be replaced,
   *   action_outcome_unknown
   */
  begin(who: DeviceCaller, request: BeginRequest): Promise<{ missing: string[]; uninstalled: boolean }>
  put(file: FileHeader, chunks: AsyncIterable<Uint8Array>, progress: Progress): Promise<void>
  /**
   * Runs a begun install, once; joins a running one, and repeats a finished one's
   * answer. @throws ApiError action_outcome_unknown
   */
  finish(who: DeviceCaller, installId: string): Promise<InstallAnswer>
  /** Aborts running installs, abandons unfinished ones, and returns when all have ended. */
  stop(): Promise<void>
}

export interface InstallParts {
  gateOf: (serial: string) => DeviceGate
  cache: PackageCache
  records: InstallRecords
  log: Logger
  times?: InstallTimes
}

/** An install between its begin and its end. */
interface Begun extends Order {
  prepared: Promise<void>
  running: Promise<Outcome> | null
  timer: NodeJS.Timeout | null
  /** Releases slot and files. */
  end: () => void
}

export function createInstalls(parts: InstallParts): Installs {
  const { gateOf, cache, records, log } = parts
  const times = parts.times ?? installTimes
  const begun = new Map<string, Begun>()
  const stopping = new AbortController()
  const onPhone = createOnPhone({ gateOf, cache, records, times, stopping: stopping.signal })
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
   * An earlier attempt under this id, for this phone. @throws ApiError
   * action_outcome_unknown when its outcome is unknown
   */
  function recordOf(who: DeviceCaller, installId: string) {
    const record = records.get(installId)
    if (!record || record.serial !== who.serial || record.phoneId !== who.phoneId) return null
    if (record.outcome?.kind === 'unknown') throw unknown(installId, record.package, record.uninstalled)
    return record
  }

  function waitForFinish(entry: Begun): void {
    if (entry.timer) clearTimeout(entry.timer)
    entry.timer = setTimeout(() => {
      const { files, id } = entry.request
      if (files.some(({ sha256 }) => cache.isComing(sha256))) return waitForFinish(entry)
      log.warn({ install: id }, 'an install was abandoned: its slot is free again')
      giveUp(entry, 'the install was not finished before the timeout')
    }, times.unfinished)
  }

  /**
   * Ends an install that does not run, and will not. Its record keeps that an app was
   * uninstalled for it.
   */
  function giveUp(entry: Begun, reason: string): void {
    if (entry.uninstalled) onPhone.save(entry, failed('phone_unavailable', reason), null)
    entry.end()
  }

  /** Records its outcome, even when it never reached the phone. */
  async function runToItsEnd(entry: Begun, who: DeviceCaller): Promise<Outcome> {
    try {
      await entry.prepared
      const outcome = await onPhone.run(entry, who)
      const record = records.get(entry.request.id)
      if (!record?.outcome) onPhone.save(entry, outcome, null)
      log.info({ install: entry.request.id, package: entry.request.package, outcome }, 'an install has ended')
      return outcome
    } finally {
      entry.end()
    }
  }

  return {
    async begin(who, request) {
      const held = gateOf(who.serial).fencing.hold(who)
      if (ownPackages.has(request.package)) {
        throw new ApiError('install_failed', {
          message: 'The app is part of the service and cannot be replaced.',
          details: { package: request.package },
        })
      }
      const ended = recordOf(who, request.id)
      const known = begun.get(request.id)
      if (ended && !known) return { missing: [], uninstalled: ended.uninstalled }
      if (known && !isSame(known, who, request)) {
        throw new ApiError('validation_failed', {
          message: 'The install ID is already used for another install.',
        })
      }
      const entry = known ?? enter(who, request, held)
      await entry.prepared
      const missing = request.files.filter((file) => cache.pathOf(file) === null).map(({ sha256 }) => sha256)
      return { missing: [...new Set(missing)], uninstalled: entry.uninstalled }
    },

    put: (file, chunks, progress) => cache.put(file, chunks, progress),

    async finish(who, installId) {
      gateOf(who.serial).fencing.hold(who)
      const entry = begun.get(installId)
      if (entry && entry.who.phoneId === who.phoneId && entry.who.serial === who.serial) {
        if (entry.timer) clearTimeout(entry.timer)
        entry.timer = null
        entry.running ??= runToItsEnd(entry, who)
        const outcome = await entry.running
        if (outcome.kind === 'unknown') throw unknown(installId, entry.request.package, entry.uninstalled)
        return answerOf(outcome, entry.before !== null)
      }
      const record = recordOf(who, installId)
      if (record?.outcome?.kind === 'answered') return answerOf(record.outcome, record.wasInstalled)
      throw new ApiError('phone_unavailable', {
        message: 'This install was not started on this host, or it timed out. Nothing was installed.',
        details: { install: installId },
      })
    },

    async stop() {
      const entries = [...begun.values()]
      stopping.abort()
      await Promise.allSettled(entries.map(({ prepared, running }) => running ?? prepared))
      for (const entry of entries)
        if (begun.get(entry.request.id) === entry) giveUp(entry, 'the agent stopped before the install')
    },
  }

  /** Takes slot and files, and starts to prepare. @throws ApiError install_in_progress */
  function enter(who: DeviceCaller, request: BeginRequest, held: AbortSignal): Begun {
    const own = slotsOf(who.serial)
    const busy = own.take(request.id, request.package)
    if (busy) {
      throw new ApiError('install_in_progress', {
        retryable: true,
        details: { package: busy.busyWith },
      })
    }
    const release = cache.hold(request.files)
    const onFenced = () => {
      // A running install is aborted separately and ends itself.
      if (!entry.running) giveUp(entry, 'the phone was parked or assigned again before the install')
    }
    const entry: Begun = {
      who,
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
        own.release(request.id)
        if (begun.get(request.id) === entry) begun.delete(request.id)
      },
    }
    begun.set(request.id, entry)
    const forget = onAbort(held, onFenced)
    entry.prepared = onPhone.prepare(entry).then(
      () => {
        if (begun.get(request.id) === entry && !entry.running) waitForFinish(entry)
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
  // Other reasons are for the log: they may name the host's devices.
  reason: outcome.errorCode === 'install_failed' ? outcome.reason : '',
  wasInstalled,
})

function isSame(entry: Begun, who: DeviceCaller, request: BeginRequest): boolean {
  const of = ({ serial, phoneId }: DeviceCaller, { files, ...rest }: BeginRequest) =>
    JSON.stringify([serial, phoneId, { ...rest }, files.map(({ sha256, size }) => [sha256, size])])
  return of(entry.who, entry.request) === of(who, request)
}
