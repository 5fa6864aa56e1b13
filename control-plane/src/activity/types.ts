/** One request with a key that changed something, or tried to; without anything that a person typed. */
export interface ActivityEntry {
  projectId: string
  keyId: string
  requestId: string
  at: Date
  method: string
  /** As in the description, for example `/v1/phones/:id/actions`. */
  route: string
  phoneId: string | null
  status: number
  /** Of the error; null when there was none. */
  code: string | null
  ms: number
  summary: Record<string, string | number | boolean | null | string[]>
}

export interface ActivityService {
  /** Returns at once; written soon after. */
  record(entry: ActivityEntry): void
}
