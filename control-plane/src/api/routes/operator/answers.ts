/** Answers of `/operator/v1` and of the operators' pages. Times are ISO 8601 in UTC, money is US dollars with six decimals. */
import { z } from 'zod'
import { presets, profiles } from '../../../base/core/caller.js'
import { phoneStatuses } from '../../../base/core/statuses.js'
import { deviceStates } from '../../../rental/devices/link.js'

const text = z.string()
const maybe = text.nullable()
const count = z.int()

/** Control planes of earlier releases, which `ctl` also asks, omit the optional fields. */
export const hostAnswer = z.object({
  id: text,
  name: text,
  country: text,
  labels: z.record(text, text).optional(),
  /**
   * `degraded`: its devices fail together. `refusing`: its agent takes no new work. `stopping`: it received SIGTERM.
   */
  state: z.enum(['online', 'degraded', 'refusing', 'stopping', 'late', 'lost', 'retired']),
  address: maybe,
  version: maybe,
  /** Null: no heartbeat was received. */
  protocol_version: count.nullable(),
  /** Why its heartbeats are refused, or which part of them cannot be read. */
  report_fault: maybe,
  /** A missing part of its machine. */
  problem: maybe.optional(),
  /** Why its agent takes no new work, with the next step; null: it takes work. */
  refuses: maybe.optional(),
  /** Why it gets no new phones, with the next step; null: its devices do not fail together. */
  degraded: maybe.optional(),
  degraded_until: maybe.optional(),
  last_seen_at: maybe,
  devices: count,
  /** Phones with an open session. */
  running: count,
  retired_at: maybe.optional(),
  certificate_expires_at: text.optional(),
  /** How far it is in an open rotation of the authority; null: none is open, or the host is retired. */
  authority_rotation: z
    .object({
      phase: z.enum(['begun', 'switched']),
      /**
       * `unreported`: its agent is of an earlier release, or has not been heard yet. `earlier`, `both`: it trusts the earlier
       * authority only, or the next one too. `renewed`: its certificate is from the next one.
       */
      trust: z.enum(['unreported', 'earlier', 'both', 'renewed']),
      /** For the next step: the switch, or the end. */
      is_ready: z.boolean(),
    })
    .nullable()
    .optional(),
  /** Null: it takes new work. */
  drained_at: maybe,
  /** When its running phones become unavailable. */
  drain_until: maybe,
})

/** `phones`: those that end with the host. */
export const retiredHostAnswer = hostAnswer.extend({ phones: count })

export const joinTokenAnswer = z.object({ token: text, expires_at: text })
export const rejoinTokenAnswer = joinTokenAnswer.extend({ host_id: text })

const check = z.object({ name: text, passed: z.boolean(), evidence: maybe })

/** A field is null when the phone does not report it. */
const condition = z.object({
  checked_at: text,
  battery_percent: z.number().nullable(),
  battery_celsius: z.number().nullable(),
  storage_free_bytes: z.number().nullable(),
  storage_total_bytes: z.number().nullable(),
  highest_app_uid: z.number().nullable(),
  lock_credential: z.boolean().nullable(),
  warnings: z.array(text),
})

export const deviceAnswer = z.object({
  id: text,
  host_id: text,
  host_name: text,
  host_state: hostAnswer.shape.state,
  serial: text,
  maker: maybe,
  model: maybe,
  sdk: count.nullable(),
  state: z.enum(deviceStates),
  reason: maybe,
  /** The next step for a quarantined device. `first`: before the commands. `words`: the arguments of `ctl`. */
  next_step: z
    .object({ first: maybe, commands: z.array(z.object({ does: text, words: z.array(text) })) })
    .nullable(),
  /** The part of its host's last report that cannot be read. */
  report_fault: maybe,
  phone_id: maybe,
  fencing_number: count,
  /** The next users that its host's last report allows: `anyone`, `tenant:` and a tenant, or null for no one. */
  clean_for: maybe,
  /** `unknown`: its host is lost. */
  link: text,
  drained_at: maybe,
  drain_until: maybe,
  /** It moved, and its new host has not taken it over yet; null: no. */
  moving_since: maybe,
  /** Since when its phone claims the identity of another device; null: it does not. */
  claimed_since: maybe,
  /** Whether it can prove its identity at another host. */
  has_identity: z.boolean(),
  /** Null: no operator keeps it out of the pool. */
  maintenance: z.object({ since: text, note: text }).nullable(),
  last_proof_at: maybe,
  capabilities: z.array(z.object({ name: text, implementation: maybe, evidence: maybe })),
  wipe_checks: z.array(check),
  /** Recovery steps that the host agent took when the device stopped answering, oldest first. */
  events: z.array(z.object({ at: text, step: text, outcome: text, reason: text })),
  /** Null: not checked yet. */
  condition: condition.nullable(),
})

export const anyPhoneAnswer = z.object({
  id: text,
  name: text,
  project_id: text,
  project_name: text,
  status: z.enum(phoneStatuses),
  /** `park`, or `delete`: it deletes itself. */
  on_idle: text,
  country: maybe,
  created_at: text,
  last_active_at: maybe,
  /** The end of its last session; null: it runs. */
  stopped_at: maybe,
  /** When the service deletes it, unless it is started before; null: no time is set. */
  deletes_at: maybe,
  device_id: maybe,
  serial: maybe,
  host_id: maybe,
  host_name: maybe,
  failure_code: maybe,
  failure_message: maybe,
})

export const projectAnswer = z.object({
  id: text,
  name: text,
  owner_id: text,
  balance_usd: text,
  reserved_usd: text,
  spend_limit_usd: text,
  max_phones: count,
  max_running: count,
  /** The limit of phones without a session; null: none; left out: the control plane is of an earlier release. */
  parked_limit: count.nullable().optional(),
  frozen_at: maybe,
  /** Whether its phones run shell commands; left out: the control plane is of an earlier release. */
  shell: z.boolean().optional(),
  /** Whether steps are recorded, with typed text, with which pictures (`off`, `asked`, `every`), and their quota. */
  steps: z.boolean(),
  steps_text: z.boolean(),
  steps_pictures: text,
  steps_max_bytes: z.number(),
})

export const revokedKeyAnswer = z.object({ id: text, revoked_at: text })

/** `key`: the secret, which is never shown again. */
export const newKeyAnswer = z.object({
  id: text,
  key: text,
  name: text,
  preset: text,
  profile: text,
  project: text,
  expires_at: maybe,
})

export const keyAnswer = z.object({
  id: text,
  name: text,
  /** The first characters of the key; null: they are not known. */
  prefix: maybe,
  preset: z.enum(presets),
  profile: z.enum(profiles),
  project: text,
  /** IDs of the only phones that it may use; empty: all. */
  phones: z.array(text),
  created_at: text,
  expires_at: maybe,
  revoked_at: maybe,
  last_used_at: maybe,
  last_used_address: maybe,
  /** The client that has it by OAuth; null: a person created it. Hostile text. */
  connector: z.object({ client_id: text, client_name: text, host: text }).nullable(),
})

/** A request with an API key, or of a member, that changed something, or tried to. */
export const activityAnswer = z.object({
  id: text,
  at: text,
  /** The ID of the key, or of the user of the console. */
  key_id: text,
  request_id: text,
  method: text,
  route: text,
  phone_id: maybe,
  status: count,
  code: maybe,
  ms: count,
  summary: z.record(text, z.unknown()),
})

export const restoreAnswer = z.object({
  /** The database that the control plane works on: it changes with a restore and with a failover. */
  epoch: text,
  epoch_changed_at: text,
  /** Idle devices that are not assigned because their hosts have not confirmed them yet. */
  devices_to_confirm: count,
})
export const pauseAnswer = z.object({ paused_at: maybe })
export const serviceAnswer = restoreAnswer.extend(pauseAnswer.shape)

export const tokenAnswer = z.object({
  id: text,
  name: text,
  /** ID of the token that created it; null: the configuration's token. */
  created_by: maybe,
  created_at: text,
  expires_at: maybe,
  last_used_at: maybe,
  revoked_at: maybe,
})
export const newTokenAnswer = tokenAnswer.extend({ token: text })
/** `created_tokens`: those that it created and that are still valid. */
export const revokedTokenAnswer = tokenAnswer.extend({
  created_tokens: z.array(z.object({ id: text, name: text })),
})

/** A change by an operator. */
export const auditAnswer = z.object({
  id: text,
  at: text,
  token_id: text,
  token_name: text,
  address: text,
  request_id: text,
  action: text,
  target: maybe,
  before: z.record(text, z.unknown()).nullable(),
  after: z.record(text, z.unknown()).nullable(),
})

export const libraryAppAnswer = z.object({
  package: text,
  label: text,
  version_code: z.number(),
  version_name: text,
  /** Names of its splits. */
  splits: z.array(text),
  size_bytes: z.number(),
  added_at: text,
})
/** `file`: its ID, for the app that it becomes a part of. */
export const libraryFileAnswer = z.object({ file: text })

/** A link for a new operator, or for a new password, that was not used. */
export const operatorLinkAnswer = z.object({
  id: text,
  role: z.enum(['operator', 'reset']),
  email: maybe,
  /** ID of the operator token or user that created it. */
  created_by: text,
  created_at: text,
  expires_at: text,
})
/** `url`: the link, which is never shown again. */
export const newLinkAnswer = z.object({ id: text, url: text, expires_at: text })

/** A terminal that waits for its first key. */
export const terminalAnswer = z.object({ client: maybe, address: text, created_at: text, expires_at: text })
/** With the link to confirm it, and the project of its future key. */
export const approvedTerminalAnswer = terminalAnswer.extend({ url: text, project: text, project_name: text })

/** A payment that the provider reported and that matches no checkout. `cents`: in the currency's smallest unit. */
export const unmatchedPaymentAnswer = z.object({
  id: text,
  kind: text,
  /** The checkout link that the payment names. */
  reference: maybe,
  payment_intent: maybe,
  cents: z.number(),
  currency: text,
  reason: text,
  told_at: text,
})

export const removedAnswer = z.object({ id: text })
