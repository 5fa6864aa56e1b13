/** The operators' pages: hosts, devices, projects, the audit log, and the state of the service. */
import { call } from './client'
import { type PhoneStatus } from './projects'

export type HostState = 'online' | 'degraded' | 'refusing' | 'stopping' | 'late' | 'lost' | 'retired'

export type DeviceState =
  | 'unenrolled'
  | 'provisioning'
  | 'free'
  | 'assigned'
  | 'wiping'
  | 'quarantined'
  | 'offline'
  | 'unauthorized'

/** A device in the list of a host. */
export interface Port {
  id: string
  serial: string
  maker: string | null
  model: string | null
  state: DeviceState
  link: string
  drained_at: string | null
  maintenance_at: string | null
  phone: { id: string; name: string; status: PhoneStatus; project_id: string } | null
}

export interface Host {
  id: string
  name: string
  country: string
  state: HostState
  address: string | null
  version: string | null
  protocol_version: number | null
  report_fault: string | null
  problem: string | null
  refuses: string | null
  degraded: string | null
  last_seen_at: string | null
  devices: number
  running: number
  certificate_expires_at: string
  drained_at: string | null
  drain_until: string | null
  load: number | null
  clock_ahead_ms: number | null
  ports: Port[]
}

export interface WipeCheck {
  name: string
  passed: boolean
  evidence: string
}

export interface Condition {
  checked_at: string
  battery_percent: number | null
  battery_celsius: number | null
  storage_free_bytes: number | null
  storage_total_bytes: number | null
  warnings: string[]
}

export interface Device {
  id: string
  host_id: string
  host_name: string
  host_state: HostState
  serial: string
  maker: string | null
  model: string | null
  sdk: number | null
  state: DeviceState
  reason: string | null
  next_step: { first: string | null } | null
  report_fault: string | null
  phone_id: string | null
  /** A phone runs on the device. */
  is_running: boolean
  link: string
  drained_at: string | null
  drain_until: string | null
  maintenance: { since: string; note: string } | null
  last_proof_at: string | null
  wipe_checks: WipeCheck[]
  events: { at: string; step: string; outcome: string; reason: string }[]
  condition: Condition | null
}

export interface OperatorProject {
  id: string
  name: string
  balance_usd: string
  reserved_usd: string
  spend_limit_usd: string
  max_phones: number
  max_running: number
  frozen_at: string | null
}

export interface AuditEntry {
  id: string
  at: string
  token_id: string
  token_name: string
  address: string
  request_id: string
  action: string
  target: string | null
  before: unknown
  after: unknown
}

export interface LibraryApp {
  package: string
  label: string
  version_code: number
  version_name: string
  splits: string[]
  size_bytes: number
  added_at: string
}

export interface System {
  service: { paused_at: string | null; devices_to_confirm: number }
  postgres: {
    version: string | null
    size_bytes: number
    connections: number
    max_connections: number
    schema: number
  }
  nats: { is_connected: boolean }
  storage: { kind: 'fs' | 's3' | 'off'; place: string | null }
  replicas: { id: string; beat_at: string; is_running: boolean }[]
  /** The release of the replica that answers. */
  version: string
  replica_id: string
  clock_ahead_ms: number | null
}

/** The settings of a project to change. Settings that are left out stay. */
export interface ProjectChange {
  credit_usd?: string
  spend_limit_usd?: string
  max_phones?: number
  max_running?: number
  frozen?: boolean
}

const host = (id: string): string => `/operator/hosts/${encodeURIComponent(id)}`
const device = (id: string): string => `/operator/devices/${encodeURIComponent(id)}`

export const listHosts = () => call<{ data: Host[] }>('GET', '/operator/hosts')
export const createJoinCommand = () =>
  call<{ command: string; expires_at: string }>('POST', '/operator/hosts/join-tokens', {})
export const drainHost = (id: string, seconds: number) =>
  call('POST', `${host(id)}/drain`, { deadline_seconds: seconds })
export const undrainHost = (id: string) => call('POST', `${host(id)}/undrain`, {})
export const retireHost = (id: string, force: boolean) => call('POST', `${host(id)}/retire`, { force })

export const listDevices = () => call<{ data: Device[] }>('GET', '/operator/devices')
/** Fails the phone that the device holds, if any. */
export const enrollDevice = ({ id, phone_id: phone }: Device, serial: string) =>
  call('POST', `${device(id)}/enroll`, phone === null ? { serial } : { serial, fail_phone: phone })
export const releaseDevice = (id: string, keep: boolean) => call('POST', `${device(id)}/release`, { keep })
export const drainDevice = (id: string, seconds: number) =>
  call('POST', `${device(id)}/drain`, { deadline_seconds: seconds })
export const undrainDevice = (id: string) => call('POST', `${device(id)}/undrain`, {})
export const beginMaintenance = (id: string, note: string) =>
  call('POST', `${device(id)}/maintenance`, { note })
export const endMaintenance = (id: string) => call('DELETE', `${device(id)}/maintenance`)

export const listAllProjects = () => call<{ data: OperatorProject[] }>('GET', '/operator/projects')
export const changeProject = (id: string, change: ProjectChange) =>
  call('PATCH', `/operator/projects/${encodeURIComponent(id)}`, change)

interface AuditPage {
  data: AuditEntry[]
  next_before: string | null
}

export const listAudit = (before: string | null) =>
  call<AuditPage>(
    'GET',
    `/operator/audit${before === null ? '' : `?${new URLSearchParams({ before }).toString()}`}`,
  )
/** The newest changes of one object. @param target its ID */
export const listChangesOf = (target: string) =>
  call<AuditPage>('GET', `/operator/audit?${new URLSearchParams({ target }).toString()}`)

export const listLibrary = () =>
  call<{ data: LibraryApp[]; is_configured: boolean }>('GET', '/operator/library/apps')
/** Sends one APK. The server keeps it for an hour, in which an app must be made of it. */
export const sendLibraryFile = (apk: File) => call<{ file: string }>('POST', '/operator/library/files', apk)
export const addLibraryApp = (files: readonly string[]) =>
  call<LibraryApp>('POST', '/operator/library/apps', { files })
export const removeLibraryApp = (name: string) =>
  call('DELETE', `/operator/library/apps/${encodeURIComponent(name)}`)

/** A link that makes its holder an operator, or with which a user chooses a new password. */
export interface OperatorLink {
  id: string
  role: 'operator' | 'reset'
  email: string | null
  created_by: string
  expires_at: string
}

export const listLinks = () => call<{ data: OperatorLink[] }>('GET', '/operator/invitations')
export const withdrawLink = (id: string) => call('DELETE', `/operator/invitations/${encodeURIComponent(id)}`)

export const getSystem = () => call<System>('GET', '/operator/system')
export const pauseService = () => call('POST', '/operator/service/pause', {})
export const resumeService = () => call('POST', '/operator/service/resume', {})
