/** The activity of a project: requests of its keys and members that changed something. */
import { call } from './client'

export interface ActivityEntry {
  id: string
  at: string
  /** The ID of the key, or of the member who used the console. */
  key_id: string
  request_id: string
  /** A short description for people. */
  text: string
  method: string
  route: string
  phone_id: string | null
  status: number
  code: string | null
  ms: number
}

export interface ActivityPage {
  data: ActivityEntry[]
  next_before: string | null
}

/** The filters of the activity. `by`: the ID of a key or user. */
export interface ActivityFilter {
  by?: string
  phone?: string
  refused?: true
}

export const listActivity = (project: string, filter: ActivityFilter, before: string | null) => {
  const { by, phone, refused } = filter
  const query = new URLSearchParams({
    ...(by === undefined ? {} : { by }),
    ...(phone === undefined ? {} : { phone }),
    ...(refused === undefined ? {} : { refused: 'true' }),
    ...(before === null ? {} : { before }),
  })
  return call<ActivityPage>('GET', `/projects/${encodeURIComponent(project)}/activity?${query.toString()}`)
}
