/** The spending of a project. Days are UTC. */
import { call } from './client'
import { type Role } from './session'

export interface Spending {
  id: string
  name: string
  cost_usd: string
  seconds: number
}

export interface DaySpending {
  day: string
  cost_usd: string
  seconds: number
}

export interface Usage {
  /** Oldest first, with days that cost nothing. */
  days: DaySpending[]
  /** Those that cost the most first. */
  phones: Spending[]
  /** Keys, and users of the console, by the phones that they rented. */
  keys: Spending[]
}

export interface AllSpending {
  days: DaySpending[]
  /** Those that cost the most first. */
  projects: (Spending & { role: Role; available_usd: string })[]
}

/** Over all projects of the user. */
export const getSpending = () => call<AllSpending>('GET', '/spending')

export const getUsage = (project: string) =>
  call<Usage>('GET', `/projects/${encodeURIComponent(project)}/usage`)

export interface Level<T = number> {
  used: T
  limit: T
}

/** The limits of a project. */
export interface Limits {
  /** All projects of the owner together. */
  running: Level
  phones: Level
  spent_this_month_usd: Level<string>
  recordings: Level
  recording_bytes: Level
  upload_bytes: Level
  uploads_today: Level
  keys: Level
  webhooks: Level
  /** The oldest steps are deleted above it. Null: none are recorded. */
  steps_max_bytes: number | null
}

export const getLimits = (project: string) =>
  call<Limits>('GET', `/projects/${encodeURIComponent(project)}/limits`)
