/** Client of the operator API (`/operator/v1`), for `up` and `ctl`. */

export interface Host {
  id: string
  name: string
  country: string
  state: string
  address: string
  version: string
  /** Null: it has sent no heartbeat yet. */
  protocol_version: number | null
  /** What of its heartbeats cannot be read, or why they are refused. */
  report_fault: string | null
  last_seen_at: string | null
  devices: unknown
}

export interface Device {
  id: string
  host_id: string
  serial: string
  maker: string | null
  model: string | null
  sdk: number | null
  state: string
  reason: string | null
  /** What of its host's last report of it cannot be read. */
  report_fault: string | null
  phone_id: string | null
  fencing_number: number
  /** For whom its host has last confirmed it as clean: `anyone`, `tenant:` and a tenant, or null: nobody. */
  clean_for: string | null
  link: string
  last_proof_at: string | null
  capabilities: { name: string; implementation: string | null; evidence: string | null }[]
  wipe_checks: { name: string; passed: boolean; evidence: string | null }[]
  /** What its host's agent did on its own when it stopped answering, oldest first. */
  events: { at: string; step: string; outcome: string; reason: string }[]
  /** Null: not looked at yet. */
  condition: DeviceCondition | null
}

/** Null: the phone does not say. */
export interface DeviceCondition {
  checked_at: string
  battery_percent: number | null
  battery_celsius: number | null
  storage_free_bytes: number | null
  storage_total_bytes: number | null
  highest_app_uid: number | null
  lock_credential: boolean | null
  warnings: string[]
}

export interface Project {
  id: string
  name: string
  owner_id: string
  balance_usd: string
  reserved_usd: string
  spend_limit_usd: string
  max_phones: number
  max_running: number
  frozen_at: string | null
}

export interface Restored {
  /** Which database the control plane works on: changes with a restore and with a failover. */
  epoch: string
  epoch_changed_at: string
  /** Idle devices that are not handed out, since their hosts have not confirmed them yet. */
  devices_to_confirm: number
}

export interface Service extends Restored {
  paused_at: string | null
}

export interface ProjectChange {
  /** Added to the balance. */
  credit_usd?: string
  spend_limit_usd?: string
  max_phones?: number
  max_running?: number
  frozen?: boolean
}

export interface Key {
  id: string
  name: string | null
  preset: string
  project: string
  phones: string[] | null
  expires_at: string | null
  revoked_at: string | null
}

/** A request of a key that changed something, or tried to. */
export interface Activity {
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
  summary: Record<string, string | number | boolean | null | string[]>
}

export interface NewKey {
  project: string
  preset: 'agent' | 'admin' | 'read-only'
  phones?: string[]
  expires?: '30d' | '90d' | '1y' | 'never'
  name?: string
}

/** An app of the library. */
export interface LibraryApp {
  package: string
  label: string
  version_code: number
  version_name: string
  /** Names of its splits. */
  splits: string[]
  size_bytes: number
  added_at: string
}

/** What the API refused, as it said it. */
export class OperatorError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly body: unknown,
  ) {
    super(message)
    this.name = 'OperatorError'
  }
}

/** The control plane did not answer at all. */
export class Unreachable extends Error {
  constructor(baseUrl: string, cause: unknown) {
    super(`no answer from ${baseUrl}; is Phonerack running? (./scripts/up)`, { cause })
    this.name = 'Unreachable'
  }
}

/** Milliseconds: as long as the service waits for a file, and reads it. */
const fileTimeoutMs = 180_000

interface Sent {
  headers: Record<string, string>
  body?: string | ReadableStream<Uint8Array>
  timeoutMs: number
}

export class OperatorClient {
  /** @param baseUrl origin of the operator API's own listener */
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    private readonly timeoutMs = 30_000,
  ) {}

  hosts = async (): Promise<Host[]> => (await this.call<{ data: Host[] }>('GET', '/hosts')).data
  joinToken = (): Promise<{ token: string; expires_at: string }> =>
    this.call('POST', '/hosts/join-tokens', {})

  devices = async (): Promise<Device[]> => (await this.call<{ data: Device[] }>('GET', '/devices')).data
  /** @param ref device ID or serial */
  device = (ref: string): Promise<Device> => this.call('GET', `/devices/${encodeURIComponent(ref)}`)
  /** Wipes the device, then prepares it, in the background. */
  enroll = (ref: string): Promise<Device> =>
    this.call('POST', `/devices/${encodeURIComponent(ref)}/enroll`, { erase: true })
  /** `keep`: gives a device that is held back to its phone again, as it is. */
  release = (ref: string, keep = false): Promise<Device> =>
    this.call('POST', `/devices/${encodeURIComponent(ref)}/release`, { keep })

  projects = async (): Promise<Project[]> => (await this.call<{ data: Project[] }>('GET', '/projects')).data
  project = (id: string): Promise<Project> => this.call('GET', `/projects/${encodeURIComponent(id)}`)
  createProject = (name: string): Promise<Project> => this.call('POST', '/projects', { name })
  changeProject = (id: string, change: ProjectChange): Promise<Project> =>
    this.call('PATCH', `/projects/${encodeURIComponent(id)}`, change)

  keys = async (project: string): Promise<Key[]> =>
    (await this.call<{ data: Key[] }>('GET', `/keys?project=${encodeURIComponent(project)}`)).data
  createKey = (key: NewKey): Promise<Key & { key: string }> => this.call('POST', '/keys', key)
  revokeKey = (id: string): Promise<unknown> => this.call('DELETE', `/keys/${encodeURIComponent(id)}`)

  /** Newest first; `before`: an entry's ID, for what is older. */
  activity = (query: {
    project: string
    limit: number
    before?: string
  }): Promise<{ data: Activity[]; next_before: string | null }> =>
    this.call('GET', `/activity?${new URLSearchParams({ ...query, limit: String(query.limit) }).toString()}`)

  library = async (): Promise<LibraryApp[]> =>
    (await this.call<{ data: LibraryApp[] }>('GET', '/library/apps')).data
  /** Sends one APK; it is kept for an hour, until `addLibraryApp` makes it part of an app. */
  sendLibraryFile = (content: ReadableStream<Uint8Array>): Promise<{ file: string }> =>
    this.send('POST', '/library/files', {
      headers: { 'content-type': 'application/vnd.android.package-archive' },
      body: content,
      timeoutMs: fileTimeoutMs,
    })
  /** A base and its splits, as `sendLibraryFile` named them; takes the place of the app's earlier version. */
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

  private async send<T>(method: string, path: string, { headers, body, timeoutMs }: Sent): Promise<T> {
    const init: RequestInit = {
      method,
      headers: { authorization: `Bearer ${this.token}`, ...headers },
      signal: AbortSignal.timeout(timeoutMs),
      // A stream is sent as it is read; fetch wants that said.
      ...(body === undefined ? {} : { body, ...{ duplex: 'half' } }),
    }
    let response: Response
    let text: string
    try {
      response = await fetch(`${this.baseUrl}/operator/v1${path}`, init)
      text = await response.text()
    } catch (cause) {
      throw new Unreachable(this.baseUrl, cause)
    }
    const parsed = parse(text)
    if (response.ok) return parsed as T
    const { message, code } = errorIn(parsed)
    throw new OperatorError(
      message ?? `${method} ${path} answered ${response.status}`,
      response.status,
      code ?? 'unknown',
      parsed,
    )
  }
}

function parse(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function errorIn(body: unknown): { message?: string; code?: string } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {}
  const { error } = body
  if (typeof error !== 'object' || error === null) return {}
  return {
    ...('message' in error && typeof error.message === 'string' ? { message: error.message } : {}),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
  }
}
