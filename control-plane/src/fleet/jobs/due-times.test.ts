/**
 * Every expiry and reset, tested one millisecond before its time and at its time. The application's clock is
 * fixed, and the test calls the timers directly.
 */
import { ApiError, hashSecret, newId } from '@phonerack/shared'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { minuteStart } from '../../rental/billing/calendar.js'
import { countLifecycleRequest } from '../../rental/billing/lifecycle-limit.js'
import { inTransaction } from '../../base/db/database.js'
import { writableTarget } from '../../rental/phones/target.js'
import { createKeyService } from '../../rental/keys/service.js'
import { createHandoffService } from '../../phone-io/handoffs/service.js'
import { takeControl } from '../../phone-io/live/control.js'
import { createLiveService } from '../../phone-io/live/links.js'
import { readLink, standingOf } from '../../phone-io/live/standing.js'
import { createCheckoutService } from '../../rental/payments/checkout.js'
import { createSetupService } from '../../people/setup/service.js'
import { Fuse } from '../../testing/cut-process.js'
import { runDueJobs } from '../../testing/jobs-by-hand.js'
import { brokenInvariants } from '../../testing/money.js'
import { openStage, type Process, type Stage } from '../../testing/stage.js'
import { createBody, refusalOf, useWorld, type Tenant } from '../../testing/world.js'
import { forget } from './reconcile.js'
import { createKey } from '../../testing/operator.js'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
const world = useWorld()
let stage: Stage
let process: Process
let tenant: Tenant

beforeAll(async () => {
  stage = await openStage(world)
})
beforeEach(async () => {
  stage.time += day
  process = stage.boot(new Fuse(null))
  tenant = await stage.plane.tenant()
  await stage.hearHosts(process)
})

/** Returns the results of `read` one millisecond before a time, and at that time. */
async function around<T>(due: number, read: () => Promise<T>): Promise<[T, T]> {
  stage.time = due - 1
  const before = await read()
  stage.time = due
  return [before, await read()]
}

const run = () => runDueJobs(process.core.db, process.tasks, stage.now)
async function phone(change: Parameters<typeof createBody>[0] = {}): Promise<string> {
  const { phone: made } = await process.phones.create(tenant.caller, createBody(change), null)
  await run()
  return made.id
}
const statusNow = (id: string) => async () => {
  await stage.hearHosts(process)
  await run()
  return (await process.phones.get(tenant.caller, id)).status
}
async function remove(id: string): Promise<void> {
  await stage.hearHosts(process)
  await process.phones.delete(tenant.caller, id)
  await run()
}
const parksAt = async (id: string): Promise<number> =>
  (await process.phones.get(tenant.caller, id)).session?.parksAt.getTime() ?? Number.NaN

describe('a phone', () => {
  it('parks when its idle time is over, and when its duration is', async () => {
    const idle = await phone({ idleTimeout: 60, maxDuration: 600 })
    const long = await phone({ idleTimeout: 600, maxDuration: 300 })
    const start = stage.time
    expect([await parksAt(idle), await parksAt(long)]).toEqual([start + minute, start + 5 * minute])
    expect(await around(start + minute, statusNow(idle))).toEqual(['ready', 'parked'])
    expect(await around(start + 5 * minute, statusNow(long))).toEqual(['ready', 'parked'])
    for (const id of [idle, long]) await remove(id)
  })

  it('deletes itself when its idle time is over, if it was created with that option', async () => {
    const id = await phone({ idleTimeout: 60, maxDuration: 600, onIdle: 'delete' })
    expect(await around(stage.time + minute, statusNow(id))).toEqual(['ready', 'deleted'])
    const [session] = (await process.phones.sessions(tenant.caller, id, { limit: 1, cursor: null })).data
    expect(session?.endReason).toBe('idle')
    const late = await phone({ idleTimeout: 60, onIdle: 'delete' })
    stage.time += minute
    // No job has noticed yet that the phone's session is over.
    const start = process.phones.start(tenant.caller, late, { idleTimeout: null, maxDuration: null })
    expect(await refusalOf(start)).toBe('phone_deleted')
    await run()
  })

  it('is deleted a day after the notice when nobody starts it, and never by default', async () => {
    const { core, phones } = process
    const park = async (each: string) => {
      await phones.park(tenant.caller, each)
      await run()
    }
    const [id, started] = [await phone(), await phone()]
    await park(id)
    await park(started)
    const parkedAt = stage.time
    /**
     * Runs the hourly job with a time to live in days. Returns the phone's status, and the days until its
     * deletion.
     */
    const look = (each: string, days: number | null) => async () => {
      await forget({ ...core, rules: { ...core.rules, parkedTtlMs: days === null ? null : days * day } })
      const status = await statusNow(each)()
      const { deletesAt } = await core.db.phone.findUniqueOrThrow({ where: { id: each } })
      return [status, deletesAt && (deletesAt.getTime() - parkedAt) / day]
    }
    expect(await around(parkedAt + 29 * day, look(id, 30))).toEqual([
      ['parked', null],
      ['parked', 30],
    ])
    expect(await look(started, 30)()).toEqual(['parked', 30])
    await phones.start(tenant.caller, started, { idleTimeout: null, maxDuration: null })
    await run()
    await park(started)
    expect(await around(parkedAt + 30 * day, look(id, 30))).toEqual([
      ['parked', 30],
      ['deleted', null],
    ])
    expect((await phones.get(tenant.caller, id)).failure).toEqual({
      code: 'phone_deleted',
      at: stage.now(),
      message: 'The phone was deleted because it had not been started for 30 days.',
    })

    // The notice comes a day before the deletion, even when the time to live is lowered. Without a time to
    // live, no phone is deleted.
    expect(await look(started, 1)()).toEqual(['parked', 31])
    expect(await look(started, null)()).toEqual(['parked', null])
    expect(await look(started, 1)()).toEqual(['parked', 31])
    expect(await around(parkedAt + 31 * day, look(started, 1))).toEqual([
      ['parked', 31],
      ['deleted', null],
    ])
    const kept = await phone()
    await park(kept)
    // While the phone's device is in maintenance, the project cannot start the phone: the notice is repeated,
    // and the phone is kept.
    const inMaintenance = (at: Date | null) =>
      core.db.device.updateMany({
        where: { phoneId: kept },
        data: { maintenanceAt: at, maintenanceNote: at && 'a new battery' },
      })
    stage.time += day
    await look(kept, 1)()
    await inMaintenance(stage.now())
    stage.time += 2 * day
    expect(await look(kept, 1)()).toEqual(['parked', null])
    await inMaintenance(null)
    expect(await look(kept, 1)()).toEqual(['parked', (stage.time + day - parkedAt) / day])
    stage.time += 1000 * day
    expect(await look(kept, null)()).toEqual(['parked', null])
    await remove(kept)
  })

  it('fails when it is not ready in three minutes after a create, parks when it is not in two after a start', async () => {
    for (const device of stage.agent.devices.values())
      device.onStart = () => Promise.reject(new ApiError('phone_unavailable'))
    const never = await phone()
    expect(await around(stage.time + 3 * minute, statusNow(never))).toEqual(['creating', 'failed'])
    for (const device of stage.agent.devices.values()) delete device.onStart
    await run()
    const made = await phone()
    await process.phones.park(tenant.caller, made)
    await run()
    for (const device of stage.agent.devices.values())
      device.onStart = () => Promise.reject(new ApiError('phone_unavailable'))
    await process.phones.start(tenant.caller, made, { idleTimeout: null, maxDuration: null })
    expect(await around(stage.time + 2 * minute, statusNow(made))).toEqual(['starting', 'parked'])
    for (const device of stage.agent.devices.values()) delete device.onStart
    await remove(made)
  })

  it('is lost when its host was silent for more than 30 seconds, and for good after a day', async () => {
    const id = await phone({ idleTimeout: 3600, maxDuration: 3600 })
    const heard = stage.time
    stage.isSilent = true
    expect(await around(heard + 30_001, statusNow(id))).toEqual(['ready', 'unavailable'])
    const [session] = (await process.phones.sessions(tenant.caller, id, { limit: 1, cursor: null })).data
    expect(session?.endedAt?.getTime()).toBe(heard)
    expect(await around(heard + day + 1, statusNow(id))).toEqual(['unavailable', 'failed'])
    stage.isSilent = false
    await stage.hearHosts(process)
    await process.core.db.device.updateMany({ where: { state: 'quarantined' }, data: { state: 'free' } })
  })

  it('can be rebooted again after ten minutes, reset again after one', async () => {
    const id = await phone({ idleTimeout: 3600, maxDuration: 3600 })
    for (const [what, every] of [
      ['reboot', 10 * minute],
      ['reset', minute],
    ] as const) {
      const again = async () => {
        await stage.hearHosts(process)
        const refusal = await refusalOf(process.power[what](tenant.caller, id, context))
        await run()
        return refusal
      }
      expect(await again()).toBeNull()
      expect(await around(stage.time + every, again)).toEqual(['rate_limited', null])
    }
    await remove(id)
  })

  it('is visible through a live link until the link expires', async () => {
    const id = await phone({ idleTimeout: 3600, maxDuration: 3600 })
    const { core } = process
    const live = createLiveService(core, stage.plane.app.hosts, 'http://localhost')
    const { url } = await live.createLink(tenant.caller, id, { expiresIn: 60, control: false })
    const hash = hashSecret(url.slice(url.indexOf('#') + 1))
    const look = async () => {
      await stage.hearHosts(process)
      const row = await readLink(core.db, hash, core.clock.now())
      return row && Object.keys(standingOf(row, stage.now(), core.rules))[0]
    }
    expect(await around(stage.time + minute, look)).toEqual(['place', 'closing'])
    await remove(id)
  })

  it('is controlled by the person who took control until the hand-over expires [27.10]', async () => {
    const id = await phone({ idleTimeout: 3600, maxDuration: 3600 })
    const { core } = process
    const { hosts } = stage.plane.app
    const handoffs = createHandoffService(core, hosts, {
      baseUrl: 'http://localhost',
      consoleOrigin: 'http://localhost',
    })
    const { handoff } = await handoffs.create(tenant.caller, id, { message: 'a', expiresIn: 60 })
    expect(await takeControl(core, handoff.id)).toBe(true)
    const look = async () => {
      await stage.hearHosts(process)
      const { status } = await handoffs.get(tenant.caller, id, handoff.id)
      return [status, await refusalOf(writableTarget(core, hosts, tenant.caller, id))]
    }
    expect(await around(stage.time + minute, look)).toEqual([
      ['taken', 'phone_controlled'],
      ['expired', null],
    ])
    await remove(id)
  })
})

it('an idempotency key replays for 24 hours, and is then deleted', async () => {
  const { phones, core } = process
  const idempotency = { key: 'a-key-of-24-hours', bodyHash: 'the same' }
  const create = async () => {
    await stage.hearHosts(process)
    const { phone: made, replayed } = await phones.create(tenant.caller, createBody(), idempotency)
    await run()
    if (!replayed) await remove(made.id)
    return replayed
  }
  const rows = async () => {
    await forget(core)
    return core.db.idempotencyKey.count({ where: { projectId: tenant.projectId } })
  }
  expect(await create()).toBe(false)
  expect(await around(stage.time + day, create)).toEqual([true, false])
  expect(await around(stage.time + day + 1, rows)).toEqual([1, 0])
})

it('a key works until it expires', async () => {
  const keys = createKeyService(process.core)
  try {
    const { key, id } = await createKey(process.core, {
      project: tenant.projectId,
      preset: 'agent',
      expires: '30d',
    })
    const { expiresAt } = await process.core.db.apiKey.findUniqueOrThrow({ where: { id } })
    expect(expiresAt?.getTime()).toBe(stage.time + 30 * day)
    const look = () => refusalOf(keys.authenticate(key))
    expect(await around(stage.time + 30 * day, look)).toEqual([null, 'key_expired'])
  } finally {
    await keys.close()
  }
})

it('a setup waits for 15 minutes, and its row is kept for 15 more, or for a day after a decision', async () => {
  const setup = createSetupService(process.core)
  const { token } = await setup.create({ client: null, address: '127.0.0.1' })
  const end = stage.time + 15 * minute
  const from = { address: '127.0.0.1', requestId: newId('request') }
  const collect = () => refusalOf(setup.collect(token, from))
  expect(await around(end, collect)).toEqual([null, 'setup_expired'])
  const kept = async () => {
    await forget(process.core)
    return refusalOf(setup.collect(token, from))
  }
  expect(await around(end + 15 * minute + 1, kept)).toEqual(['setup_expired', 'not_found'])

  const denied = await setup.create({ client: null, address: '127.0.0.1' })
  const tokenHash = hashSecret(denied.token)
  const { expiresAt } = await process.core.db.setup.update({
    where: { tokenHash },
    data: { status: 'denied' },
  })
  const remembered = async () => {
    await forget(process.core)
    return refusalOf(setup.collect(denied.token, from))
  }
  expect(await around(expiresAt.getTime() + day + 1, remembered)).toEqual(['setup_denied', 'not_found'])
})

it('activity and ended installs are kept for 30 days', async () => {
  const { db } = process.core
  const [at, { projectId }] = [stage.now(), tenant]
  const id = await phone()
  await remove(id)
  const common = { keyId: 'key', requestId: 'req_aaaaaaaaaaaa', status: 200, ms: 1, summary: {} }
  await db.activity.create({ data: { ...common, projectId, at, method: 'POST', route: '/v1/phones' } })
  await db.install.create({
    data: {
      id: `ins_due_${projectId}`,
      phoneId: id,
      fencingNumber: 1n,
      requestId: '',
      package: 'org.example',
      versionCode: 1n,
      files: [],
      status: 'succeeded',
      startedAt: at,
      updatedAt: at,
    },
  })
  const rows = async () => {
    await forget(process.core)
    return [
      await db.activity.count({ where: { projectId } }),
      await db.install.count({ where: { phoneId: id } }),
    ]
  }
  expect(await around(at.getTime() + 30 * day + 1, rows)).toEqual([
    [1, 1],
    [0, 0],
  ])
})

it('sessions and deleted phones are kept for 400 days, the last session of another phone and the ledger for ever', async () => {
  const { core, phones } = process
  const { db } = core
  const [gone, kept] = [await phone(), await phone()]
  await remove(gone)
  const park = async () => {
    await phones.park(tenant.caller, kept)
    await run()
  }
  await park()
  await phones.start(tenant.caller, kept, { idleTimeout: null, maxDuration: null })
  await run()
  await park()
  const at = stage.time
  const money = async () => ({
    ledger: await db.ledgerEntry.count({ where: { projectId: tenant.projectId } }),
    months: await db.projectMonth.findMany({ where: { projectId: tenant.projectId } }),
  })
  const before = await money()
  expect(before.ledger).toBe(1 + 3 * 3)
  const rows = async () => {
    await forget(core)
    return [
      await db.session.count({ where: { phoneId: gone } }),
      await db.phone.count({ where: { id: gone } }),
      await db.session.count({ where: { phoneId: kept } }),
    ]
  }
  expect(await around(at + 400 * day + 1, rows)).toEqual([
    [1, 1, 2],
    [0, 0, 1],
  ])
  expect(await money()).toEqual(before)
  expect(await brokenInvariants(db)).toEqual([])
  expect(await statusNow(kept)()).toBe('parked')
  await remove(kept)
})

it('ten checkout links are allowed in any hour', async () => {
  // Replaces only the payment provider.
  const payments = {
    createPage: () => Promise.resolve('https://pay.example'),
    receiptOf: () => Promise.resolve(null),
    reportIn: () => null,
  }
  const checkout = createCheckoutService(process.core, payments, 'http://localhost')
  const create = () => refusalOf(checkout.create(tenant.caller, 10))
  const first = stage.time
  for (let link = 0; link < 10; link += 1) {
    expect(await create()).toBeNull()
    stage.time += minute
  }
  expect(await around(first + hour, create)).toEqual(['rate_limited', null])
  expect(await around(first + hour + minute, create)).toEqual(['rate_limited', null])
})

it('the lifecycle limit resets each minute', async () => {
  const count = () =>
    inTransaction(process.core.db, (tx) =>
      countLifecycleRequest(tx, { projectId: tenant.projectId, limit: 1, now: stage.now() }, false),
    )
  expect(await count()).toBeNull()
  expect(await around(minuteStart(stage.now()).getTime() + minute, count)).toEqual([1, null])
})
