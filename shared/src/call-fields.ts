/**
 * The IDs of the work that runs now: a request, a job, or a call of the control plane. `log.ts` adds them to every line that is
 * logged during it, so that no function has to pass them on.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface CallFields {
  request_id?: string
  phone?: string
  host?: string
  device?: string
  job?: string
}

const running = new AsyncLocalStorage<CallFields>()

/** Runs `work` with these fields on its log lines. */
export const withCallFields = <T>(fields: CallFields, work: () => T): T => running.run(fields, work)

/**
 * Adds fields that the running work has learned, such as the host of its phone. Does nothing outside of
 * running work.
 */
export function noteCallFields(fields: CallFields): void {
  const known = running.getStore()
  if (known) Object.assign(known, fields)
}

/** The IDs of the active span. Empty without an active span. */
let traceFields = (): object => ({})

/** @param fields called for each log line. Set by `tracing/sdk.ts`. */
export function useTraceFields(fields: () => object): void {
  traceFields = fields
}

/** Fields for a log line. A field of the line itself replaces the field of the work with the same name. */
export const fieldsOfCall = (): object => ({ ...running.getStore(), ...traceFields() })
