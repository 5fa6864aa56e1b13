/** NATS subjects and the messages on them. Messages are checked where they arrive. */
import { z } from 'zod'

export const subjects = {
  /** Host agent → control plane, every 2 s and at once when a device changes. */
  heartbeat: (hostId: string): string => `phonerack.host.${hostId}.heartbeat`,
  allHeartbeats: 'phonerack.host.*.heartbeat',
  /** Control plane → host agent: say everything now (`announceSchema`). */
  announce: (hostId: string): string => `phonerack.host.${hostId}.announce`,
  /** Between control-plane replicas: a phone's row changed. */
  phoneChanged: 'phonerack.control.phone',
  /** Between control-plane replicas: an upload's row changed. */
  uploadChanged: 'phonerack.control.upload',
  /** Between control-plane replicas: a key was revoked or changed. */
  keyChanged: 'phonerack.control.key',
} as const

/** What the agent knows of a device on its own, without the control plane's tables. */
export const deviceLinkSchema = z.enum([
  /** ADB does not see it. */
  'absent',
  /** ADB sees it and it does not answer. */
  'offline',
  /** The phone has not accepted this host's ADB key. */
  'unauthorized',
  /** It answers, and booting has not ended. */
  'booting',
  /** Seen, never enrolled on this host: nothing is written to it. */
  'unenrolled',
  /** The agent is preparing it, wiping it, or checking it. */
  'busy',
  /** An active probe passed within the last 15 s. */
  'healthy',
  /** In place of a value that the receiver does not know; no agent sends it. */
  'unknown',
])
export type DeviceLink = z.infer<typeof deviceLinkSchema>

/** What an agent did on its own for a device that stopped answering. */
export const deviceEventSchema = z.object({
  at: z.iso.datetime(),
  /** `reconnect`, `port_reset`, `reboot`, `quarantine`; there may be more. */
  step: z.string(),
  /** `unknown`: in place of a value that the receiver does not know. */
  outcome: z.enum(['done', 'skipped', 'failed', 'unknown']).catch('unknown'),
  /** Why, for the operator. */
  reason: z.string(),
})
export type DeviceEvent = z.infer<typeof deviceEventSchema>

/** How a device is, looked at every few minutes. Null: the phone does not say. */
export const deviceConditionSchema = z.object({
  checked_at: z.iso.datetime(),
  battery_percent: z.number().int().nullable(),
  battery_celsius: z.number().nullable(),
  storage_free_bytes: z.number().int().nullable(),
  storage_total_bytes: z.number().int().nullable(),
  /** Android gives each installed app a number from 10000 on, and runs out at 19999 until it is restarted. */
  highest_app_uid: z.number().int().nullable(),
  /** A PIN, pattern or password is set: after a restart nobody gets in. */
  lock_credential: z.boolean().nullable(),
  /** In words, with what to do; empty while all is well. */
  warnings: z.array(z.string()).max(100),
})
export type DeviceCondition = z.infer<typeof deviceConditionSchema>

/** For whom a device is clean: `anyone`, `tenant:` and a tenant, or empty: nobody but the phone that has it. */
export const cleanForPattern = /^(|anyone|tenant:[\w-]{1,100})$/

/** What the agent's durable record says about tenants' data on a device. docs/decisions/0140 */
export const custodySchema = z.object({
  /** Grows with each change of the others: a report with a lower one is older. */
  revision: z.number().int().nonnegative(),
  /** The phone that had the device last; null after a verified wipe, and when it is not known. */
  assignment: z
    .object({ phone_id: z.string().max(100), fencing_number: z.number().int().nonnegative() })
    .nullable(),
  /** Something may have been written since the last verified wipe. */
  dirty: z.boolean(),
  clean_for: z.string().regex(cleanForPattern),
})
export type CustodyReport = z.infer<typeof custodySchema>

export const deviceStatusSchema = z.object({
  serial: z.string(),
  link: deviceLinkSchema,
  /** Highest fencing number the agent has seen for it. */
  fencing_number: z.number().int().nonnegative(),
  maker: z.string().nullable(),
  model: z.string().nullable(),
  sdk: z.number().int().min(0).max(10_000).nullable(),
  /** Why it is not healthy, for the operator. */
  reason: z.string().nullable(),
  /** When the device last answered a probe. */
  proof_of_life_at: z.iso.datetime().nullable(),
  /** The newest 20, oldest first. Left out: none. */
  events: z.array(deviceEventSchema).max(20).optional(),
  /** Left out: by an agent that keeps no such record. */
  custody: custodySchema.optional(),
  /** Left out: not looked at yet. */
  condition: deviceConditionSchema.optional(),
})
export type DeviceStatus = z.infer<typeof deviceStatusSchema>

export const heartbeatSchema = z.object({
  host_id: z.string(),
  /** Left out by agents from before there was one (`protocol.ts`). */
  protocol_version: z.number().int().nonnegative().optional(),
  /** One higher with each message of one agent process. */
  sequence: z.number().int(),
  at: z.iso.datetime(),
  version: z.string(),
  /** `host:port` of the agent's gRPC server. */
  address: z.string(),
  /** One-minute load average. */
  load: z.number(),
  /** The newest database epoch that the agent has on disk; null or left out: none. */
  epoch: z.string().max(200).nullish(),
  devices: z.array(deviceStatusSchema),
})
export type Heartbeat = z.infer<typeof heartbeatSchema>

/** `epoch`: of the database that the control plane works on now. */
export const announceSchema = z.object({ epoch: z.string().min(1).max(200).optional() })
export type Announce = z.infer<typeof announceSchema>

export const phoneChangedSchema = z.object({ phone_id: z.string() })
export const uploadChangedSchema = z.object({ upload_id: z.string() })
export const keyChangedSchema = z.object({ key_hash: z.string() })
