/** NATS subjects and their messages. Receivers validate messages. */
import { z } from 'zod'
import { identityPattern } from './device-proof.js'
import { fingerprintPattern } from './join-token.js'
import { idPattern } from './ids.js'
import { hostRefusalSchema } from './host-refusal.js'

/**
 * A host agent on the broker. Agents that joined the same host at different times have different subjects,
 * and each agent has rights only to its own subjects. docs/decisions/0202
 */
export interface AgentOnBus {
  hostId: string
  /** The ID of the agent's rejoin; null: the agent joined as a new host. */
  joinId: string | null
}

const ofAgent = ({ hostId, joinId }: AgentOnBus): string =>
  joinId === null ? `phonerack.host.${hostId}` : `phonerack.rejoined.${hostId}.${joinId}`

export const subjects = {
  /** Host agent → control plane, every 2 s and immediately when a device changes. */
  heartbeat: (agent: AgentOnBus): string => `${ofAgent(agent)}.heartbeat`,
  /** The heartbeats of all agents. */
  heartbeats: ['phonerack.host.*.heartbeat', 'phonerack.rejoined.*.*.heartbeat'],
  /** Control plane → host agent: send a full heartbeat now (`announceSchema`). */
  announce: (agent: AgentOnBus): string => `${ofAgent(agent)}.announce`,
  /** Between control-plane replicas: a phone's row changed. */
  phoneChanged: 'phonerack.control.phone',
  /** Between control-plane replicas: an upload's row changed. */
  uploadChanged: 'phonerack.control.upload',
  /** Between control-plane replicas: a project has new events. */
  eventsNumbered: 'phonerack.control.events',
  /** Between control-plane replicas: a key was revoked or changed. */
  keyChanged: 'phonerack.control.key',
  /** Between control-plane replicas: a host was retired. */
  hostRetired: 'phonerack.control.host_retired',
  /** Between control-plane replicas: a NATS user of a host was revoked. */
  userRevoked: 'phonerack.control.user_revoked',
} as const

/** The agent that may publish to this subject of heartbeats. The broker enforces the right. */
export function senderOfHeartbeat(subject: string): AgentOnBus {
  const [, kind, hostId = '', joinId = ''] = subject.split('.')
  return { hostId, joinId: kind === 'rejoined' ? joinId : null }
}

/** The agent's own state of a device, without the control plane's tables. */
export const deviceLinkSchema = z.enum([
  /** ADB does not list the phone. */
  'absent',
  /** ADB lists the phone, but the phone does not answer. */
  'offline',
  /** The phone has not accepted this host's ADB key. */
  'unauthorized',
  /** The phone answers, but has not finished booting. */
  'booting',
  /** The agent has seen the phone, but never enrolled it on this host, and does not write to it. */
  'unenrolled',
  /** The agent prepares, wipes or checks the phone. */
  'busy',
  /** An active probe passed within the last 15 s. */
  'healthy',
  /** Replaces a value that the receiver does not know. No agent sends it. */
  'unknown',
])
export type DeviceLink = z.infer<typeof deviceLinkSchema>

/** A recovery step that an agent took for a device that stopped answering. */
export const deviceEventSchema = z.object({
  at: z.iso.datetime(),
  /** `reconnect`, `port_reset`, `reboot`, `quarantine`. More values may be added. */
  step: z.string(),
  /** `unknown` replaces a value that the receiver does not know. */
  outcome: z.enum(['done', 'skipped', 'failed', 'unknown']).catch('unknown'),
  /** The reason, for the operator. */
  reason: z.string(),
})
export type DeviceEvent = z.infer<typeof deviceEventSchema>

/** A device's condition, checked every few minutes. A field is null when the phone does not report it. */
const deviceConditionSchema = z.object({
  checked_at: z.iso.datetime(),
  battery_percent: z.number().int().nullable(),
  battery_celsius: z.number().nullable(),
  storage_free_bytes: z.number().int().nullable(),
  storage_total_bytes: z.number().int().nullable(),
  /** Android gives each installed app a uid from 10000 on, and runs out at 19999 until it is restarted. */
  highest_app_uid: z.number().int().nullable(),
  /** A PIN, pattern or password is set: after a restart the phone cannot be unlocked. */
  lock_credential: z.boolean().nullable(),
  /** Each warning with its next step; empty without warnings. */
  warnings: z.array(z.string()).max(100),
})
export type DeviceCondition = z.infer<typeof deviceConditionSchema>

/**
 * The next users that the device may have: `anyone`, `tenant:` and a tenant, or empty for its current phone
 * only.
 */
export const cleanForPattern = /^(|anyone|tenant:[\w-]{1,100})$/

/** The agent's durable record of tenants' data on a device. docs/decisions/0140 */
export const custodySchema = z.object({
  /** Grows with each change of the other fields, so a report with a lower value is older. */
  revision: z.number().int().nonnegative(),
  /** The phone that had the device last; null after a verified wipe, and when unknown. */
  assignment: z
    .object({ phone_id: z.string().max(100), fencing_number: z.number().int().nonnegative() })
    .nullable(),
  /** Whether data may have been written since the last verified wipe. */
  dirty: z.boolean(),
  clean_for: z.string().regex(cleanForPattern),
})
export type CustodyReport = z.infer<typeof custodySchema>

export const deviceStatusSchema = z.object({
  serial: z.string(),
  link: deviceLinkSchema,
  /** The highest fencing number that the agent has seen for the device. */
  fencing_number: z.number().int().nonnegative(),
  maker: z.string().nullable(),
  model: z.string().nullable(),
  sdk: z.number().int().min(0).max(10_000).nullable(),
  /** Why the device is not healthy, for the operator. */
  reason: z.string().nullable(),
  /** When the device last answered a probe. */
  proof_of_life_at: z.iso.datetime().nullable(),
  /** The newest 20 events, oldest first. Omitted: no events. */
  events: z.array(deviceEventSchema).max(20).optional(),
  /** Omitted by an agent that keeps no such record. */
  custody: custodySchema.optional(),
  /** Omitted: the condition was not checked yet. */
  condition: deviceConditionSchema.optional(),
  /**
   * The public key of the identity on a phone that is not enrolled on this host. It is a claim without a
   * proof. Omitted: the phone has no identity, or it was not read. docs/decisions/0223
   */
  identity: z.string().regex(identityPattern).optional(),
})
export type DeviceStatus = z.infer<typeof deviceStatusSchema>

/** A package name as a phone reports it. */
const reportedPackage = z.string().regex(/^[A-Za-z0-9_.]{1,255}$/)

/**
 * An observation of an agent on a rented phone. The agent repeats it in each heartbeat until a replica
 * acknowledges its ID. It contains no texts of apps. docs/decisions/0276
 */
export const phoneReportSchema = z.object({
  /**
   * The ID of the observation, which stays the same each time the agent reads the line of the phone's log.
   */
  id: z.string().regex(/^[\w-]{22}$/),
  phone_id: z.string().max(100),
  serial: z.string().max(255),
  /** The time of the phone's clock. */
  at: z.iso.datetime(),
  observed: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('crash'),
      crash: z.enum(['crash', 'native_crash', 'anr']),
      package: reportedPackage,
      pid: z.number().int().min(0).max(999_999_999),
      /** The exception's class. */
      exception: z
        .string()
        .regex(/^[\w.$]{1,255}$/)
        .nullable(),
    }),
    z.object({
      kind: z.literal('notification'),
      package: reportedPackage,
      notification: z.string().regex(idPattern('notification')),
    }),
  ]),
})
export type PhoneReport = z.infer<typeof phoneReportSchema>

/** The number of reports in one heartbeat. The other reports wait. */
export const reportsPerHeartbeat = 50

/** The address of a host whose agent opens tunnels to the replicas, and has no port. docs/decisions/0227 */
export const dialledAddress = 'dialled'

/** The certificate authorities of an agent, as fingerprints (`authorityFingerprint`). docs/decisions/0249 */
export const agentTrustSchema = z.object({
  /** The authority that issued the agent's certificate; null: the agent does not trust that authority. */
  issuer: z.string().regex(fingerprintPattern).nullable(),
  /** The authorities whose certificates of the control plane the agent accepts. */
  authorities: z.array(z.string().regex(fingerprintPattern)).max(8),
})
export type AgentTrust = z.infer<typeof agentTrustSchema>

export const heartbeatSchema = z.object({
  host_id: z.string(),
  /** Omitted by agents that are older than the protocol's versions (`protocol.ts`). */
  protocol_version: z.number().int().nonnegative().optional(),
  /** Grows by one with each message of one agent process. */
  sequence: z.number().int(),
  at: z.iso.datetime(),
  version: z.string(),
  /** `host:port` of the agent's gRPC server, or `dialledAddress`. */
  address: z.string(),
  /** SHA-256 of the agent's certificate, as `AB:CD:…`. Omitted by older agents. */
  certificate: z.string().max(100).optional(),
  /** Omitted by agents that cannot change the authorities they trust. */
  trust: agentTrustSchema.optional(),
  /** One-minute load average. */
  load: z.number(),
  /** The newest database epoch that the agent has on disk; null or omitted: the agent has no epoch. */
  epoch: z.string().max(200).nullish(),
  /**
   * A missing part of this host, for the operator, with the next step. Null or omitted: no part is missing.
   */
  problem: z.string().max(2000).nullish(),
  /** Why the agent takes no new work. Null or omitted: it takes work. */
  refuses: hostRefusalSchema.nullish(),
  devices: z.array(deviceStatusSchema),
  /** Omitted: no reports. */
  reports: z.array(phoneReportSchema).max(reportsPerHeartbeat).optional(),
})
export type Heartbeat = z.infer<typeof heartbeatSchema>

/**
 * The address where the agent can open a tunnel. A replica repeats it with each heartbeat of a dialled host
 * that has no tunnel to the replica.
 */
export const tunnelOfferSchema = z.object({
  /** The replica's ID. */
  replica: z.string().min(1).max(200),
  /** `host:port`, an IPv6 address in brackets. */
  address: z
    .string()
    .max(300)
    .regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/),
})
export type TunnelOffer = z.infer<typeof tunnelOfferSchema>

export const announceSchema = z.object({
  /** Epoch of the control plane's current database. */
  epoch: z.string().min(1).max(200).optional(),
  /** Omitted: only a heartbeat is requested. */
  tunnel: tunnelOfferSchema.optional(),
  /** IDs of reports that need not be repeated. Then no heartbeat is requested. */
  acknowledged: z.array(z.string().max(100)).max(reportsPerHeartbeat).optional(),
})
export type Announce = z.infer<typeof announceSchema>

export const phoneChangedSchema = z.object({ phone_id: z.string() })
export const uploadChangedSchema = z.object({ upload_id: z.string() })
export const eventsNumberedSchema = z.object({ project_id: z.string() })
export const keyChangedSchema = z.object({ key_hash: z.string() })
export const hostRetiredSchema = z.object({ host_id: z.string() })
export type HostRetired = z.infer<typeof hostRetiredSchema>
