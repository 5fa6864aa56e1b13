/** Client of the operator API (`/operator/v1`), for `up` and `ctl`. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressOf, type Answer, type BodyOf, type Fields, type Route } from '../generated/routes.js'
import type { HostChange, NewKey, ProjectChange } from './types.js'

export type * from './types.js'

/** The API refused the request; the message is the API's. */
export class OperatorError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly body: unknown,
    /** The API's next step; null: it sent none. */
    readonly next: string | null = null,
  ) {
    super(message)
    this.name = 'OperatorError'
  }
}

/** The control plane did not answer. */
export class Unreachable extends Error {
  /** @param key idempotency key of a write that may have run */
  constructor(baseUrl: string, cause: unknown, key: string | null = null) {
    super(
      key === null
        ? `no response from ${baseUrl}; is Phonerack running? (./scripts/up)`
        : `no response from ${baseUrl}: the change may or may not have been made. Repeat it safely with --idempotency-key ${key}`,
      { cause },
    )
    this.name = 'Unreachable'
  }
}

/** Milliseconds. The service may wait this long for a file and read it. */
const fileTimeoutMs = 180_000

/** Number of attempts when the response is lost, and the milliseconds between them. */
const tries = 3
const pauseMs = 300

interface Sent {
  headers: Record<string, string>
  body?: string | ReadableStream<Uint8Array>
  timeoutMs: number
}

export interface ClientOptions {
  timeoutMs?: number
  /** Key of the first write; later writes count up from it. Omitted: a random key. */
  idempotencyKey?: string
}

export class OperatorClient {
  private readonly timeoutMs: number
  private readonly idempotencyKey: string
  private writes = 0

  /** @param baseUrl origin of the operator API's listener */
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    { timeoutMs = 30_000, idempotencyKey = `ctl-${randomUUID()}` }: ClientOptions = {},
  ) {
    this.timeoutMs = timeoutMs
    this.idempotencyKey = idempotencyKey
  }

  /** @param all includes retired hosts */
  hosts = async (all = false) => (await this.call('GET /hosts', { all: all || null })).data
  /** Retires a host permanently. `force`: its phones fail. Without `force`, the API refuses a host with phones. */
  retire = (ref: string, force: boolean) =>
    this.call('POST /hosts/:ref/retire', { ref }, force ? { force } : {})
  changeHost = (ref: string, change: HostChange) => this.call('PATCH /hosts/:ref', { ref }, change)
  /** Removes a retired host from the lists. */
  removeHost = (ref: string) => this.call('DELETE /hosts/:ref', { ref })
  joinToken = () => this.call('POST /hosts/join-tokens', {})
  /** A join token with which a reinstalled machine gets the host's ID again. */
  rejoin = (ref: string) => this.call('POST /hosts/:ref/rejoin', { ref })

  devices = async () => (await this.call('GET /devices', {})).data
  /** @param ref device ID or serial */
  device = (ref: string) => this.call('GET /devices/:ref', { ref })
  /** Wipes the device, then prepares it, in the background. @param failPhone the phone that the device holds, which fails */
  enroll = (ref: string, failPhone?: string) =>
    this.call(
      'POST /devices/:ref/enroll',
      { ref },
      { erase: true, ...(failPhone === undefined ? {} : { fail_phone: failPhone }) },
    )
  /** Removes a place that no phone uses from the lists. */
  removeDevice = (ref: string) => this.call('DELETE /devices/:ref', { ref })
  /** `keep`: returns a device that is held back to its phone, unchanged. */
  release = (ref: string, keep = false) => this.call('POST /devices/:ref/release', { ref }, { keep })

  /**
   * Moves a device to the place where a host reports its phone. `serial`: omitted: unchanged. `unproven`: the phone need not
   * have the device's identity.
   */
  move = (ref: string, to: { host: string; serial?: string; unproven: boolean }) =>
    this.call('POST /devices/:ref/move', { ref }, to)

  /** New work stops now; running phones become unavailable after `seconds` (omitted: 1800). */
  drainHost = (ref: string, seconds?: number) =>
    this.call('POST /hosts/:ref/drain', { ref }, deadlineOf(seconds))
  undrainHost = (ref: string) => this.call('POST /hosts/:ref/undrain', { ref })
  /** New work stops now; a running phone becomes unavailable after `seconds` (omitted: 1800). */
  drainDevice = (ref: string, seconds?: number) =>
    this.call('POST /devices/:ref/drain', { ref }, deadlineOf(seconds))
  undrainDevice = (ref: string) => this.call('POST /devices/:ref/undrain', { ref })
  beginMaintenance = (ref: string, note: string) =>
    this.call('POST /devices/:ref/maintenance', { ref }, { note })
  endMaintenance = (ref: string) => this.call('DELETE /devices/:ref/maintenance', { ref })

  /** Phones of all projects, newest first. `stopped_for`: seconds since the last session; `before`: `next_before` of the previous page. */
  phones = (query: Fields<'GET /phones'>) => this.call('GET /phones', query)
  phone = (id: string) => this.call('GET /phones/:id', { id })
  /** Deletes a phone with its data. @param reason for the audit log and the project */
  deletePhone = (id: string, reason: string) => this.call('DELETE /phones/:id', { id }, { reason })

  projects = async () => (await this.call('GET /projects', {})).data
  project = (id: string) => this.call('GET /projects/:id', { id })
  createProject = (...project: BodyOf<'POST /projects'>) => this.call('POST /projects', {}, ...project)
  changeProject = (id: string, change: ProjectChange) => this.call('PATCH /projects/:id', { id }, change)

  keys = async (project: string) => (await this.call('GET /keys', { project })).data
  createKey = (key: NewKey) => this.call('POST /keys', {}, key)
  revokeKey = (id: string) => this.call('DELETE /keys/:id', { id })

  unmatchedPayments = async () => (await this.call('GET /payments/unmatched', {})).data

  operatorTokens = async () => (await this.call('GET /operator-tokens', {})).data
  createOperatorToken = (...token: BodyOf<'POST /operator-tokens'>) =>
    this.call('POST /operator-tokens', {}, ...token)
  revokeOperatorToken = (id: string) => this.call('DELETE /operator-tokens/:id', { id })

  /** The console's address, and whether an operator can sign in there. */
  console = () => this.call('GET /console', {})
  /** A one-time link that makes its holder an operator in the console. */
  inviteOperator = () => this.call('POST /invitations', {})
  /** Lists unused links for operators and for new passwords. */
  operatorInvitations = async () => (await this.call('GET /invitations', {})).data
  withdrawOperatorInvitation = (id: string) => this.call('DELETE /invitations/:id', { id })

  /**
   * A one-time link with which a person confirms the terminal. `project` may be omitted if there is only one
   * project.
   */
  approveSetup = (code: string, project?: string) =>
    this.call('POST /setups/approve', {}, { user_code: code, ...(project === undefined ? {} : { project }) })
  denySetup = (code: string) => this.call('POST /setups/deny', {}, { user_code: code })

  /** Newest first; `before`: `next_before` of the previous page. */
  audit = (page: Fields<'GET /audit'>) => this.call('GET /audit', page)
  /** Newest first; `before`: an entry's ID; lists older entries. */
  activity = (query: Fields<'GET /activity'>) => this.call('GET /activity', query)

  library = async () => (await this.call('GET /library/apps', {})).data
  /** Uploads one APK; it is kept for an hour, until `addLibraryApp` makes it part of an app. */
  sendLibraryFile = (content: ReadableStream<Uint8Array>) =>
    this.send(
      'POST /library/files',
      {},
      {
        headers: { 'content-type': 'application/vnd.android.package-archive' },
        body: content,
        timeoutMs: fileTimeoutMs,
      },
    )
  /** A base and its splits, as `sendLibraryFile` named them; replaces the app's earlier version. */
  addLibraryApp = (files: string[]) => this.call('POST /library/apps', {}, { files })
  removeLibraryApp = (name: string) => this.call('DELETE /library/apps/:package', { package: name })

  service = () => this.call('GET /service', {})
  pause = () => this.call('POST /service/pause', {})
  resume = () => this.call('POST /service/resume', {})
  restored = () => this.call('POST /service/restored', {})

  private call<R extends Route>(route: R, fields: Fields<R>, ...given: BodyOf<R>): Promise<Answer<R>> {
    const body: unknown = given[0] ?? (route.startsWith('POST ') ? {} : undefined)
    return this.send(route, fields, {
      headers: { 'content-type': 'application/json' },
      timeoutMs: this.timeoutMs,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  private async send<R extends Route>(route: R, fields: Fields<R>, sent: Sent): Promise<Answer<R>> {
    const [method = ''] = route.split(' ')
    const path = addressOf(route, fields)
    const key = method === 'GET' ? null : this.nextKey()
    const { status, ok, text } = await this.answer(method, path, key, sent)
    const parsed = parse(text)
    if (ok) return parsed as Answer<R>
    const { message, code, next } = errorIn(parsed)
    throw new OperatorError(
      message ?? `${method} ${path} answered ${status}`,
      status,
      code ?? 'unknown',
      parsed,
      next,
    )
  }

  /** Derives the same key in each run of a command with an idempotency key. */
  private nextKey(): string {
    this.writes += 1
    return this.writes === 1 ? this.idempotencyKey : `${this.idempotencyKey}.${this.writes}`
  }

  /** Repeats a request whose response was lost: a write carries its key, so it runs once. */
  private async answer(method: string, path: string, key: string | null, { headers, body, timeoutMs }: Sent) {
    const init: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(key === null ? {} : { 'idempotency-key': key }),
        ...headers,
      },
      // fetch requires this for a streamed body.
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    }
    const isRepeatable = body === undefined || typeof body === 'string'
    for (let attempt = 1; ; attempt += 1) {
      try {
        const signal = AbortSignal.timeout(timeoutMs)
        const response = await fetch(`${this.baseUrl}/operator/v1${path}`, { ...init, signal })
        return { status: response.status, ok: response.ok, text: await response.text() }
      } catch (cause) {
        if (attempt === 1 && isRefused(cause)) throw new Unreachable(this.baseUrl, cause)
        if (!isRepeatable || attempt >= tries)
          throw new Unreachable(this.baseUrl, cause, key === null ? null : this.idempotencyKey)
        await sleep(pauseMs)
      }
    }
  }
}

const deadlineOf = (seconds?: number) => (seconds === undefined ? {} : { deadline_seconds: seconds })

/** No server listens at the address, so the request did not run. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ECONNREFUSED'

function parse(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function errorIn(body: unknown): { message?: string; code?: string; next?: string } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {}
  const { error } = body
  if (typeof error !== 'object' || error === null) return {}
  return {
    ...('message' in error && typeof error.message === 'string' ? { message: error.message } : {}),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...('next' in error && typeof error.next === 'string' ? { next: error.next } : {}),
  }
}
