/** A request with a key that changed a resource, or tried to, without any text that a person typed. */
export interface ActivityEntry {
  projectId: string
  keyId: string
  requestId: string
  at: Date
  method: string
  /** The route as in the API description, for example `/v1/phones/:id/actions`. */
  route: string
  phoneId: string | null
  status: number
  /** The error's code; null for a success. */
  code: string | null
  ms: number
  summary: Record<string, string | number | boolean | null | string[]>
}

export interface ActivityService {
  /** Returns immediately; the entry is written soon after. */
  record(entry: ActivityEntry): void
}
