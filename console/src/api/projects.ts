/** Projects, keys and lists of phones. */
import { call } from './client'
import { type Role } from './session'

export interface Outlook {
  /** `empty`: no phone can start. `low`: the credit lasts for less than a day. */
  state: 'ok' | 'low' | 'empty'
  per_day_usd: string
  /** Null: the project spends nothing. */
  lasts_seconds: number | null
}

export interface Project {
  id: string
  name: string
  role: Role
  balance_usd: string
  reserved_usd: string
  spend_limit_usd: string
  spent_this_month_usd: string
  /** The balance minus the reservations of open sessions. */
  available_usd: string
  outlook: Outlook
  /** The amounts that one payment may have, in whole dollars; null: the service does not sell credit. */
  purchase: { min_usd: number; max_usd: number; default_usd: number } | null
  limits: { phones: number; running: number }
  running: number
  phones: number
  countries: { code: string; name: string }[]
  price: { per_minute_usd: string; minimum_seconds: number }
}

const of = (project: string): string => `/projects/${encodeURIComponent(project)}`

export const getProject = (id: string) => call<Project>('GET', of(id))
export const createProject = (name: string) => call<{ id: string }>('POST', '/projects', { name })

export type Preset = 'agent' | 'admin' | 'read-only'
/** Limits a key below its rights. */
export type Profile = 'full' | 'guarded' | 'read-only'
export type Expiry = '30d' | '90d' | '1y' | 'never'

export interface Key {
  id: string
  name: string
  /** The first characters of the key; null: not stored. */
  prefix: string | null
  preset: Preset
  profile: Profile
  /** IDs of the phones that the key may use; empty: all phones. */
  phones: string[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  last_used_address: string | null
  /** The OAuth client that holds the key; null: a member created the key. Hostile text. */
  connector: { client_id: string; client_name: string; host: string } | null
}

export interface NewKey {
  name: string
  preset: Preset
  profile: Profile
  expires: Expiry
  phones?: string[]
}

/** `key`: the secret, which is never shown again. */
export type CreatedKey = Pick<Key, 'id' | 'name'> & { key: string }

export const listKeys = (project: string) => call<{ data: Key[] }>('GET', `${of(project)}/keys`)
export const createKey = (project: string, key: NewKey) =>
  call<CreatedKey>('POST', `${of(project)}/keys`, key)
export const revokeKey = (project: string, id: string) =>
  call('DELETE', `${of(project)}/keys/${encodeURIComponent(id)}`)

export const phoneStatuses = [
  'creating',
  'starting',
  'ready',
  'parking',
  'parked',
  'unavailable',
  'failed',
  'deleted',
] as const
export type PhoneStatus = (typeof phoneStatuses)[number]

export interface Phone {
  id: string
  name: string
  status: PhoneStatus
  country: string | null
  metadata: Record<string, string>
  created_at: string
  last_active_at: string | null
  session: {
    id: string
    started_at: string
    parks_at: string
    park_reason: string
    reserved_usd: string
  } | null
  failure: { code: string; message: string } | null
}

export interface PhonePage {
  data: Phone[]
  next_cursor: string | null
}

/** The filters of a list of phones. `key`: the ID of the key that created them. `metadata`: `name=value`. */
export interface PhoneFilter {
  status?: PhoneStatus
  key?: string
  metadata?: string
}

export type PhonesView = 'list' | 'wall'

export const listPhones = (project: string, filter: PhoneFilter, cursor: string | null) => {
  const query = new URLSearchParams({ ...filter, ...(cursor === null ? {} : { cursor }) })
  return call<PhonePage>('GET', `${of(project)}/phones?${query.toString()}`)
}
/** Phones whose name contains the text, or with this ID. */
export const findPhones = (project: string, search: string) =>
  call<PhonePage>('GET', `${of(project)}/phones?${new URLSearchParams({ search }).toString()}`)
/** @param name empty: the service chooses one */
export const createPhone = (project: string, name: string) =>
  call<Phone>('POST', `${of(project)}/phones`, name === '' ? {} : { name })

const phone = (project: string, id: string): string => `${of(project)}/phones/${encodeURIComponent(id)}`
export const startPhone = (project: string, id: string) =>
  call<Phone>('POST', `${phone(project, id)}/start`, {})
export const parkPhone = (project: string, id: string) =>
  call<Phone>('POST', `${phone(project, id)}/park`, {})
export const deletePhone = (project: string, id: string) => call<Phone>('DELETE', phone(project, id))
