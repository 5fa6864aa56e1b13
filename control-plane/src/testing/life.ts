/**
 * A random lifecycle of a project and its phones, run step by step on a stage. Used by
 * `billing/money-lives.test.ts`.
 */
import { ApiError, formatUsd } from '@phonerack/shared'
import { reconcile } from '../fleet/jobs/reconcile.js'
import { Fuse, ProcessCut } from './cut-process.js'
import { type Opening, type Step } from './life-steps.js'
import { runDueJobs, unlockJobs } from './jobs-by-hand.js'
import { brokenInvariants } from './money.js'
import {
  fundsOf,
  longestPaid,
  readMoney,
  runningPastTheirTime,
  verdictOn,
  wrongMoney,
  type Funds,
} from './money-oracle.js'
import { devices, type Process, type Stage } from './stage.js'
import { createBody, type Tenant } from './world.js'
import { changeProject, releaseHeldDevice, setPaused } from './operator.js'

const request = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
const minute = 60_000
/** Results of starts and wipes. */
const lucks = ['good', 'good', 'busy', 'bad', 'unclean'] as const

export class Life {
  cuts = 0
  /** The count of each outcome. */
  readonly outcomes: Record<string, number> = {}
  private readonly phoneIds: string[] = []
  private isSettled = true
  private disagreements: string[] = []
  private plays = 0
  /** A freeze or pause was ordered, and may have taken effect. */
  private isHalted = false

  private constructor(
    private readonly stage: Stage,
    private readonly tenant: Tenant,
  ) {}

  static async begin(stage: Stage, { fromTurn, creditMicros, spendLimitMicros }: Opening): Promise<Life> {
    stage.months += 2
    stage.time = Date.UTC(2031, stage.months, 1) + fromTurn
    await stage.hearHosts(stage.boot(new Fuse(null)))
    const tenant = await stage.plane.tenant({
      credit: formatUsd(creditMicros),
      spendLimit: formatUsd(spendLimitMicros),
      maxRunning: devices,
    })
    return new Life(stage, tenant)
  }

  private get db() {
    return this.stage.plane.app.core.db
  }

  /** Runs the step in a process that may be cut. After a cut, another process continues from the database. */
  async live(step: Step): Promise<void> {
    // Without this reset, most steps would be refused.
    if (step.which > 0 && this.isHalted) await this.lift()
    this.isSettled = false
    this.plays += 1
    try {
      await this.play(this.stage.boot(new Fuse(step.cut)), step)
    } catch (error) {
      if (!(error instanceof ProcessCut)) throw error
      this.cuts += 1
      await unlockJobs(this.db)
      const next = this.stage.boot(new Fuse(null))
      // A client that lost the response to a create repeats the create with the same key. Other requests are
      // not repeated.
      if (step.what === 'create') await this.play(next, step)
      else await this.settle(next, step)
    }
  }

  private async lift(): Promise<void> {
    this.isHalted = false
    const { core } = this.stage.boot(new Fuse(null))
    await setPaused(core, false)
    await changeProject(core, this.tenant.projectId, { frozen: false })
  }

  private async play(process: Process, step: Step): Promise<void> {
    try {
      await this.act(process, step)
      this.note(step.what)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.note(`${step.what}: ${error.code}`)
    }
    await this.settle(process, step)
    // The client does not get this response either.
    process.fuse.pass()
  }

  private async settle(process: Process, { isLate }: Step): Promise<void> {
    if (isLate) return
    await runDueJobs(process.core.db, process.tasks, this.stage.now)
    this.isSettled = true
  }

  private note(what: string): void {
    this.outcomes[what] = (this.outcomes[what] ?? 0) + 1
  }

  private async act(process: Process, step: Step): Promise<void> {
    const { stage, tenant } = this
    const { core, phones, power } = process
    const { caller, projectId } = tenant
    const { what, which, seconds, idleTimeout } = step
    const serial = [...stage.agent.devices.keys()][which % devices] ?? ''
    const id = this.phoneIds[which % Math.max(1, this.phoneIds.length)]
    switch (what) {
      case 'create':
        return this.create(process, step, seconds, `life-key-${this.plays}`)
      case 'wait':
        stage.time += step.ms
        return stage.hearHosts(process)
      case 'freeze or thaw': {
        this.isHalted = true
        const { frozenAt } = await this.db.project.findUniqueOrThrow({ where: { id: projectId } })
        await changeProject(core, projectId, { frozen: frozenAt === null })
        return
      }
      case 'pause or resume': {
        this.isHalted = true
        const { pausedAt } = await this.db.serviceState.findUniqueOrThrow({ where: { id: 1 } })
        await setPaused(core, pausedAt === null)
        return
      }
      case 'spend limit':
        await changeProject(core, projectId, { spend_limit_usd: formatUsd(BigInt(step.ms)) })
        return
      case 'credit':
        await changeProject(core, projectId, { credit_usd: formatUsd(BigInt(step.ms)) })
        return
      case 'silence or hear host':
        stage.isSilent = !stage.isSilent
        return stage.hearHosts(process)
      case 'lose or find device':
        if (!stage.gone.delete(serial)) stage.gone.add(serial)
        return stage.hearHosts(process)
      case 'change luck':
        return this.changeLuck(lucks[(which + step.ms) % lucks.length] ?? 'good')
      case 'release device':
        await releaseHeldDevice(core, serial, step.ms % 2 === 0)
        return
      case 'reconcile':
        return reconcile(core)
    }
    if (id === undefined) return
    if (what === 'start') return this.start(process, step, id, { idleTimeout, maxDuration: seconds })
    if (what === 'reboot' || what === 'reset') await power[what](caller, id, request)
    else await phones[what](caller, id)
  }

  private async create(process: Process, step: Step, asked: number | null, key: string): Promise<void> {
    const { caller } = this.tenant
    const body = createBody({ idleTimeout: step.idleTimeout, maxDuration: asked })
    const refusal = await this.admission(asked, async () => {
      const { phone, replayed } = await process.phones.create(caller, body, { key, bodyHash: 'the same' })
      if (!this.phoneIds.includes(phone.id)) this.phoneIds.push(phone.id)
      return replayed
    })
    const affordable = Number(refusal?.details['max_affordable_seconds'] ?? 0)
    // Stop here: the same refusal is already counted, and would repeat forever.
    if (affordable === 0 || affordable === asked) return
    // The hint must be exact: its duration succeeds, and a longer duration does not.
    await this.create(process, step, affordable, `${key}-shorter`)
  }

  private async start(
    { phones }: Process,
    step: Step,
    id: string,
    input: { idleTimeout: number; maxDuration: number | null },
  ): Promise<void> {
    await this.admission(step.seconds, async () => {
      await phones.start(this.tenant.caller, id, input)
      return false
    })
  }

  /**
   * Compares the result of an admission with the result that the earlier credit allows. Returns the refusal
   * when money was its cause.
   */
  private async admission(asked: number | null, admit: () => Promise<boolean>): Promise<ApiError | null> {
    const before = await this.funds()
    const expected = verdictOn(before, asked)
    const disagree = (what: string): void =>
      void this.disagreements.push(
        `${what}; expected ${'code' in expected ? expected.code : expected.reserved}`,
      )
    try {
      if (await admit()) return null
      const reserved = (await this.funds()).reserved - before.reserved
      if ('code' in expected || expected.reserved !== reserved) disagree(`${asked} s reserved ${reserved}`)
      return null
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code !== 'insufficient_credits' && error.code !== 'spend_limit_reached') throw error
      this.note(error.code)
      if (!('code' in expected) || expected.code !== error.code) disagree(`${asked} s refused: ${error.code}`)
      const says = error.details['max_affordable_seconds']
      if (error.code === 'insufficient_credits' && says !== Number(longestPaid(before)))
        disagree(`affordable ${String(says)} of ${before.balance - before.reserved}`)
      return error
    }
  }

  private changeLuck(luck: (typeof lucks)[number]): void {
    for (const device of this.stage.agent.devices.values()) {
      delete device.onStart
      delete device.wipeChecks
      if (luck === 'busy') device.onStart = () => Promise.reject(new ApiError('phone_unavailable'))
      if (luck === 'bad') device.onStart = () => Promise.reject(new ApiError('provider_error'))
      if (luck === 'unclean')
        device.wipeChecks = [{ name: 'accounts', passed: false, evidence: 'one account is left' }]
    }
  }

  private async funds(): Promise<Funds> {
    return fundsOf(await readMoney(this.db, this.tenant.projectId), this.stage.now())
  }

  /** All violated invariants; empty when everything is correct. */
  async wrong(): Promise<string[]> {
    const money = await readMoney(this.db, this.tenant.projectId)
    const now = this.stage.now()
    return [
      ...this.disagreements,
      ...wrongMoney(money),
      ...(this.isSettled ? runningPastTheirTime(money, now) : []),
      ...(await this.wrongAccount(fundsOf(money, now))),
      ...(await brokenInvariants(this.db)),
    ]
  }

  /**
   * Every fourth step is enough to check the API's account, since the code that `admission` compares also
   * reads the account.
   */
  private async wrongAccount({ balance, reserved, spentThisMonth }: Funds): Promise<string[]> {
    if (this.plays % 4 > 0) return []
    const { phones } = this.stage.boot(new Fuse(null))
    const account = await phones.account(this.tenant.caller)
    const shown = `${account.balanceMicros} ${account.reservedMicros} ${account.spentThisMonthMicros}`
    const truth = `${balance} ${reserved} ${spentThisMonth}`
    return shown === truth ? [] : [`the account says ${shown} instead of ${truth}`]
  }

  /** Restores normal conditions: every phone is deleted, every device is free, and no credit is held. */
  async end(): Promise<void> {
    const { stage, db } = this
    const process = stage.boot(new Fuse(null))
    await unlockJobs(db)
    this.changeLuck('good')
    stage.isSilent = false
    stage.gone.clear()
    await this.lift()
    for (let round = 0; ; round += 1) {
      stage.time += minute
      await stage.hearHosts(process)
      for (const { id } of await db.phone.findMany({
        where: { projectId: this.tenant.projectId, status: { not: 'deleted' } },
      }))
        await process.phones.delete(this.tenant.caller, id)
      for (const { id } of await db.device.findMany({ where: { state: 'quarantined' } }))
        await releaseHeldDevice(process.core, id, false)
      await reconcile(process.core)
      await runDueJobs(process.core.db, process.tasks, stage.now)
      if ((await db.device.count({ where: { state: 'free' } })) === devices) break
      if (round > 20) throw new Error('the devices do not become free again')
    }
    process.phones.close()
    this.isSettled = true
    const { reserved } = await this.funds()
    if (reserved !== 0n) this.disagreements.push(`${reserved} is held without an open session`)
  }
}
