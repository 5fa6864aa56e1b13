/** Hand-overs in progress: requests of agents for help, and phones that a person has taken over. */
import { call } from './client'
import { type Control } from './phones'

export interface Handoff extends Control {
  phone: { id: string; name: string }
  project_id: string
  created_at: string
}

/** Lists the hand-overs of all projects of the user, and of `project`. Hand-overs that wait for a person come first. */
export const listHandoffs = (project: string | null) =>
  call<{ data: Handoff[] }>(
    'GET',
    `/handoffs${project === null ? '' : `?${new URLSearchParams({ project }).toString()}`}`,
  )
