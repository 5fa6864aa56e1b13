/**
 * Records activity, which keeps a ready phone from its idle timeout. Requests write it at most once
 * per accuracy (15 s).
 */
import { Prisma } from '../../gen/prisma/client.js'
import { inRawTenantTransaction } from '../../base/core/tenant-transaction.js'
import { permitted } from './access.js'
import { runningConflict } from './conflicts.js'
import { type Core } from '../../base/core/core.js'
import { lockRunningPhone, readPhone, viewOf } from './records.js'
import { scheduleDue } from './start.js'
import { type Caller } from '../../base/core/caller.js'
import { type PhoneView } from './types.js'

/** Phones whose last write is kept in memory. Evicting the oldest phone costs one extra write. */
const rememberedPhones = 50_000

/** Requests that can only read do not keep a phone awake. */
const onlyReads = ({ preset, profile }: Pick<Caller, 'preset' | 'profile'>): boolean =>
  preset === 'read-only' || profile === 'read-only'

export class Activity {
  private readonly lastWrite = new Map<string, number>()
  private readonly timers = new Set<NodeJS.Timeout>()

  constructor(private readonly core: Core) {}

  /** Records that a request addressed the phone. */
  async touch(caller: Omit<Caller, 'ownerId'>, phoneId: string): Promise<void> {
    if (onlyReads(caller)) return
    const now = this.core.clock.now()
    const last = this.lastWrite.get(nameOf(caller, phoneId))
    if (last !== undefined && now.getTime() - last < this.core.rules.activityAccuracyMs) return
    await this.write(caller, phoneId, now)
  }

  /**
   * Writes the phone's activity periodically until the returned function is called, which writes once more.
   */
  hold(caller: Caller, phoneId: string): () => void {
    if (onlyReads(caller)) return () => undefined
    const write = (): void => {
      const now = this.core.clock.now()
      this.write(caller, phoneId, now).catch((error: unknown) => {
        this.core.log.warn({ err: error, phone: phoneId }, 'could not record activity')
      })
    }
    const began = this.core.clock.now().getTime()
    const timer = setInterval(write, this.core.rules.activityAccuracyMs)
    timer.unref()
    this.timers.add(timer)
    return () => {
      if (!this.timers.delete(timer)) return
      clearInterval(timer)
      // The write at the start of a short request covers the whole request.
      if (this.core.clock.now().getTime() - began >= 1000) write()
    }
  }

  /** Handles a client's heartbeat, which is always written while the phone is ready. */
  async heartbeat(caller: Caller, phoneId: string): Promise<PhoneView> {
    const { core } = this
    permitted(caller, phoneId, await readPhone(core.read, phoneId))
    const view = await inRawTenantTransaction(core, caller, async (tx) => {
      const phone = permitted(caller, phoneId, await lockRunningPhone(tx, phoneId, 'phone'))
      const conflict = runningConflict(phoneId, phone.status)
      if (conflict) throw conflict
      if (phone.status !== 'ready' || !phone.session) return viewOf(phone)
      const now = core.clock.now()
      const after = { ...phone, lastActiveAt: now }
      await tx.$executeRaw`update phones set last_active_at = ${now} where id = ${phoneId}`
      await scheduleDue(tx, after, phone.session)
      return viewOf(after)
    })
    core.changes.publish(phoneId)
    return view
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer)
    this.timers.clear()
  }

  private remember(name: string, at: number): void {
    this.lastWrite.delete(name)
    this.lastWrite.set(name, at)
    if (this.lastWrite.size <= rememberedPhones) return
    const oldest = this.lastWrite.keys().next()
    if (!oldest.done) this.lastWrite.delete(oldest.value)
  }

  /** The statement writes nothing for a phone that the caller must not use. */
  private async write(caller: Omit<Caller, 'ownerId'>, phoneId: string, now: Date): Promise<void> {
    if (caller.phoneIds !== null && !caller.phoneIds.includes(phoneId)) return
    const name = nameOf(caller, phoneId)
    this.remember(name, now.getTime())
    try {
      await this.core.read(Prisma.sql`update phones set last_active_at = ${now}
        where id = ${phoneId} and project_id = ${caller.projectId} and status = 'ready' and last_active_at < ${now}`)
    } catch (error) {
      // Forget the failed write, so that the next request writes immediately instead of after the accuracy
      // interval.
      this.lastWrite.delete(name)
      throw error
    }
  }
}

/**
 * The key includes the caller's project, so that requests from other projects cannot suppress the owner's
 * writes.
 */
const nameOf = (caller: Pick<Caller, 'projectId'>, phoneId: string): string =>
  `${caller.projectId} ${phoneId}`
