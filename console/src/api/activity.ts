/** Requests with the keys of a project that changed something. */
import { call } from './client'

export interface ActivityEntry {
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
}

export interface ActivityPage {
  data: ActivityEntry[]
  next_before: string | null
}

export const listActivity = (project: string, before: string | null) =>
  call<ActivityPage>(
    'GET',
    `/projects/${encodeURIComponent(project)}/activity${before === null ? '' : `?${new URLSearchParams({ before }).toString()}`}`,
  )
