/** The spending of a project. Days are UTC. */
import { call } from './client'

export interface Usage {
  /** Oldest first, with days that cost nothing. */
  days: { day: string; cost_usd: string; seconds: number }[]
  /** Those that cost the most first. */
  phones: { id: string; name: string; cost_usd: string; seconds: number }[]
  /** Payments and corrections, newest first. */
  changes: { at: string; kind: string; amount_usd: string }[]
}

export const getUsage = (project: string) =>
  call<Usage>('GET', `/projects/${encodeURIComponent(project)}/usage`)
