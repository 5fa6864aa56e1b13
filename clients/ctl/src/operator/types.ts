/** JSON types of the operator API's requests and responses. */

export interface Host {
  id: string
  name: string
  country: string
  /** Omitted by older control planes. */
  labels?: Record<string, string>
  state: string
  address: string
  version: string
  /** Null: no heartbeat received yet. */
  protocol_version: number | null
  /** Why its heartbeats are refused, or which part of them cannot be read. */
  report_fault: string | null
  /** A missing part of its machine; omitted by older control planes. */
  problem?: string | null
  /** Why its agent takes no new work; omitted by older control planes. */
  refuses?: string | null
  /** Why it gets no new phones: its devices fail together; omitted by older control planes. */
  degraded?: string | null
  degraded_until?: string | null
  last_seen_at: string | null
  devices: unknown
  /** Phones with an open session. */
  running: number
  /** Null: it takes new work. */
  drained_at: string | null
  /** When its running phones become unavailable. */
  drain_until: string | null
  /** Null: it is not retired; omitted by older control planes. */
  retired_at?: string | null
  /** Omitted by older control planes. */
  certificate_expires_at?: string
  /** How far it is in an open rotation of the authority; null: none is open; omitted by older control planes. */
  authority_rotation?: HostRotation | null
}

export interface HostChange {
  name?: string
  country?: string
  /** Null removes a label. */
  labels?: Record<string, string | null>
}

export interface HostRotation {
  phase: 'begun' | 'switched'
  trust: 'unreported' | 'earlier' | 'both' | 'renewed'
  /** For the next step: the switch, or the end. */
  is_ready: boolean
}

export interface RetiredHost extends Host {
  /** Phones that end with the host. */
  phones: number
}

export interface NextStep {
  /** Printed before the commands; null: nothing. */
  first: string | null
  /** `words`: the arguments of `./scripts/ctl`. */
  commands: { does: string; words: string[] }[]
}

export interface Device {
  id: string
  host_id: string
  host_name: string
  host_state: string
  serial: string
  maker: string | null
  model: string | null
  sdk: number | null
  state: string
  reason: string | null
  /** The next step for a quarantine; null: the device is not quarantined. */
  next_step: NextStep | null
  /** The part of its host's last report that cannot be read. */
  report_fault: string | null
  phone_id: string | null
  fencing_number: number
  /**
   * Allowed next users of the device, by its host's last report: `anyone`, `tenant:` and a tenant, or null for no one.
   */
  clean_for: string | null
  /** `unknown`: its host is lost. */
  link: string
  /** Since when it is being moved to this host; null: it is not. */
  moving_since: string | null
  /** Since when its phone claims to be another device; null: it does not. */
  claimed_since: string | null
  /** Whether it can prove its identity at another host. */
  has_identity: boolean
  /** Null: it takes new work, if its host does. */
  drained_at: string | null
  drain_until: string | null
  /** Null: not in maintenance. */
  maintenance: { since: string; note: string } | null
  last_proof_at: string | null
  capabilities: { name: string; implementation: string | null; evidence: string | null }[]
  wipe_checks: { name: string; passed: boolean; evidence: string | null }[]
  /** Recovery steps that the host agent took when the device stopped answering, oldest first. */
  events: { at: string; step: string; outcome: string; reason: string }[]
  /** Null: not checked yet. */
  condition: DeviceCondition | null
}

/** Null: the phone does not report it. */
export interface DeviceCondition {
  checked_at: string
  battery_percent: number | null
  battery_celsius: number | null
  storage_free_bytes: number | null
  storage_total_bytes: number | null
  highest_app_uid: number | null
  lock_credential: boolean | null
  warnings: string[]
}

/** A phone of a project. */
export interface OperatorPhone {
  id: string
  name: string
  project_id: string
  project_name: string
  status: string
  /** `park`, or `delete`: it deletes itself. */
  on_idle: string
  country: string | null
  created_at: string
  last_active_at: string | null
  /** The end of its last session; null: it runs. */
  stopped_at: string | null
  /** When the service deletes it, unless it is started before; null: no time is set. */
  deletes_at: string | null
  device_id: string | null
  serial: string | null
  host_id: string | null
  host_name: string | null
  failure_code: string | null
  failure_message: string | null
}

export interface Project {
  id: string
  name: string
  owner_id: string
  balance_usd: string
  reserved_usd: string
  spend_limit_usd: string
  max_phones: number
  max_running: number
  /** The limit of phones without a session; null: none; omitted by older control planes. */
  parked_limit?: number | null
  frozen_at: string | null
  /** Whether steps are recorded, with typed text, with which pictures (`off`, `asked`, `every`), and their quota. */
  steps: boolean
  steps_text: boolean
  steps_pictures: string
  steps_max_bytes: number
}

export interface Restored {
  /** The database that the control plane works on: changes with a restore and with a failover. */
  epoch: string
  epoch_changed_at: string
  /** Idle devices that are not assigned because their hosts have not confirmed them yet. */
  devices_to_confirm: number
}

export interface Service extends Restored {
  paused_at: string | null
}

export interface ProjectChange {
  /** Added to the balance. */
  credit_usd?: string
  spend_limit_usd?: string
  max_phones?: number
  max_running?: number
  /** Null: none. */
  parked_limit?: number | null
  frozen?: boolean
  steps?: boolean
  steps_text?: boolean
  steps_pictures?: string
  steps_max_bytes?: number
}

export interface Key {
  id: string
  name: string | null
  preset: string
  profile: string
  project: string
  phones: string[] | null
  expires_at: string | null
  revoked_at: string | null
}

/** A request with an API key that changed something, or tried to. */
export interface Activity {
  id: string
  at: string
  key_id: string
  request_id: string
  method: string
  route: string
  phone_id: string | null
  status: number
  code: string | null
  ms: number
  summary: Record<string, string | number | boolean | null | string[]>
}

export interface NewKey {
  project: string
  preset: 'agent' | 'admin' | 'read-only'
  profile?: 'full' | 'guarded' | 'read-only'
  phones?: string[]
  expires?: '30d' | '90d' | '1y' | 'never'
  name?: string
}

/** An app in the library. */
export interface LibraryApp {
  package: string
  label: string
  version_code: number
  version_name: string
  /** Names of its splits. */
  splits: string[]
  size_bytes: number
  added_at: string
}

/** An operator's token. */
export interface OperatorToken {
  id: string
  name: string
  /** ID of the token that created it; null: the configuration's token. */
  created_by: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}

/** A link for a new operator, or for a new password, that was not used. */
export interface OperatorInvitation {
  id: string
  role: 'operator' | 'reset'
  email: string | null
  /** ID of the operator token or user that created it. */
  created_by: string
  created_at: string
  expires_at: string
}

/** A change by an operator. */
export interface AuditEntry {
  id: string
  at: string
  token_id: string
  token_name: string
  address: string
  request_id: string
  action: string
  target: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** A terminal that waits for its first key. */
export interface WaitingTerminal {
  client: string | null
  address: string
  created_at: string
  expires_at: string
}

/** With the link to confirm it, and the project of its future key. */
export interface ApprovedTerminal extends WaitingTerminal {
  url: string
  project: string
  project_name: string
}

export interface NewProject {
  name: string
  /** Omitted: a new owner. */
  owner?: string
  credit_usd?: string
}

/** A payment that the provider reported and that matches no checkout. */
export interface UnmatchedPayment {
  /** The provider's ID. */
  id: string
  kind: string
  /** The checkout link that the payment names. */
  reference: string | null
  payment_intent: string | null
  /** In the currency's smallest unit. */
  cents: number
  currency: string
  reason: string
  told_at: string
}
