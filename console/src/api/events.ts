/** Events of a project, newest first. */
import { call } from './client'

export interface ProjectEvent {
  id: string
  type: string
  created_at: string
  phone_id: string | null
  data: Record<string, Record<string, unknown>>
}

/** The filters of a list of events. */
export interface EventFilter {
  type?: string
  phone?: string
}

export interface EventPage {
  data: ProjectEvent[]
  next_cursor: string | null
  /** All types of events. */
  types: string[]
}

export const listEvents = (project: string, filter: EventFilter, cursor: string | null) => {
  const query = new URLSearchParams({ ...filter, ...(cursor === null ? {} : { cursor }) })
  return call<EventPage>('GET', `/projects/${encodeURIComponent(project)}/events?${query.toString()}`)
}
