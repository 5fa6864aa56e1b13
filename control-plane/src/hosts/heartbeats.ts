/**
 * Folds the agents' heartbeats into the tables. Every replica receives every heartbeat. The first
 * to write it wins; for the others it is no longer newer.
 */
import {
  dialledAddress,
  newId,
  protocol,
  senderOfHeartbeat,
  subjects,
  type AgentOnBus,
  type Announce,
  type DeviceStatus,
  type Heartbeat,
} from '@phonerack/shared'
import { LRUCache } from 'lru-cache'
import { inTransaction, type Tx } from '../db/database.js'
import { Prisma } from '../gen/prisma/client.js'
import { readEpoch } from '../db/epoch.js'
import { judge, type CustodyRow } from '../devices/custody.js'
import { hostInReach } from '../devices/reach.js'
import { countHeartbeat } from '../metrics/instruments.js'
import { type Core } from '../core/core.js'
import { adopted, usesNext } from './certificates.js'
import { ClaimRests } from './claim-rests.js'
import { isLeftover, isUsedSince, noteClaim, noteLeftover, type Claim } from './claims.js'
import { settleReport } from './settle-device.js'
import { deviceChange, inOurTime, isNewer, newDevice, type KnownDevice, type KnownHost } from './fold.js'
import { lockChange, type LockActivity, type LockChange } from './lock-activity.js'
import { deviceRows, keepHost, Repeats } from './repeats.js'
import { type HostSilence } from './silence.js'
import { stoppingSince } from './stopping.js'
import { maxDevices, readHeartbeat, type ReadHeartbeat, type RefusedHeartbeat } from './read-heartbeat.js'

export interface Heartbeats {
  close(): Promise<void>
}

/** Agents from before their host's last rejoin. For `ttl` milliseconds their messages are dropped unread. */
const ignored = { max: 1000, ttl: 60_000 }

/**
 * @param silence notes each agent that was heard @param hosts knows retired ones, which are ignored
 * @param onDialled called for each heartbeat of an agent that opens tunnels
 */
export function listenToHosts(
  core: Core,
  silence: HostSilence,
  locks: LockActivity,
  hosts: { isRetired(hostId: string): boolean },
  onDialled: (agent: AgentOnBus) => void = () => undefined,
): Heartbeats {
  const folding = new Map<string, { next: { message: unknown } | null; done: Promise<void> }>()
  /** By subject. */
  const earlier = new LRUCache<string, true>(ignored)
  const repeats = new Repeats()
  const rests = new ClaimRests()

  /**
   * Processes one heartbeat at a time per agent, and of those that arrive in between only the
   * latest. The subject proves the agent, so an earlier agent of a host replaces no heartbeat of the
   * current one.
   */
  const enqueue = (message: unknown, subject: string): void => {
    if (earlier.has(subject) || hosts.isRetired(senderOfHeartbeat(subject).hostId)) return
    const current = folding.get(subject)
    if (current) {
      current.next = { message }
      return
    }
    const entry = { next: { message } as { message: unknown } | null, done: Promise.resolve() }
    folding.set(subject, entry)
    entry.done = (async () => {
      const agent = senderOfHeartbeat(subject)
      while (entry.next) {
        const { message: next } = entry.next
        entry.next = null
        try {
          const taken = await takeHeartbeat({ core, silence, locks, repeats, rests }, agent, next, subject)
          if (taken === 'earlier') earlier.set(subject, true)
          if (taken === 'dialled') onDialled(agent)
        } catch (error) {
          countHeartbeat('failed')
          core.log.warn({ err: error, host: agent.hostId }, 'could not apply a heartbeat')
        }
      }
      folding.delete(subject)
    })()
  }

  const subscriptions = subjects.heartbeats.map((subject) => core.bus.subscribe(subject, enqueue))
  const askAll = (): void => {
    announceAll(core).catch((error: unknown) =>
      core.log.warn({ err: error }, 'could not ask the hosts to announce themselves'),
    )
  }
  core.bus.onReconnect(askAll)
  askAll()
  return {
    async close() {
      for (const subscription of subscriptions) subscription.unsubscribe()
      await Promise.all([...folding.values()].map((entry) => entry.done))
    },
  }
}

/** Asks every host for a full report now. */
export async function announceAll(core: Core): Promise<void> {
  const epoch = await readEpoch(core.db)
  const hosts = await core.db.host.findMany({
    where: { retiredAt: null },
    select: { id: true, joinId: true },
  })
  for (const { id: hostId, joinId } of hosts) announce(core, { hostId, joinId }, epoch)
}

const announce = (core: Core, agent: AgentOnBus, epoch: string): void =>
  core.bus.publish(subjects.announce(agent), { epoch } satisfies Announce)

interface Listener {
  core: Core
  silence: HostSilence
  locks: LockActivity
  repeats: Repeats
  rests: ClaimRests
}

/** Returns `earlier` for a heartbeat of an earlier agent of the host, which it ignores. */
async function takeHeartbeat(
  { core, silence, locks, repeats, rests }: Listener,
  agent: AgentOnBus,
  message: unknown,
  subject: string,
): Promise<'earlier' | 'dialled' | 'direct'> {
  const repeated = repeats.match(subject, message)
  if (repeated) {
    silence.hear(agent, repeated.heartbeat.devices)
    const outcome = await keepHost(core, agent, repeated)
    if (outcome !== 'differs') {
      countHeartbeat(outcome === 'kept' ? 'applied' : outcome)
      await locks.take(core, [])
      return howReached(repeated.heartbeat)
    }
  }
  repeats.forget(subject)
  const read = readHeartbeat(message, agent.hostId)
  if ('refused' in read) {
    await noteRefusal(core, agent, read)
    return 'direct'
  }
  silence.hear(agent, read.heartbeat.devices)
  const { isCurrent, locks: changes, agreed } = await foldHeartbeat(core, agent, read.heartbeat, read, rests)
  if (agreed) repeats.remember(subject, message, read.heartbeat, agreed.rows)
  await locks.take(core, changes)
  return isCurrent ? howReached(read.heartbeat) : 'earlier'
}

const howReached = ({ address }: Heartbeat): 'dialled' | 'direct' =>
  address === dialledAddress ? 'dialled' : 'direct'

/** Ignores the heartbeat and notes the reason for the operator. */
async function noteRefusal(
  core: Core,
  { hostId, joinId }: AgentOnBus,
  { refused, protocolVersion }: RefusedHeartbeat,
): Promise<void> {
  countHeartbeat('refused')
  const { count } = await core.db.host.updateMany({
    where: { id: hostId, joinId, OR: [{ reportFault: null }, { reportFault: { not: refused } }] },
    data: { reportFault: refused, protocolVersion },
  })
  if (count > 0) core.log.error({ host: hostId, reason: refused }, 'refusing the heartbeats of a host')
}

type Faults = Pick<ReadHeartbeat, 'fault' | 'deviceFaults'>
const noFaults: Faults = { fault: null, deviceFaults: new Map() }

export interface FoldedHeartbeat {
  /** False: the host has joined again since this agent joined. */
  isCurrent: boolean
  /** Changes of screen locks. */
  locks: LockChange[]
  /** Set when everything in the heartbeat was read, and no device had to change: `deviceRows` before that. */
  agreed: { rows: string | null } | null
}

/**
 * Applies the heartbeat's changes, unless the host is unknown, retired, has another agent, or sent a
 * newer heartbeat.
 */
export async function foldHeartbeat(
  core: Core,
  agent: AgentOnBus,
  heartbeat: Heartbeat,
  faults = noFaults,
  rests = new ClaimRests(),
): Promise<FoldedHeartbeat> {
  const folded = await inTransaction(core.db, async (tx) => {
    const [host] = await tx.$queryRaw<KnownRow[]>`select current_epoch() as epoch, id, sequence,
        announced_at as "announcedAt", last_seen_at as "lastSeenAt", retired_at as "retiredAt",
        report_fault as "reportFault", certificate_fingerprint as "certificateFingerprint", join_id as "joinId",
        next_certificate_pem as "nextCertificatePem", refuses, stopping_since as "stoppingSince",
        ${deviceRows(Prisma.sql`hosts.id`)} as "deviceRows"
      from hosts where id = ${heartbeat.host_id} for update`
    const now = core.clock.now()
    if (host && host.joinId !== agent.joinId) {
      core.log.warn(
        { host: host.id },
        'ignoring the heartbeats of an agent from before the host joined again',
      )
      return 'earlier'
    }
    if (!host || host.retiredAt || !isNewer(host, heartbeat, now, core.rules.hostLateAfterMs)) {
      // A replica of an earlier release may have applied the end of a stop, and does not know its time.
      await tx.$executeRaw`update hosts set stopping_since = null
        where id = ${heartbeat.host_id} and refuses is distinct from 'stopping' and stopping_since is not null`
      return 'outdated'
    }
    const isRenewed = usesNext(host, heartbeat.certificate)
    const { certificateFingerprint: current } = host
    if (current !== null && heartbeat.certificate !== current && !isRenewed) {
      core.log.warn({ host: host.id }, 'ignoring a heartbeat of a machine with an earlier certificate')
      return 'refused'
    }
    const { epoch } = host
    const changed = await foldDevices(core, tx, heartbeat, faults, host, { now, epoch })
    await tx.host.update({
      where: { id: host.id },
      data: {
        ...(isRenewed && host.nextCertificatePem !== null ? adopted(host.nextCertificatePem) : {}),
        address: heartbeat.address,
        version: heartbeat.version,
        certificateAuthority: heartbeat.trust?.issuer ?? null,
        trustedAuthorities: heartbeat.trust?.authorities ?? [],
        load: heartbeat.load,
        sequence: BigInt(heartbeat.sequence),
        announcedAt: new Date(heartbeat.at),
        lastSeenAt: now,
        protocolVersion: heartbeat.protocol_version ?? protocol.unnamed,
        reportFault: faults.fault,
        problem: heartbeat.problem ?? null,
        refuses: heartbeat.refuses?.kind ?? null,
        refusesReason: heartbeat.refuses?.reason ?? null,
        stoppingSince: stoppingSince(heartbeat.refuses?.kind ?? null, host, now),
      },
    })
    if (faults.fault !== null && faults.fault !== host.reportFault)
      core.log.warn({ host: host.id, fault: faults.fault }, 'could not read part of a heartbeat')
    const isLate = host.lastSeenAt !== null && !hostInReach(host.lastSeenAt, now, core.rules)
    return { ...changed, epoch, isLate, rows: host.deviceRows }
  })
  if (typeof folded === 'string') {
    countHeartbeat(folded === 'earlier' ? 'refused' : folded)
    return { isCurrent: folded !== 'earlier', locks: [], agreed: null }
  }
  countHeartbeat(folded.isLate ? 'late' : 'applied')
  for (const phoneId of folded.phones) core.changes.publish(phoneId)
  if (heartbeat.epoch !== folded.epoch) announce(core, agent, folded.epoch)
  for (const { deviceId, report } of folded.disagreeing)
    await settleReport(core, deviceId, report, folded.epoch)
  for (const claim of folded.claims) await noteClaim(core, claim, rests)
  for (const deviceId of folded.leftovers) await noteLeftover(core, deviceId, rests)
  const isAgreed = folded.isSame && folded.disagreeing.length === 0 && heartbeat.epoch === folded.epoch
  return { isCurrent: true, locks: folded.locks, agreed: isAgreed ? { rows: folded.rows } : null }
}

interface KnownRow extends KnownHost {
  id: string
  retiredAt: Date | null
  reportFault: string | null
  certificateFingerprint: string | null
  joinId: string | null
  nextCertificatePem: string | null
  refuses: string | null
  stoppingSince: Date | null
  /** The current epoch of the database. */
  epoch: string
  deviceRows: string | null
}

interface Folded {
  /** Phones whose device changed. */
  phones: string[]
  /** Devices whose custody record differs from the tables. */
  disagreeing: { deviceId: string; report: DeviceStatus }[]
  locks: LockChange[]
  /** No row changed, none would have if the rest had been read, and no claim waits. */
  isSame: boolean
  /** Devices whose phone claims the identity of another device. */
  claims: Claim[]
  /** Places that a phone has left, whose agent does not know it. */
  leftovers: string[]
}

async function foldDevices(
  core: Core,
  tx: Tx,
  heartbeat: Heartbeat,
  { deviceFaults }: Faults,
  host: KnownRow,
  { now, epoch }: { now: Date; epoch: string },
): Promise<Folded> {
  const known = await tx.device.findMany({ where: { hostId: host.id }, orderBy: { id: 'asc' } })
  const reported = new Map(
    heartbeat.devices.map((status) => [status.serial, inOurTime(status, heartbeat.at, now)]),
  )
  const isSame = deviceFaults.size === 0
  const folded: Folded = { phones: [], disagreeing: [], locks: [], isSame, claims: [], leftovers: [] }
  for (const row of known) {
    // The table's check constraint allows no other state.
    const device = row as KnownDevice & CustodyRow
    const report = reported.get(device.serial) ?? null
    reported.delete(device.serial)
    const reportFault = deviceFaults.get(device.serial) ?? null
    // Until the agent has seen this database's epoch, its report may be older than the database. An
    // incomplete report proves nothing about custody.
    const isCurrent = reportFault === null && heartbeat.epoch === epoch
    if (isCurrent && report?.identity !== undefined && device.enrolledAt === null) {
      folded.claims.push({ deviceId: device.id, identity: report.identity })
      folded.isSame = false
    }
    // A claim that is missing may be over later.
    if (row.claimedSince !== null) folded.isSame = false
    if (isCurrent && report && isUsedSince(row, report)) {
      await tx.device.update({ where: { id: device.id }, data: { movedAwayAt: null } })
      folded.isSame = false
    } else if (isCurrent && report && isLeftover(row, report)) {
      folded.leftovers.push(device.id)
      folded.isSame = false
    }
    const verdict = report && isCurrent ? judge({ ...device, link: report.link }, report) : null
    if (report && verdict?.kind === 'clean') {
      if (await confirm(tx, device, report, epoch)) folded.isSame = false
    } else if (report && verdict && verdict.kind !== 'agreed')
      folded.disagreeing.push({ deviceId: device.id, report })
    const change = deviceChange(device, report, host, now)
    if (!change && reportFault === row.reportFault) continue
    folded.isSame = false
    // Only while the state is still the one that was read: an assignment may have come in between.
    const { count } = await tx.device.updateMany({
      where: { id: device.id, state: device.state },
      data: { ...change, reportFault },
    })
    if (count === 0) continue
    if (reportFault !== null && reportFault !== row.reportFault)
      core.log.warn({ device: device.id, fault: reportFault }, "could not read part of a device's report")
    if (!change) continue
    const lock = lockChange(row, report, now)
    if (lock) folded.locks.push(lock)
    if (device.phoneId) folded.phones.push(device.phoneId)
  }
  const room = Math.max(0, maxDevices - known.length)
  for (const status of [...reported.values()].slice(0, room)) {
    const reportFault = deviceFaults.get(status.serial) ?? null
    folded.isSame = false
    const row = { id: newId('device'), hostId: host.id, ...newDevice(status, now), reportFault }
    await tx.device.create({ data: row })
  }
  return folded
}

/** Stores the agent's statement that an idle device is clean, and for which tenant. Returns false when it is stored already. */
async function confirm(
  tx: Tx,
  device: KnownDevice & CustodyRow,
  { custody }: DeviceStatus,
  epoch: string,
): Promise<boolean> {
  if (!custody) return false
  const { clean_for: cleanFor, revision } = custody
  if (device.confirmedEpoch === epoch && device.cleanFor === cleanFor) return false
  await tx.device.updateMany({
    where: { id: device.id, state: device.state, fencingNumber: device.fencingNumber },
    data: { confirmedEpoch: epoch, cleanFor, custodyRevision: BigInt(revision) },
  })
  return true
}
