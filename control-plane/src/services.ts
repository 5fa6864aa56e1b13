/**
 * The wall inside the control plane: routes (`http/`, `routes/`, `keys/`) call
 * these and nothing below them; `phones/`, `billing/`, `devices/`, `hosts/` and
 * `jobs/` implement them and know nothing of HTTP. Every method throws
 * `ApiError` for what a client can cause, and nothing else for such causes.
 */
import type { Action, ObserveMode } from '@phonerack/shared'
import type { Readable } from 'node:stream'

export const scopes = ['phones:read', 'phones:control', 'phones:create', 'phones:delete'] as const
export type Scope = (typeof scopes)[number]

export const presets = ['agent', 'admin', 'read-only'] as const
export type Preset = (typeof presets)[number]

/** Who asks: an authenticated key. */
export interface Caller {
  keyId: string
  keyHash: string
  projectId: string
  preset: Preset
  scopes: readonly Scope[]
  /** Phones the key is limited to; null for all of the project's. */
  phoneIds: readonly string[] | null
}

export const phoneStatuses = [
  'creating',
  'starting',
  'ready',
  'parking',
  'parked',
  'unavailable',
  'failed',
  'deleted',
] as const
export type PhoneStatus = (typeof phoneStatuses)[number]

export const endReasons = [
  'parked',
  'idle',
  'max_duration',
  'deleted',
  'failed',
  'unavailable',
  'project_frozen',
  'service_paused',
] as const
export type EndReason = (typeof endReasons)[number]

/** A phone as the API shows it; money in micro-dollars, durations in seconds. */
export interface PhoneView {
  id: string
  name: string
  status: PhoneStatus
  country: string | null
  metadata: Record<string, string>
  createdAt: Date
  lastActiveAt: Date | null
  session: OpenSessionView | null
  failure: FailureView | null
}

export interface OpenSessionView {
  id: string
  startedAt: Date
  readyAt: Date | null
  idleTimeout: number
  maxDuration: number
  parksAt: Date
  parkReason: 'idle' | 'max_duration'
  reservedMicros: bigint
}

export interface FailureView {
  code: string
  message: string
  at: Date
}

export interface SessionView {
  id: string
  startedAt: Date
  readyAt: Date | null
  endedAt: Date | null
  endReason: EndReason | null
  billedSeconds: number | null
  costMicros: bigint | null
  reservedMicros: bigint
}

export interface Page<T> {
  data: T[]
  /** Opaque to clients; null on the last page. */
  nextCursor: string | null
}

export interface PageQuery {
  limit: number
  /** As the client sent it back. An unreadable one: `validation_failed` naming `cursor`. */
  cursor: string | null
}

export interface CreatePhone {
  name: string | null
  country: string | null
  metadata: Record<string, string>
  idleTimeout: number
  /** Null: 900, shortened to fit the credit. */
  maxDuration: number | null
}

export interface Idempotency {
  key: string
  /** Hex SHA-256 of the body in canonical form, without `wait`. */
  bodyHash: string
}

export interface AccountView {
  project: string
  balanceMicros: bigint
  reservedMicros: bigint
  spendLimitMicros: bigint
  spentThisMonthMicros: bigint
  maxPhones: number
  maxRunning: number
  running: number
  phones: number
  pricePerMinuteMicros: bigint
  minimumSeconds: number
  countries: { code: string; name: string }[]
}

export interface KeyService {
  /**
   * Finds the key and checks expiry and revocation. Cached for a short time; a
   * revocation reaches every replica within a second.
   * @throws ApiError invalid_api_key, key_expired, key_revoked
   */
  authenticate(secret: string): Promise<Caller>
  /** Whether the key is valid, for an address that has failed too often: waits for a look-up that many share. */
  isKnown(secret: string): Promise<boolean>
}

export interface PhoneService {
  /**
   * Admission, reservation, session, assignment, in one transaction; returns at once, `creating` or later.
   * Checks from `project_frozen` on are made here, in the specification's order; a replay is
   * recognised before them. The key's scope and the fields are checked by the route.
   */
  create(
    caller: Caller,
    input: CreatePhone,
    idempotency: Idempotency | null,
  ): Promise<{ phone: PhoneView; replayed: boolean }>
  list(
    caller: Caller,
    query: PageQuery & { status: PhoneStatus | null; metadata: { key: string; value: string } | null },
  ): Promise<Page<PhoneView>>
  /** @throws ApiError phone_not_found (with `details.phone`), phone_not_allowed */
  get(caller: Caller, phoneId: string): Promise<PhoneView>
  update(
    caller: Caller,
    phoneId: string,
    change: { name?: string; metadata?: Record<string, string> },
  ): Promise<PhoneView>
  delete(caller: Caller, phoneId: string): Promise<PhoneView>
  /** Starts a parked or unavailable phone, renews a running one. Returns at once. */
  start(
    caller: Caller,
    phoneId: string,
    input: { idleTimeout: number | null; maxDuration: number | null },
  ): Promise<PhoneView>
  /** Ends the session and begins to park; a parked phone is returned unchanged. Returns at once. */
  park(caller: Caller, phoneId: string): Promise<PhoneView>
  heartbeat(caller: Caller, phoneId: string): Promise<PhoneView>
  sessions(caller: Caller, phoneId: string, query: PageQuery): Promise<Page<SessionView>>
  /**
   * Waits until `settled` says true of the phone, or `timeoutMs` have passed, or `signal` aborts;
   * then returns the phone as it is. Wakes within 50 ms of a change on any replica.
   */
  wait(
    phoneId: string,
    settled: (phone: PhoneView) => boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<PhoneView>
  /**
   * Records activity: at most one write per 15 s, none for Read-only keys, and none for a phone
   * that is not the caller's (it may be called before the phone was looked up).
   */
  touch(caller: Caller, phoneId: string): Promise<void>
  /**
   * Keeps the phone active until the returned function is called; the route has called `touch`
   * at the same moment. As `touch`, it does nothing for a phone that is not the caller's.
   */
  hold(caller: Caller, phoneId: string): () => void
  account(caller: Caller): Promise<AccountView>
}

export interface ScreenshotRequest {
  format: 'png' | 'jpeg'
  maxWidth: number | null
  quality: number | null
  /** Draw the refs of the elements; of `screenshot` alone. */
  annotate?: boolean
}

export interface ScreenshotAnswer {
  image: Uint8Array
  /** Device pixels. */
  screenWidth: number
  screenHeight: number
  /** Image width divided by screen width. */
  scale: number
  /** A window that lets no picture be taken of it is on the screen. */
  secure: boolean
  /** Of an annotated picture; else empty. */
  snapshotId: string
}

/** Requests that reach into a ready phone. The phone must be `ready`: else the matching conflict code. */
export interface DeviceService {
  /** A read: retried inside for up to 15 s. `json` is the public observation as UTF-8 JSON. */
  observe(
    caller: Caller,
    phoneId: string,
    screenshot: ScreenshotRequest | null,
    context: CallContext,
  ): Promise<{ json: Uint8Array; snapshotId: string; text: string }>
  screenshot(
    caller: Caller,
    phoneId: string,
    request: ScreenshotRequest,
    context: CallContext,
  ): Promise<ScreenshotAnswer>
  /**
   * Runs a batch, once. Answers `ActionBatchResult` as UTF-8 JSON. When the stream to the agent is lost, the results so
   * far stand, with `action_outcome_unknown` on the started action; when nothing is known: `internal_error`.
   */
  runActions(
    caller: Caller,
    phoneId: string,
    batch: { actions: readonly Action[]; observe: ObserveMode },
    context: CallContext,
  ): Promise<Uint8Array>
}

export interface CallContext {
  requestId: string
  /** Aborts when the client has gone. */
  signal: AbortSignal
}

export interface DeviceInfoView {
  brand: string | null
  model: string | null
  osVersion: string | null
  screen: { width: number; height: number; density: number }
  carrier: string | null
}

/** Degrees, WGS 84. */
export interface Coordinates {
  lat: number
  lng: number
}

/**
 * Settings of a ready phone. Reads are repeated inside; writes are sent once, and one that was sent and not
 * answered is `action_outcome_unknown`. What the phone lacks is `feature_unavailable`.
 */
export interface SettingsService {
  deviceInfo(caller: Caller, phoneId: string, context: CallContext): Promise<DeviceInfoView>
  clipboard(caller: Caller, phoneId: string, context: CallContext): Promise<string>
  setClipboard(caller: Caller, phoneId: string, text: string, context: CallContext): Promise<void>
  location(caller: Caller, phoneId: string, context: CallContext): Promise<Coordinates>
  /** Returns the time zone that was set with it; null when none was wanted, or the phone has or took none. */
  setLocation(
    caller: Caller,
    phoneId: string,
    input: { location: Coordinates; withTimezone: boolean },
    context: CallContext,
  ): Promise<string | null>
  /** Back to the default location, and its time zone where the phone can. */
  resetLocation(caller: Caller, phoneId: string, context: CallContext): Promise<void>
  locale(caller: Caller, phoneId: string, context: CallContext): Promise<string>
  /** Returns what the phone says afterwards. */
  setLocale(caller: Caller, phoneId: string, locale: string, context: CallContext): Promise<string>
  /** Null while it is the default. */
  timezone(caller: Caller, phoneId: string, context: CallContext): Promise<string | null>
  setTimezone(caller: Caller, phoneId: string, timezone: string, context: CallContext): Promise<string>
}

/** Restarts of a ready phone, whose session goes on. Both are sent to the phone once. */
export interface PowerService {
  /**
   * Returns the phone, now `starting`.
   * @throws ApiError rate_limited (once in 10 minutes per phone), phone_unavailable or the agent's refusal when nothing was
   *   done (the allowance stays), action_outcome_unknown
   */
  reboot(caller: Caller, phoneId: string, context: CallContext): Promise<PhoneView>
  /**
   * Wipes apps, files, accounts and clipboard; returns the phone, now `starting`.
   * @throws ApiError rate_limited (once a minute per phone), feature_unavailable (`reset`), phone_unavailable
   */
  reset(caller: Caller, phoneId: string, context: CallContext): Promise<PhoneView>
}

export interface FileEntryView {
  name: string
  type: 'file' | 'directory' | 'other'
  /** Bytes. */
  size: number
  modifiedAt: Date | null
}

/** Files of a ready phone; paths begin with `/sdcard`. @throws ApiError file_not_found with `details.path` */
export interface FileService {
  list(caller: Caller, phoneId: string, path: string, context: CallContext): Promise<FileEntryView[]>
  read(caller: Caller, phoneId: string, path: string, context: CallContext): Promise<Uint8Array>
  /** Returns the size that the phone tells. */
  write(
    caller: Caller,
    phoneId: string,
    path: string,
    content: Uint8Array,
    context: CallContext,
  ): Promise<number>
  delete(caller: Caller, phoneId: string, path: string, context: CallContext): Promise<void>
}

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

/** A terminal gets its first key: it asks, a person confirms in a browser, it collects. No key is needed. */
export interface SetupService {
  /** `address`: of the client, shown to the person. `userCode`: for them to type, for example `7KQM-2XPA`. */
  create(input: { client: string | null; address: string }): Promise<{ token: string; userCode: string }>
  /** Whether a setup has this token, for an address that has failed too often: waits for a look-up that many share. */
  isKnown(token: string): Promise<boolean>
  /**
   * Makes and delivers the key, once, with an entry in the audit log.
   * @param from the client's address, and the request's ID
   * @throws ApiError not_found, setup_denied, setup_expired, setup_used, key_limit
   */
  collect(
    token: string,
    from: { address: string; requestId: string },
  ): Promise<{ status: 'pending' } | { status: 'approved'; apiKey: string; project: string }>
}

export const uploadStatuses = [
  'awaiting_file',
  'processing',
  'ready',
  'invalid_apk',
  'too_large',
  'storage_full',
  'failed',
  'duplicate',
  'deleted',
] as const
export type UploadStatus = (typeof uploadStatuses)[number]

/** A client's own APK as the API shows it. */
export interface UploadView {
  id: string
  status: UploadStatus
  package: string | null
  versionCode: number | null
  versionName: string | null
  minSdk: number | null
  sizeBytes: number | null
  sha256: string | null
  createdAt: Date
  expiresAt: Date
  error: { code: string; message: string; next: string | null } | null
}

/** A file on its way in. */
export interface IncomingFile {
  stream: Readable
  /** Bytes; null when the sender does not say. */
  declaredBytes: number | null
}

/**
 * Uploads of a project. A key that is limited to phones sees only those that it made.
 * @throws ApiError upload_not_found for all others
 */
export interface UploadService {
  /** @throws ApiError insufficient_credits, project_frozen, storage_limit_reached, rate_limited, storage_full, in this order */
  create(caller: Caller): Promise<{ upload: UploadView; uploadUrl: string; maxBytes: number }>
  /**
   * Takes the file that is sent to an upload URL, without a key. One file at a time; the URL is spent by a whole one.
   * What is over the size limit is thrown away, and still has an ID.
   * @throws ApiError upload_not_found (unknown, spent or expired), upload_not_ready (another file is arriving),
   *   storage_full, validation_failed (cut off, or too late)
   */
  receive(token: string, file: IncomingFile, signal: AbortSignal): Promise<{ storageId: string }>
  /** Whether a file may still come to this URL, for an address that has failed too often: waits for a look-up that many share. */
  isKnown(token: string): Promise<boolean>
  /**
   * Returns the upload that the file is in: this one, or the ready one that it equals.
   * @throws ApiError upload_not_found, validation_failed, storage_limit_reached, storage_full
   */
  complete(caller: Caller, uploadId: string, storageId: string): Promise<UploadView>
  get(caller: Caller, uploadId: string): Promise<UploadView>
  list(caller: Caller, query: PageQuery): Promise<Page<UploadView>>
  delete(caller: Caller, uploadId: string): Promise<UploadView>
  /** Waits until the upload is no longer processing, or `timeoutMs` have passed, or `signal` aborts. */
  wait(caller: Caller, uploadId: string, timeoutMs: number, signal: AbortSignal): Promise<UploadView>
}

export interface InstallView {
  id: string
  package: string
  /** Null for a library app. */
  upload: string | null
  status: 'running' | 'succeeded' | 'failed'
  error: string | null
  next: string | null
  startedAt: Date
  updatedAt: Date
}

/** An app that the operator offers to every project. */
export interface LibraryAppView {
  package: string
  label: string
  versionCode: number
  versionName: string
}

export interface LibraryService {
  /**
   * By package, in pages of 50; `query`: part of a package or label, in any case.
   * @throws ApiError rate_limited while the library loads for the first time; validation_failed for a cursor that is none
   */
  search(caller: Caller, query: string | null, cursor: string | null): Promise<Page<LibraryAppView>>
}

export type InstallSource = { package: string } | { upload: string; replace: boolean }

/** Installs of apps on phones; each goes on in the background. */
export interface InstallService {
  /**
   * Begins one on a ready phone.
   * @throws ApiError upload_not_found, upload_not_ready, app_not_available, version_downgrade, install_in_progress;
   *   action_outcome_unknown with `details.install`; with `details.uninstalled` once `replace` has uninstalled the app
   */
  start(caller: Caller, phoneId: string, source: InstallSource, context: CallContext): Promise<InstallView>
  /** Recent attempts, newest first; of a phone in any state. */
  list(caller: Caller, phoneId: string): Promise<InstallView[]>
}

export interface InstalledAppView {
  package: string
  /** As the launcher shows it; the package where nothing else is known. */
  label: string
  versionName: string
  versionCode: number
  /** Came with the phone. */
  system: boolean
}

/** Apps on a ready phone. */
export interface PackageService {
  /** All but the service's own. */
  list(caller: Caller, phoneId: string, context: CallContext): Promise<InstalledAppView[]>
  /** With its data. @throws ApiError app_not_found with `details.package`, action_outcome_unknown */
  uninstall(caller: Caller, phoneId: string, packageName: string, context: CallContext): Promise<void>
}

export const recordingStatuses = ['recording', 'processing', 'ready', 'failed'] as const
export type RecordingStatus = (typeof recordingStatuses)[number]

/** A video of a phone's screen as the API shows it. */
export interface RecordingView {
  id: string
  phone: string
  name: string | null
  status: RecordingStatus
  startedAt: Date
  endedAt: Date | null
  durationMs: number | null
  sizeBytes: number | null
  expiresAt: Date
}

/** Part of a file, in bytes; both ends are in it. */
export interface ByteRange {
  from: number
  to: number
}

/**
 * Recordings of a phone. Start, stop and delete are sent to its host once.
 * @throws ApiError recording_not_found for one that is not the phone's
 */
export interface RecordingService {
  /** On a ready phone. @throws ApiError recording_in_progress, recording_limit_reached, feature_unavailable, action_outcome_unknown */
  start(caller: Caller, phoneId: string, name: string | null, context: CallContext): Promise<RecordingView>
  /** All that are kept, newest first; of a phone in any state. */
  list(caller: Caller, phoneId: string): Promise<RecordingView[]>
  /** On a ready phone. One that has ended is returned as it is. */
  stop(caller: Caller, phoneId: string, recordingId: string, context: CallContext): Promise<RecordingView>
  /**
   * `range` chooses a part by the whole size; null for all of it. `part` is null when all of it comes.
   * @throws ApiError recording_not_ready, and what `range` throws
   */
  video(
    caller: Caller,
    phoneId: string,
    recordingId: string,
    range: (sizeBytes: number) => ByteRange | null,
  ): Promise<{ stream: Readable; sizeBytes: number; part: ByteRange | null }>
  /** Stops it first. @throws ApiError recording_in_progress when it runs and its host cannot be reached */
  delete(caller: Caller, phoneId: string, recordingId: string, context: CallContext): Promise<void>
}

/** Buying credit. */
export interface CheckoutService {
  /**
   * A page of the payment provider on which somebody can pay; credit comes once they have.
   * @param amountUsd whole dollars
   * @throws ApiError billing_not_configured, rate_limited, provider_error, provider_timeout
   */
  create(caller: Caller, amountUsd: number): Promise<{ url: string }>
}

/** Links by which anyone sees and, unless it is for watching only, controls a phone in a browser, without a key. */
export interface LiveService {
  /**
   * A link to a ready phone; it ends with the phone's session too. Only a hash of its token is kept.
   * @param input `expiresIn` in seconds
   */
  createLink(
    caller: Caller,
    phoneId: string,
    input: { expiresIn: number; control: boolean },
  ): Promise<{ url: string; expiresAt: Date }>
}

export const handoffStatuses = ['open', 'taken', 'done', 'declined', 'expired'] as const
export type HandoffStatus = (typeof handoffStatuses)[number]

/** A request to a person, as the API shows it. */
export interface HandoffView {
  id: string
  phone: string
  status: HandoffStatus
  message: string
  /** What the person answered. */
  note: string | null
  createdAt: Date
  expiresAt: Date
  /** When the person took control. */
  takenAt: Date | null
  /** Null while it is open or taken. */
  endedAt: Date | null
}

/**
 * Requests to a person to do something on a phone. It ends with the person's answer, with its time, with the phone's
 * session, and when the key that made it is revoked.
 * @throws ApiError handoff_not_found for one that is not the phone's, or was taken back
 */
export interface HandoffService {
  /**
   * Asks, on a ready phone. The URL is shown once; only a hash of its token is kept.
   * @param input `expiresIn` in seconds
   * @throws ApiError handoff_in_progress while the phone has one that is open or taken
   */
  create(
    caller: Caller,
    phoneId: string,
    input: { message: string; expiresIn: number },
  ): Promise<{ handoff: HandoffView; url: string }>
  /** In any status of the phone. */
  get(caller: Caller, phoneId: string, handoffId: string): Promise<HandoffView>
  /** Waits until it has ended, or `timeoutMs` have passed, or `signal` aborts; then returns it as it is. */
  wait(
    caller: Caller,
    phoneId: string,
    handoffId: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<HandoffView>
  /** Takes it back and forgets what was written, whatever its status; the phone is the agent's again. */
  withdraw(caller: Caller, phoneId: string, handoffId: string): Promise<void>
}

export interface Services {
  keys: KeyService
  phones: PhoneService
  devices: DeviceService
  settings: SettingsService
  files: FileService
  power: PowerService
  setup: SetupService
  activity: ActivityService
  uploads: UploadService
  installs: InstallService
  recordings: RecordingService
  library: LibraryService
  packages: PackageService
  checkout: CheckoutService
  live: LiveService
  handoffs: HandoffService
}
