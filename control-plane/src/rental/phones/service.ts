/** Implements `PhoneService`. Each method has its own file in this folder. */
import { countPhones, readUsage } from '../billing/account.js'
import { inTenantTransaction } from '../../base/core/tenant-transaction.js'
import { activeCountries, namedCountries } from '../devices/countries.js'
import { permitted, phoneNotFound } from './access.js'
import { Activity } from './activity.js'
import { waitUntil } from '../../base/core/changes.js'
import { readinessConflict } from './conflicts.js'
import { type Core } from '../../base/core/core.js'
import { createPhone } from './create.js'
import { listPhones, listSessions } from './listing.js'
import { createPhoneReader, findPhone, lockPhone, viewOf } from './records.js'
import { startPhone } from './start.js'
import { deletePhone, parkPhone } from './stop.js'
import { type Caller } from '../../base/core/caller.js'
import { type AccountView, type PhoneService, type PhoneView } from './types.js'

export function createPhoneService(core: Core): PhoneService & { close(): void } {
  const activity = new Activity(core)
  const readPhone = createPhoneReader(core.read)
  const view = async (phoneId: string): Promise<PhoneView> => {
    const phone = await readPhone(phoneId)
    if (!phone) throw phoneNotFound(phoneId)
    return viewOf(phone)
  }
  return {
    create: (caller, input, idempotency) => createPhone(core, caller, input, idempotency),
    list: (caller, query) => listPhones(core, caller, query),
    get: async (caller, phoneId) => viewOf(permitted(caller, phoneId, await readPhone(phoneId))),
    update: (caller, phoneId, change) => updatePhone(core, caller, phoneId, change),
    delete: (caller, phoneId) => deletePhone(core, caller, phoneId),
    start: (caller, phoneId, input) => startPhone(core, caller, phoneId, input),
    park: (caller, phoneId) => parkPhone(core, caller, phoneId),
    heartbeat: (caller, phoneId) => activity.heartbeat(caller, phoneId),
    sessions: (caller, phoneId, query) => listSessions(core, caller, phoneId, query),
    wait: (phoneId, isSettled, timeoutMs, signal) =>
      waitUntil(core.changes, phoneId, { read: () => view(phoneId), isSettled }, timeoutMs, signal),
    touch: (caller, phoneId) => activity.touch(caller, phoneId),
    hold: (caller, phoneId) => activity.hold(caller, phoneId),
    account: (caller) => account(core, caller),
    close: () => activity.close(),
  }
}

async function updatePhone(
  core: Core,
  caller: Caller,
  phoneId: string,
  change: { name?: string; metadata?: Record<string, string> },
): Promise<PhoneView> {
  permitted(caller, phoneId, await findPhone(core.db, phoneId))
  const view = await inTenantTransaction(core, caller, async (tx) => {
    const phone = permitted(caller, phoneId, await lockPhone(tx, phoneId, 'phone'))
    const conflict = phone.status === 'deleted' ? readinessConflict(phoneId, phone.status) : null
    if (conflict) throw conflict
    await tx.phone.update({ where: { id: phoneId }, data: change })
    return viewOf({ ...phone, ...change })
  })
  core.changes.publish(phoneId)
  return view
}

async function account(core: Core, caller: Caller): Promise<AccountView> {
  const project = await core.db.project.findUniqueOrThrow({ where: { id: caller.projectId } })
  const usage = await readUsage(core.db, project, core.clock.now())
  const own = await countPhones(core.db, project.id, caller.phoneIds)
  return {
    project: project.name,
    balanceMicros: project.balanceMicros,
    reservedMicros: project.reservedMicros,
    spendLimitMicros: project.spendLimitMicros,
    spentThisMonthMicros: usage.spentThisMonthMicros,
    maxPhones: project.maxPhones,
    maxRunning: project.maxRunning,
    running: own.running,
    phones: own.phones,
    pricePerMinuteMicros: core.rules.perSecondMicros * 60n,
    minimumSeconds: core.rules.minimumSeconds,
    countries: namedCountries(await activeCountries(core.db)),
  }
}
