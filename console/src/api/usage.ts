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
  /** Sorted by cost, the highest first. */
  phones: Spending[]
  /** The keys and users of the console that rented phones. */
  keys: Spending[]
}

export interface AllSpending {
  days: DaySpending[]
  /** Sorted by cost, the highest first. */
  projects: (Spending & { role: Role; available_usd: string })[]
}

/** Reads the spending of all projects of the user. */
export const getSpending = () => call<AllSpending>('GET', '/spending')

export const getUsage = (project: string) =>
  call<Usage>('GET', `/projects/${encodeURIComponent(project)}/usage`)

export interface Level<T = number> {
  used: T
  limit: T
}

/** The limits of a project. */
export interface Limits {
  /** Counted over all projects of the owner. */
  running: Level
  phones: Level
  spent_this_month_usd: Level<string>
  recordings: Level
  recording_bytes: Level
  upload_bytes: Level
  uploads_today: Level
  keys: Level
  webhooks: Level
  /** Above this size, the oldest steps are deleted. Null: steps are not recorded. */
  steps_max_bytes: number | null
}

export const getLimits = (project: string) =>
  call<Limits>('GET', `/projects/${encodeURIComponent(project)}/limits`)
