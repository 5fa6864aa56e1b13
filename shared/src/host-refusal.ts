/**
 * Why a host agent takes no new work, in its heartbeats and in the errors of its calls. The cause is the agent's machine and
 * never a phone. docs/decisions/0217
 */
import { z } from 'zod'
import { ApiError } from './errors.js'

export const hostFaults = [
  /**
   * The disk has less free space than the agent needs, or a write to its data folder failed for lack of
   * space.
   */
  'disk_full',
  /** The agent cannot read or write its own files, open connections, or start programs. */
  'own_fault',
  /** The agent received SIGTERM and finishes its running calls. */
  'stopping',
] as const
export type HostFault = (typeof hostFaults)[number]

/** The field of a heartbeat. A receiver treats an unknown `kind` like `own_fault`. */
export const hostRefusalSchema = z.object({
  kind: z.string().regex(/^[a-z_]{1,50}$/),
  /** A text for the operator, with the next step. */
  reason: z.string().max(2000),
})
export type HostRefusal = z.infer<typeof hostRefusalSchema> & { kind: HostFault }

const messages: Record<HostFault, string> = {
  disk_full: 'The disk of the host of the phone is full, so nothing was done.',
  own_fault: 'The host of the phone has a fault, so nothing was done.',
  stopping: 'The host of the phone is restarting, so nothing was done.',
}

/**
 * An agent refused a call because of its machine. Nothing was done on the phone, and the call can be
 * repeated.
 */
export class HostRefused extends ApiError {
  constructor(fault: HostFault, cause?: unknown) {
    super('phone_unavailable', {
      message: messages[fault],
      details: { host_fault: fault },
      ...(cause === undefined ? {} : { cause }),
    })
    this.name = 'HostRefused'
  }
}

/** The fault that an error of an agent names; null: it names none. */
export function hostFaultIn(details: Readonly<Record<string, unknown>> | undefined): HostFault | null {
  const named = details?.['host_fault']
  if (typeof named !== 'string') return null
  return hostFaults.find((fault) => fault === named) ?? 'own_fault'
}
