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
   * `degraded`: the host's devices fail together. `refusing`: the host's agent takes no new work. `stopping`:
   * the agent received SIGTERM.
   */
  state: z.enum(['online', 'degraded', 'refusing', 'stopping', 'late', 'lost', 'retired']),
  address: maybe,
  version: maybe,
  /** Null: no heartbeat was received. */
  protocol_version: count.nullable(),
  /** Why the host's heartbeats are refused, or which part of them cannot be read. */
  report_fault: maybe,
  /** A missing part of the host's machine. */
  problem: maybe.optional(),
  /** Why the host's agent takes no new work, with the next step; null: the agent takes work. */
  refuses: maybe.optional(),
  /** Why the host gets no new phones, with the next step; null: the host's devices do not fail together. */
  degraded: maybe.optional(),
  degraded_until: maybe.optional(),
  last_seen_at: maybe,
  devices: count,
  /** Phones with an open session. */
  running: count,
  retired_at: maybe.optional(),
  certificate_expires_at: text.optional(),
  /**
   * How far the host is in an open rotation of the authority; null: no rotation is open, or the host is
   * retired.
   */
  authority_rotation: z
    .object({
      phase: z.enum(['begun', 'switched']),
      /**
       * `unreported`: the host's agent is of an earlier release, or has not been heard yet. `earlier`,
       * `both`: the host trusts the earlier authority only, or the next authority too. `renewed`: the host's
       * certificate is from the next authority.
       */
      trust: z.enum(['unreported', 'earlier', 'both', 'renewed']),
      /** Whether the host is ready for the next step, which is the switch or the end. */
      is_ready: z.boolean(),
    })
    .nullable()
    .optional(),
  /** When the host was drained; null: the host takes new work. */
  drained_at: maybe,
  /** When the host's running phones become unavailable. */
  drain_until: maybe,
})

/** `phones`: the number of phones that end with the host. */
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
  /**
   * The next step for a quarantined device. `first`: the operator's work before the commands. `words`: the arguments
   * of `ctl`.
   */
  next_step: z
    .object({ first: maybe, commands: z.array(z.object({ does: text, words: z.array(text) })) })
    .nullable(),
  /** The part of the last report of the device's host that cannot be read. */
  report_fault: maybe,
  phone_id: maybe,
  fencing_number: count,
  /**
   * The tenant for which the host last confirmed the device as clean: `anyone`, `tenant:` and one tenant, or
   * null.
   */
  clean_for: maybe,
  /** `unknown`: the device's host is lost. */
  link: text,
  drained_at: maybe,
  drain_until: maybe,
  /** Since when the device's new host has not taken it over; null: the device is not moving. */
  moving_since: maybe,
  /** Since when the device's phone claims the identity of another device; null: no claim. */
  claimed_since: maybe,
  /** Whether the device can prove its identity at another host. */
  has_identity: z.boolean(),
  /** Set while an operator keeps the device out of the pool. */
  maintenance: z.object({ since: text, note: text }).nullable(),
  last_proof_at: maybe,
  capabilities: z.array(z.object({ name: text, implementation: maybe, evidence: maybe })),
  wipe_checks: z.array(check),
  /** Recovery steps that the host agent took when the device stopped answering, oldest first. */
  events: z.array(z.object({ at: text, step: text, outcome: text, reason: text })),
  /** Null: the condition was not checked yet. */
  condition: condition.nullable(),
})

export const anyPhoneAnswer = z.object({
  id: text,
  name: text,
  project_id: text,
  project_name: text,
  status: z.enum(phoneStatuses),
  /** `park`, or `delete`: the idle phone is deleted. */
  on_idle: text,
  country: maybe,
  created_at: text,
  last_active_at: maybe,
  /** The end of the phone's last session; null: a session is open. */
  stopped_at: maybe,
  /** When the service deletes the phone, unless it is started before; null: no time is set. */
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
  /** The limit of phones without a session; null: no limit. Omitted by control planes of earlier releases. */
  parked_limit: count.nullable().optional(),
  frozen_at: maybe,
  /** Whether the project's phones run shell commands. Omitted by control planes of earlier releases. */
  shell: z.boolean().optional(),
  /**
   * Whether steps are recorded, whether typed text is recorded, which pictures are recorded (`off`, `asked`,
   * `every`), and the quota of the steps in bytes.
   */
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
  /** The first characters of the key; null: the characters are not known. */
  prefix: maybe,
  preset: z.enum(presets),
  profile: z.enum(profiles),
  project: text,
  /** IDs of the only phones that the key may use; empty: all phones. */
  phones: z.array(text),
  created_at: text,
  expires_at: maybe,
  revoked_at: maybe,
  last_used_at: maybe,
  last_used_address: maybe,
  /** The client that got the key by OAuth; null: a person created the key. The texts are hostile. */
  connector: z.object({ client_id: text, client_name: text, host: text }).nullable(),
})

/** A request of an API key or of a member that changed something, or that failed to. */
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
  /** The ID of the control plane's database, which changes with a restore and with a failover. */
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
  /** The ID of the token that created this token; null: the configuration's token. */
  created_by: maybe,
  created_at: text,
  expires_at: maybe,
  last_used_at: maybe,
  revoked_at: maybe,
})
export const newTokenAnswer = tokenAnswer.extend({ token: text })
/** `created_tokens`: the valid tokens that the revoked token created. */
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
  /** Names of the app's splits. */
  splits: z.array(text),
  size_bytes: z.number(),
  added_at: text,
})
/** `file`: the ID of the file, which becomes a part of an app. */
export const libraryFileAnswer = z.object({ file: text })

/** An unused link for a new operator, or for a new password. */
export const operatorLinkAnswer = z.object({
  id: text,
  role: z.enum(['operator', 'reset']),
  email: maybe,
  /** The ID of the operator token or user that created the link. */
  created_by: text,
  created_at: text,
  expires_at: text,
})
/** `url`: the link, which is never shown again. */
export const newLinkAnswer = z.object({ id: text, url: text, expires_at: text })

/** A terminal that waits for its first key. */
export const terminalAnswer = z.object({ client: maybe, address: text, created_at: text, expires_at: text })
/** Contains the link to confirm the terminal, and the project of the terminal's future key. */
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
