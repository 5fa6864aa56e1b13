/** Client of the operator API (`/operator/v1`), for `up` and `ctl`. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Activity,
  ApprovedTerminal,
  AuditEntry,
  Device,
  Host,
  HostChange,
  Key,
  LibraryApp,
  NewKey,
  NewProject,
  OperatorInvitation,
  OperatorPhone,
  OperatorToken,
  Project,
  ProjectChange,
  Restored,
  RetiredHost,
  Service,
  UnmatchedPayment,
  WaitingTerminal,
} from './types.js'

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

interface Drained {
  hosts: Host
  devices: Device
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

  /** @param all retired ones too */
  hosts = async (all = false): Promise<Host[]> =>
    (await this.call<{ data: Host[] }>('GET', `/hosts${all ? '?all=true' : ''}`)).data
  /** Ends a host for good. `force`: its phones fail; without it, a host with phones is refused. */
  retire = (ref: string, force: boolean): Promise<RetiredHost> =>
    this.call('POST', `/hosts/${encodeURIComponent(ref)}/retire`, force ? { force } : {})
  changeHost = (ref: string, change: HostChange): Promise<Host> =>
    this.call('PATCH', `/hosts/${encodeURIComponent(ref)}`, change)
  /** Takes a retired host out of the lists. */
  removeHost = (ref: string): Promise<{ id: string }> =>
    this.call('DELETE', `/hosts/${encodeURIComponent(ref)}`)
  joinToken = (): Promise<{ token: string; expires_at: string }> =>
    this.call('POST', '/hosts/join-tokens', {})
  /** A join token with which a reinstalled machine gets the host's ID again. */
  rejoin = (ref: string): Promise<{ token: string; expires_at: string; host_id: string }> =>
    this.call('POST', `/hosts/${encodeURIComponent(ref)}/rejoin`, {})

  devices = async (): Promise<Device[]> => (await this.call<{ data: Device[] }>('GET', '/devices')).data
  /** @param ref device ID or serial */
  device = (ref: string): Promise<Device> => this.call('GET', `/devices/${encodeURIComponent(ref)}`)
  /** Wipes the device, then prepares it, in the background. @param failPhone the phone that the device holds, which fails */
  enroll = (ref: string, failPhone?: string): Promise<Device> =>
    this.call('POST', `/devices/${encodeURIComponent(ref)}/enroll`, {
      erase: true,
      ...(failPhone === undefined ? {} : { fail_phone: failPhone }),
    })
  /** Takes a place out of the lists that no phone uses. */
  removeDevice = (ref: string): Promise<{ id: string }> =>
    this.call('DELETE', `/devices/${encodeURIComponent(ref)}`)
  /** `keep`: returns a device that is held back to its phone, unchanged. */
  release = (ref: string, keep = false): Promise<Device> =>
    this.call('POST', `/devices/${encodeURIComponent(ref)}/release`, { keep })

  /**
   * Moves a device to the place where a host reports its phone. `serial`: omitted: unchanged. `unproven`: the phone need not
   * carry the device's identity.
   */
  move = (ref: string, to: { host: string; serial?: string; unproven: boolean }): Promise<Device> =>
    this.call('POST', `/devices/${encodeURIComponent(ref)}/move`, to)

  /** New work stops now; running phones become unavailable after `seconds` (omitted: 1800). */
  drain = <K extends 'hosts' | 'devices'>(kind: K, ref: string, seconds?: number): Promise<Drained[K]> =>
    this.call('POST', `/${kind}/${encodeURIComponent(ref)}/drain`, {
      ...(seconds === undefined ? {} : { deadline_seconds: seconds }),
    })
  undrain = <K extends 'hosts' | 'devices'>(kind: K, ref: string): Promise<Drained[K]> =>
    this.call('POST', `/${kind}/${encodeURIComponent(ref)}/undrain`, {})
  beginMaintenance = (ref: string, note: string): Promise<Device> =>
    this.call('POST', `/devices/${encodeURIComponent(ref)}/maintenance`, { note })
  endMaintenance = (ref: string): Promise<Device> =>
    this.call('DELETE', `/devices/${encodeURIComponent(ref)}/maintenance`)

  /** Phones of all projects, newest first. `stopped_for`: seconds since the last session; `before`: `next_before` of the previous page. */
  phones = (query: {
    project?: string
    status?: string
    stopped_for?: number
    limit: number
    before?: string
  }): Promise<{ data: OperatorPhone[]; next_before: string | null }> =>
    this.call('GET', `/phones?${new URLSearchParams(textsOf(query)).toString()}`)
  phone = (id: string): Promise<OperatorPhone> => this.call('GET', `/phones/${encodeURIComponent(id)}`)
  /** Deletes a phone with its data. @param reason for the audit log and the project */
  deletePhone = (id: string, reason: string): Promise<OperatorPhone> =>
    this.call('DELETE', `/phones/${encodeURIComponent(id)}`, { reason })

  projects = async (): Promise<Project[]> => (await this.call<{ data: Project[] }>('GET', '/projects')).data
  project = (id: string): Promise<Project> => this.call('GET', `/projects/${encodeURIComponent(id)}`)
  createProject = (project: NewProject): Promise<Project> => this.call('POST', '/projects', project)
  changeProject = (id: string, change: ProjectChange): Promise<Project> =>
    this.call('PATCH', `/projects/${encodeURIComponent(id)}`, change)

  keys = async (project: string): Promise<Key[]> =>
    (await this.call<{ data: Key[] }>('GET', `/keys?project=${encodeURIComponent(project)}`)).data
  createKey = (key: NewKey): Promise<Key & { key: string }> => this.call('POST', '/keys', key)
  revokeKey = (id: string): Promise<unknown> => this.call('DELETE', `/keys/${encodeURIComponent(id)}`)

  unmatchedPayments = async (): Promise<UnmatchedPayment[]> =>
    (await this.call<{ data: UnmatchedPayment[] }>('GET', '/payments/unmatched')).data

  operatorTokens = async (): Promise<OperatorToken[]> =>
    (await this.call<{ data: OperatorToken[] }>('GET', '/operator-tokens')).data
  createOperatorToken = (token: {
    name: string
    expires?: NewKey['expires']
  }): Promise<OperatorToken & { token: string }> => this.call('POST', '/operator-tokens', token)
  /** `created_tokens`: those that it created and that are still valid. */
  revokeOperatorToken = (
    id: string,
  ): Promise<OperatorToken & { created_tokens: { id: string; name: string }[] }> =>
    this.call('DELETE', `/operator-tokens/${encodeURIComponent(id)}`)

  /** The console's address, and whether an operator can sign in there. */
  console = (): Promise<{ url: string; has_operator: boolean }> => this.call('GET', '/console')
  /** A one-time link that makes its holder an operator in the console. */
  inviteOperator = (): Promise<{ id: string; url: string; expires_at: string }> =>
    this.call('POST', '/invitations', {})
  /** Links for operators, and for new passwords, that were not used. */
  operatorInvitations = async (): Promise<OperatorInvitation[]> =>
    (await this.call<{ data: OperatorInvitation[] }>('GET', '/invitations')).data
  withdrawOperatorInvitation = (id: string): Promise<{ id: string }> =>
    this.call('DELETE', `/invitations/${encodeURIComponent(id)}`)

  /** A one-time link with which a person confirms the terminal. `project` omitted: the only one. */
  approveSetup = (code: string, project?: string): Promise<ApprovedTerminal> =>
    this.call('POST', '/setups/approve', { user_code: code, ...(project === undefined ? {} : { project }) })
  denySetup = (code: string): Promise<WaitingTerminal & { status: string }> =>
    this.call('POST', '/setups/deny', { user_code: code })

  /** Newest first; `before`: `next_before` of the previous page. */
  audit = (page: {
    limit: number
    before?: string
  }): Promise<{ data: AuditEntry[]; next_before: string | null }> =>
    this.call('GET', `/audit?${new URLSearchParams({ ...page, limit: String(page.limit) }).toString()}`)

  /** Newest first; `before`: an entry's ID; lists older entries. */
  activity = (query: {
    project: string
    limit: number
    before?: string
  }): Promise<{ data: Activity[]; next_before: string | null }> =>
    this.call('GET', `/activity?${new URLSearchParams({ ...query, limit: String(query.limit) }).toString()}`)

  library = async (): Promise<LibraryApp[]> =>
    (await this.call<{ data: LibraryApp[] }>('GET', '/library/apps')).data
  /** Uploads one APK; it is kept for an hour, until `addLibraryApp` makes it part of an app. */
  sendLibraryFile = (content: ReadableStream<Uint8Array>): Promise<{ file: string }> =>
    this.send('POST', '/library/files', {
      headers: { 'content-type': 'application/vnd.android.package-archive' },
      body: content,
      timeoutMs: fileTimeoutMs,
    })
  /** A base and its splits, as `sendLibraryFile` named them; replaces the app's earlier version. */
  addLibraryApp = (files: readonly string[]): Promise<LibraryApp> =>
    this.call('POST', '/library/apps', { files })
  removeLibraryApp = (name: string): Promise<{ package: string; removed: true }> =>
    this.call('DELETE', `/library/apps/${encodeURIComponent(name)}`)

  service = (): Promise<Service> => this.call('GET', '/service')
  pause = (): Promise<{ paused_at: string | null }> => this.call('POST', '/service/pause', {})
  resume = (): Promise<{ paused_at: string | null }> => this.call('POST', '/service/resume', {})
  restored = (): Promise<Restored> => this.call('POST', '/service/restored', {})

  private call<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.send(method, path, {
      headers: { 'content-type': 'application/json' },
      timeoutMs: this.timeoutMs,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  private async send<T>(method: string, path: string, sent: Sent): Promise<T> {
    const key = method === 'GET' ? null : this.nextKey()
    const { status, ok, text } = await this.answer(method, path, key, sent)
    const parsed = parse(text)
    if (ok) return parsed as T
    const { message, code, next } = errorIn(parsed)
    throw new OperatorError(
      message ?? `${method} ${path} answered ${status}`,
      status,
      code ?? 'unknown',
      parsed,
      next,
    )
  }

  /** The same key for each run of a command that was given one. */
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

/** Values of a query as text. */
const textsOf = (query: Record<string, string | number>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))

/** Nothing listens there, so the request did not run. */
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
