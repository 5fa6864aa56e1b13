/**
 * A client of the service in a separate process, which tests cut off and kill: an SDK, the command line, or
 * the agent tools.
 */
import type { Action } from '@phonerack/sdk'
import { z } from 'zod'

/** The environment of a client's process. */
export interface ClientSettings {
  baseUrl: string
  apiKey: string
  /** A folder for settings. */
  home: string
}

export interface CreateCall {
  metadata: Record<string, string>
  /** The idempotency key. Omitted: the client generates a key, or sends none. */
  key?: string
}

/** How a call failed, as the client reports it. */
export interface Failure {
  code: string
  /** Whether the client reports that the request may have been carried out. */
  isUnknown: boolean
  retryable: boolean
  /** The key with which a create can be repeated; null: the error has no key. */
  key: string | null
}

export interface Outcome {
  /** The ID in the answer; null: the answer has no ID. */
  phone: string | null
  failure: Failure | null
}

export interface ClientProcess {
  /** Each call resolves with null when the process was killed before its outcome. */
  create(call: CreateCall): Promise<Outcome | null>
  /** Runs a batch without reading the screen. */
  act(phone: string, actions: readonly Action[]): Promise<Outcome | null>
  /** @param maxDuration seconds */
  start(phone: string, maxDuration: number): Promise<Outcome | null>
  observe(phone: string): Promise<Outcome | null>
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Ends the process if it runs. */
  close(): Promise<void>
}

/** The calls that change the phone or the session. */
export type WriteCall = 'create' | 'act' | 'start'

/** A kind of client. */
export interface ClientKind {
  name: string
  /** Whether the client repeats a create automatically, with a key that it generates. */
  repeatsCreates: boolean
  /** Method and path of the request of a call. */
  lineOf(call: WriteCall, phone?: string): string
  open(settings: ClientSettings): Promise<ClientProcess>
}

/** The requests of `/v1`. */
export function restLine(call: WriteCall, phone = ''): string {
  if (call === 'create') return 'POST /v1/phones'
  return `POST /v1/phones/${phone}/${call === 'act' ? 'actions' : 'start'}`
}

/** The envelope of an error. */
export const envelopeSchema = z.object({
  code: z.string(),
  retryable: z.boolean(),
  next: z.string().nullable(),
  details: z.looseObject({ idempotency_key: z.string().optional() }),
})

/** @param isUnknown the unknown outcome, which the client reports outside the envelope */
export const failureOf = (envelope: unknown, isUnknown: boolean): Failure => {
  const { code, retryable, details } = envelopeSchema.parse(envelope)
  return { code, isUnknown, retryable, key: details.idempotency_key ?? null }
}

/** Variables that every one of these clients needs. */
export const environmentOf = ({ baseUrl, apiKey, home }: ClientSettings): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  XDG_CONFIG_HOME: home,
  PHONERACK_BASE_URL: baseUrl,
  PHONERACK_API_KEY: apiKey,
})
