/** The phones of all projects that the user is a member of. */
import { call } from './client'
import { type Phone, type PhoneStatus } from './projects'
import { type ProjectRef } from './session'

export interface AllPhonesPage {
  data: (Phone & { project_id: string })[]
  next_cursor: string | null
  /** All projects of the user, including those without phones on this page. */
  projects: ProjectRef[]
}

/** The filters of the list. `project` is the ID of a project. */
export interface AllPhonesFilter {
  status?: PhoneStatus
  project?: string
}

export const listAllPhones = (filter: AllPhonesFilter, cursor: string | null) => {
  const query = new URLSearchParams({ ...filter, ...(cursor === null ? {} : { cursor }) })
  return call<AllPhonesPage>('GET', `/phones?${query.toString()}`)
}
