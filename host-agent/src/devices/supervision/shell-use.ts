/**
 * The use of one phone's shell by tenants: whether it is allowed, restarts that commands caused, the host's mark after a command, and
 * the processes that commands left. Used by `supervisor.ts`. docs/decisions/0320
 */
import { ApiError, DeadlineExceeded, limits, Progress, type Logger } from '@phonerack/shared'
import type { Power } from '../../adb/device/device.js'
import type { Shell } from '../../adb/device/shell.js'
import type { Transport } from '../../adb/transport.js'
import type { ShellRecord } from '../../custody/records.js'
import { bootId } from '../../phone/shell/boot-id.js'
import { endProcesses, strays } from '../../phone/shell/processes.js'
import { kindOf, type PhoneKind } from './kinds.js'
import type { DeviceIdentity } from './identify.js'
import type { PhoneTie } from './phone-tie.js'
import type { RecordFields } from './record-fields.js'

/**
 * Milliseconds. `end`: for ending the processes of a session. `mark`: for restoring the mark, for which a lifecycle
 * call waits.
 */
const times = { end: 20_000, mark: 3000 }

export interface ShellUseParts {
  /** The kinds of phones that the operator allows. */
  kinds: readonly PhoneKind[]
  known: () => DeviceIdentity | null
  tie: Pick<PhoneTie, 'restoreMark'>
  record: RecordFields['shell']
  log: Logger
  /** Milliseconds, on the clock of the record. */
  now?: () => number
}

export class ShellUse {
  private readonly now: () => number

  constructor(private readonly parts: ShellUseParts) {
    this.now = parts.now ?? Date.now
  }

  /** Returns the shell of a phone for tenants. */
  guarded(transport: Transport, shell: Pick<Shell, 'run'>): Shell {
    return {
      admit: (progress) => this.admit(transport, progress),
      run: async (request, progress) => {
        try {
          return await shell.run(request, progress)
        } finally {
          await this.keepMark(transport)
        }
      },
    }
  }

  /** Controls a phone's power. Its restarts share one limit with restarts that commands cause. */
  limited(transport: Transport, power: Power): Power {
    return {
      ...power,
      reboot: async (progress) => {
        const { record } = this.parts
        if (record.get()) {
          const seen = await this.noteRestart(transport, progress)
          record.set({ ...seen, orderedOn: seen.bootId })
        }
        await power.reboot(progress)
      },
    }
  }

  /** Ends the processes that commands left. Returns `left` when some processes remain, or may remain. */
  async end(transport: Transport, progress: Progress): Promise<'none' | 'ended' | 'left'> {
    const { record } = this.parts
    const used = record.get()
    if (!used?.mayHaveLeft) return 'none'
    // No process of the shell outlives a restart. A phone that cannot start another process cannot print its boot ID.
    const boot = await bootId(transport, progress)
    const isSameBoot = boot === null || boot === used.bootId
    const isEnded = !isSameBoot || (await this.endStrays(transport, progress))
    if (isEnded) record.set({ ...used, mayHaveLeft: false })
    if (!isSameBoot) return 'none'
    return isEnded ? 'ended' : 'left'
  }

  /**
   * Ends the processes. Returns false when some remain, or when the phone cannot list them, for example because there
   * are too many. @throws DeviceGone
   */
  private async endStrays(transport: Transport, progress: Progress): Promise<boolean> {
    try {
      return await endProcesses(transport, strays, progress.within(times.end))
    } catch (error) {
      const isUnlisted = error instanceof ApiError || error instanceof DeadlineExceeded
      if (!isUnlisted || progress.expired) throw error
      this.parts.log.warn({ err: error }, 'the processes of a tenant could not be listed')
      return false
    }
  }

  private async admit(transport: Transport, progress: Progress): Promise<void> {
    const { kinds, known, record } = this.parts
    const kind = kindOf(known()?.hardware ?? null)
    if (!kinds.includes(kind))
      throw new ApiError('shell_not_allowed', {
        message: `The operator of the host does not allow shell commands on phones of the kind \`${kind}\`.`,
        details: { kind },
      })
    record.set({ ...(await this.noteRestart(transport, progress)), mayHaveLeft: true })
  }

  /** Returns the record for the current boot. @throws ApiError rate_limited after a restart that the API did not order */
  private async noteRestart(transport: Transport, progress: Progress): Promise<ShellRecord> {
    const { record } = this.parts
    const boot = await bootId(transport, progress)
    if (boot === null)
      throw new ApiError('provider_error', { message: 'The phone does not report the ID of its boot.' })
    const before = record.get()
    const isExpected = !before || before.bootId === boot || before.orderedOn === before.bootId
    const restartedAt = isExpected ? (before?.restartedAt ?? null) : new Date(this.now()).toISOString()
    const seen = { bootId: boot, orderedOn: null, restartedAt, mayHaveLeft: before?.mayHaveLeft ?? false }
    record.set(seen)
    const waitMs = restartedAt === null ? 0 : Date.parse(restartedAt) + limits.rebootEvery * 1000 - this.now()
    if (waitMs <= 0) return seen
    throw new ApiError('rate_limited', {
      message:
        'The phone restarted after a shell command. Until the minimum interval between reboots has passed, the phone accepts neither shell commands nor reboots.',
      details: { retry_after_seconds: Math.ceil(waitMs / 1000) },
    })
  }

  /**
   * Restores the mark after a command, which may have removed it, even when the command was aborted. A failure shows in
   * the next check of the phone: without its mark, the phone can only be wiped.
   */
  private async keepMark(transport: Transport): Promise<void> {
    const { record, tie, log } = this.parts
    const used = record.get()
    if (!used) return
    try {
      await tie.restoreMark(transport, used.bootId, Progress.for(times.mark))
    } catch (error) {
      log.info({ err: error }, "the host's mark could not be checked after a shell command")
    }
  }
}
