/** A minimal client of `/v1` and of the operator API. */
import { z } from 'zod'

export interface Answer {
  status: number
  headers: Headers
  /** The body, parsed when the answer is JSON. */
  body: unknown
  bytes: Buffer
}

export interface RequestOptions {
  body?: unknown
  headers?: Record<string, string>
  /** The timeout in milliseconds; default 130 s. */
  timeoutMs?: number
}

/**
 * Marks a promise that a test awaits later. A failure before that does not count as an unhandled rejection.
 */
export function forLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

export class Api {
  constructor(
    readonly baseUrl: string,
    readonly key: string,
  ) {}

  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return forLater(this.send(method, path, options))
  }

  private async send(method: string, path: string, options: RequestOptions): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.key}`, ...options.headers }
    const init: RequestInit = { method, headers, signal: AbortSignal.timeout(options.timeoutMs ?? 130_000) }
    if (options.body !== undefined) {
      headers['content-type'] ??= 'application/json'
      init.body =
        typeof options.body === 'string' || options.body instanceof Uint8Array
          ? options.body
          : JSON.stringify(options.body)
    }
    const response = await fetch(this.baseUrl + path, init)
    const bytes = Buffer.from(await response.arrayBuffer())
    const json = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      body: json ? JSON.parse(bytes.toString()) : bytes.toString(),
      bytes,
    }
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('GET', path, options)
  }

  post(path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('POST', path, body === undefined ? options : { ...options, body })
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.request('PATCH', path, { body })
  }

  put(path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('PUT', path, { ...options, body })
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path)
  }
}

export const errorBodySchema = z.strictObject({
  error: z.strictObject({
    type: z.string(),
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    next: z.string().nullable(),
    request_id: z.string().regex(/^req_[a-z2-7]{12}$/),
    details: z.record(z.string(), z.unknown()),
  }),
})

/** Returns the error of an answer; throws when the answer is not an error. */
export const errorOf = (answer: Answer): z.infer<typeof errorBodySchema>['error'] =>
  errorBodySchema.parse(answer.body).error

export const moneySchema = z.string().regex(/^-?\d+\.\d{6}$/)

export const phoneSchema = z.strictObject({
  id: z.string().regex(/^ph_[a-z2-7]{12}$/),
  object: z.literal('phone'),
  name: z.string(),
  status: z.string(),
  country: z.string().nullable(),
  on_idle: z.enum(['park', 'delete']),
  metadata: z.record(z.string(), z.string()),
  created_at: z.iso.datetime(),
  last_active_at: z.iso.datetime().nullable(),
  session: z
    .strictObject({
      id: z.string().regex(/^ses_[a-z2-7]{12}$/),
      started_at: z.iso.datetime(),
      ready_at: z.iso.datetime().nullable(),
      idle_timeout: z.int(),
      max_duration: z.int(),
      parks_at: z.iso.datetime(),
      park_reason: z.enum(['idle', 'max_duration']),
      reserved_usd: moneySchema,
    })
    .nullable(),
  failure: z.strictObject({ code: z.string(), message: z.string(), at: z.iso.datetime() }).nullable(),
})
export type Phone = z.infer<typeof phoneSchema>

export const sessionSchema = z.strictObject({
  id: z.string(),
  started_at: z.iso.datetime(),
  ready_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  end_reason: z.string().nullable(),
  billed_seconds: z.int().nullable(),
  cost_usd: moneySchema.nullable(),
  reserved_usd: moneySchema,
})
export type Session = z.infer<typeof sessionSchema>

export const accountSchema = z.object({
  project: z.string(),
  balance_usd: moneySchema,
  reserved_usd: moneySchema,
  spend_limit_usd: moneySchema,
  spent_this_month_usd: moneySchema,
  limits: z.object({ phones: z.int(), running: z.int() }),
  running: z.int(),
  phones: z.int(),
  price: z.object({ per_minute_usd: moneySchema, minimum_seconds: z.int() }),
  countries: z.array(z.object({ code: z.string(), name: z.string() })),
})
