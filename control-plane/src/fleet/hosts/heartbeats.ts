/**
 * Folds the agents' heartbeats into the tables. Every replica receives every heartbeat. The first replica to
 * write a heartbeat wins; for the other replicas the heartbeat is then no longer newer than the row.
 */
import {
  dialledAddress,
  protocol,
  senderOfHeartbeat,
  subjects,
  type AgentOnBus,
  type Announce,
  type Heartbeat,
} from '@phonerack/shared'
import { LRUCache } from 'lru-cache'
import { inRawTransaction } from '../../base/db/database.js'
import { type RawTx } from '../../base/db/raw-transaction.js'
import { Prisma } from '../../gen/prisma/client.js'
import { readEpoch } from '../../base/db/epoch.js'
import { hostInReach } from '../../rental/devices/reach.js'
import { countHeartbeat } from '../../base/metrics/instruments.js'
import { type Core } from '../../base/core/core.js'
import { adopted, usesNext } from './certificates.js'
import { ClaimRests } from './claim-rests.js'
import { noteClaim, noteLeftover } from './claims.js'
import { foldDevices, type Settled } from './fold-devices.js'
import { settleReport } from './settle-device.js'
import { isNewer, type KnownHost } from './fold.js'
import { type LockActivity, type LockChange } from './lock-activity.js'
import { deviceRows, keepHost, Repeats } from './repeats.js'
import { type HostSilence } from './silence.js'
import { readReports, takeReports } from './phone-reports.js'
import { stoppingSince } from './stopping.js'
import {
  readHeartbeat,
  type ReadDevices,
  type ReadHeartbeat,
  type RefusedHeartbeat,
} from './read-heartbeat.js'

/** The devices of an agent's last heartbeat. */
interface Known {
  read: ReadDevices
  settled: Settled | null
}

export interface Heartbeats {
  close(): Promise<void>
}

/** Agents from before their host's last rejoin. Their messages are dropped unread for `ttl` milliseconds. */
const ignored = { max: 1000, ttl: 60_000 }
/** Agents whose last heartbeat is kept. */
const remembered = { max: 10_000 }

/**
 * @param silence records each agent that was heard
 * @param hosts knows the retired hosts, whose heartbeats are ignored
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
  /** The latest heartbeat by subject. */
  const earlier = new LRUCache<string, true>(ignored)
  const repeats = new Repeats()
  const rests = new ClaimRests()
  const known = new LRUCache<string, Known>(remembered)

  /**
   * Processes one heartbeat at a time per agent, and of the heartbeats that arrive in the meantime only the
   * latest. The subject identifies the agent, so an earlier agent of a host replaces no heartbeat of the
   * current agent.
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
          const taken = await takeHeartbeat(
            { core, silence, locks, repeats, rests, known },
            agent,
            next,
            subject,
          )
          if (taken === 'earlier') earlier.set(subject, true)
          else await takeReported(core, agent, next)
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

/**
 * Stores what the agent observed on its phones, then acknowledges the stored reports. The agent repeats the
 * others.
 */
async function takeReported(core: Core, agent: AgentOnBus, message: unknown): Promise<void> {
  const { reports, ids } = readReports(message)
  if (ids.length === 0) return
  const waiting = new Set(await takeReports(core, agent, reports))
  const acknowledged = ids.filter((id) => !waiting.has(id))
  if (acknowledged.length > 0) core.bus.publish(subjects.announce(agent), { acknowledged } satisfies Announce)
}

interface Listener {
  core: Core
  silence: HostSilence
  locks: LockActivity
  repeats: Repeats
  rests: ClaimRests
  /** The last heartbeats, by subject. */
  known: LRUCache<string, Known>
}

/**
 * Folds one heartbeat. Returns `earlier` when an earlier agent of the host sent it; such a heartbeat is
 * ignored.
 */
async function takeHeartbeat(
  { core, silence, locks, repeats, rests, known }: Listener,
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
  const last = known.get(subject)
  const read = readHeartbeat(message, agent.hostId, last?.read)
  if ('refused' in read) {
    await noteRefusal(core, agent, read)
    return 'direct'
  }
  silence.hear(agent, read.heartbeat.devices)
  const how = { faults: read, rests, settled: last?.settled ?? null }
  const folded = await foldHeartbeat(core, agent, read.heartbeat, how)
  const { isCurrent, locks: changes, agreed } = folded
  known.set(subject, { read: read.devices, settled: folded.settled })
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
  /** False: the host has joined again after this agent joined. */
  isCurrent: boolean
  /** Changes of screen locks. */
  locks: LockChange[]
  /**
   * Set when the whole heartbeat was read and no device had to change. `rows` is `deviceRows` from before the
   * comparison.
   */
  agreed: { rows: string | null } | null
  /** Compared with the agent's next heartbeat; null: all devices are compared. */
  settled: Settled | null
}

interface FoldOptions {
  faults?: Faults
  rests?: ClaimRests
  settled?: Settled | null
}

/**
 * Applies the heartbeat's changes, unless the host is unknown, retired, has another agent, or sent a
 * newer heartbeat.
 */
export async function foldHeartbeat(
  core: Core,
  agent: AgentOnBus,
  heartbeat: Heartbeat,
  { faults = noFaults, rests = new ClaimRests(), settled = null }: FoldOptions = {},
): Promise<FoldedHeartbeat> {
  const folded = await inRawTransaction(core.transact, async (tx) => {
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
      // A replica of an earlier release, which does not know the column, may have applied the end of a stop.
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
    const { deviceFaults } = faults
    const changed = await foldDevices(core, tx, heartbeat, host, { now, epoch, deviceFaults, settled })
    if (isRenewed && host.nextCertificatePem !== null) await adopt(tx, host.id, host.nextCertificatePem)
    const count = await writeHost(tx, host, heartbeat, faults.fault, now)
    if (faults.fault !== null && faults.fault !== host.reportFault)
      core.log.warn({ host: host.id, fault: faults.fault }, 'could not read part of a heartbeat')
    const isLate = host.lastSeenAt !== null && !hostInReach(host.lastSeenAt, now, core.rules)
    // If the count differs, a skipped device has left the host.
    const isComplete = changed.count === count
    return { ...changed, epoch, isLate, isComplete, rows: host.deviceRows }
  })
  if (typeof folded === 'string') {
    countHeartbeat(folded === 'earlier' ? 'refused' : folded)
    return { isCurrent: folded !== 'earlier', locks: [], agreed: null, settled }
  }
  countHeartbeat(folded.isLate ? 'late' : 'applied')
  for (const phoneId of folded.phones) core.changes.publish(phoneId)
  if (heartbeat.epoch !== folded.epoch) announce(core, agent, folded.epoch)
  for (const { deviceId, report } of folded.disagreeing)
    await settleReport(core, deviceId, report, folded.epoch)
  for (const claim of folded.claims) await noteClaim(core, claim, rests)
  for (const deviceId of folded.leftovers) await noteLeftover(core, deviceId, rests)
  const isAgreed = folded.isSame && folded.isComplete && heartbeat.epoch === folded.epoch
  return {
    isCurrent: true,
    locks: folded.locks,
    agreed: isAgreed ? { rows: folded.rows } : null,
    settled: folded.isComplete ? { epoch: folded.epoch, devices: folded.settled } : null,
  }
}

/** Stores what the heartbeat says about the host. Returns the number of the host's devices. */
async function writeHost(
  tx: RawTx,
  host: KnownRow,
  heartbeat: Heartbeat,
  fault: string | null,
  now: Date,
): Promise<number> {
  const { refuses, sequence, trust } = heartbeat
  const [row] = await tx.$queryRaw<{ devices: number }[]>`update hosts h set address = ${heartbeat.address},
      version = ${heartbeat.version}, load = ${heartbeat.load}, sequence = ${sequence},
      announced_at = ${new Date(heartbeat.at)}, last_seen_at = ${now},
      protocol_version = ${heartbeat.protocol_version ?? protocol.unnamed}, report_fault = ${fault},
      certificate_authority = ${trust?.issuer ?? null}, trusted_authorities = ${trust?.authorities ?? []}::text[],
      problem = ${heartbeat.problem ?? null}, refuses = ${refuses?.kind ?? null},
      refuses_reason = ${refuses?.reason ?? null}, stopping_since = ${stoppingSince(refuses?.kind ?? null, host, now)}
    where h.id = ${host.id}
    returning (select count(*)::int from devices d where d.host_id = h.id) as devices`
  return row?.devices ?? 0
}

async function adopt(tx: RawTx, hostId: string, pem: string): Promise<void> {
  const { certificateFingerprint, certificateExpiresAt } = adopted(pem)
  await tx.$executeRaw`update hosts set certificate_fingerprint = ${certificateFingerprint},
      certificate_expires_at = ${certificateExpiresAt}, next_certificate_fingerprint = null, next_certificate_pem = null
    where id = ${hostId}`
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
