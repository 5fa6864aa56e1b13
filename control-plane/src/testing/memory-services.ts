/**
 * A stand-in for everything below the wall (`services.ts`), for tests of the
 * HTTP side alone: phones in a map, moved by the test. Not used outside tests.
 */
import { ApiError, newId, newSecret } from '@phonerack/shared'
import { EventEmitter, once } from 'node:events'
import { type Caller, type Preset, type Scope } from '../core/caller.js'
import { type PhoneService, type PhoneView, type SessionView } from '../phones/types.js'
import { type KeyService } from '../keys/types.js'
import {
  type DeviceService,
  type FileService,
  type InstalledAppView,
  type PackageService,
  type PowerService,
  type SettingsService,
} from '../device-control/types.js'
import { type ActivityEntry, type ActivityService } from '../activity/types.js'
import { type SetupService } from '../setup/types.js'
import { type UploadService, type UploadView } from '../uploads/types.js'
import { type InstallService, type InstallView } from '../installs/types.js'
import { type LibraryService } from '../library/types.js'
import { type RecordingService } from '../recordings/types.js'
import { type CheckoutService } from '../payments/types.js'
import { type LiveService } from '../live/types.js'
import { type HandoffService } from '../handoffs/types.js'
import { type Services } from '../routes/services.js'

const agent: Scope[] = ['phones:read', 'phones:control', 'phones:create']
const presetScopes: Record<Preset, Scope[]> = {
  agent,
  admin: [...agent, 'phones:delete'],
  'read-only': ['phones:read'],
}

/** One call across the wall, as the test reads it. */
export interface Call {
  name: string
  args: unknown[]
}

export class MemoryServices implements Services {
  readonly calls: Call[] = []
  /** Thrown by the next call of this name. */
  readonly failures = new Map<string, Error>()
  readonly phonesById = new Map<string, PhoneView>()
  readonly held = new Map<string, number>()
  sessionsOfAll: SessionView[] = []
  private readonly callers = new Map<string, Caller | ApiError>()
  private readonly created = new Map<string, { hash: string; id: string }>()
  private readonly changes = new EventEmitter().setMaxListeners(0)

  /** A new key; the secret to send. */
  key(preset: Preset = 'agent', phoneIds: string[] | null = null): string {
    const secret = newSecret('apiKey')
    this.callers.set(secret, {
      keyId: newId('key'),
      keyHash: secret,
      projectId: 'proj_test',
      preset,
      scopes: presetScopes[preset],
      phoneIds,
    })
    return secret
  }

  /** A key that is refused with this code. */
  refusedKey(code: 'key_expired' | 'key_revoked'): string {
    const secret = newSecret('apiKey')
    this.callers.set(secret, new ApiError(code))
    return secret
  }

  /** A phone in the given state. */
  phone(status: PhoneView['status'] = 'ready', change: Partial<PhoneView> = {}): PhoneView {
    const id = newId('phone')
    const at = new Date('2026-01-02T03:04:05.006Z')
    const running = ['creating', 'starting', 'ready'].includes(status)
    const phone: PhoneView = {
      id,
      name: id,
      status,
      country: null,
      metadata: {},
      createdAt: at,
      lastActiveAt: status === 'creating' ? null : at,
      session: running
        ? {
            id: newId('session'),
            startedAt: at,
            readyAt: status === 'ready' ? at : null,
            idleTimeout: 300,
            maxDuration: 900,
            parksAt: new Date(at.getTime() + 300_000),
            parkReason: 'idle',
            reservedMicros: 900_000n,
          }
        : null,
      failure: null,
      ...change,
    }
    this.phonesById.set(id, phone)
    return phone
  }

  /** Moves a phone and wakes who waits for it. */
  move(id: string, change: Partial<PhoneView>): void {
    this.phonesById.set(id, { ...this.find(id), ...change })
    this.changes.emit('change')
  }

  called(name: string): Call[] {
    return this.calls.filter((call) => call.name === name)
  }

  private note(name: string, ...args: unknown[]): void {
    this.calls.push({ name, args })
    const failure = this.failures.get(name)
    if (failure === undefined) return
    this.failures.delete(name)
    throw failure
  }

  private find(id: string): PhoneView {
    const phone = this.phonesById.get(id)
    if (!phone) throw new ApiError('phone_not_found', { details: { phone: id } })
    return phone
  }

  private allowed(caller: Caller, id: string): PhoneView {
    const phone = this.find(id)
    if (caller.phoneIds && !caller.phoneIds.includes(id)) throw new ApiError('phone_not_allowed')
    return phone
  }

  private ready(caller: Caller, id: string): PhoneView {
    const phone = this.allowed(caller, id)
    if (phone.status !== 'ready')
      throw new ApiError('phone_not_running', {
        next: `POST /v1/phones/${id}/start`,
        details: { status: phone.status },
      })
    return phone
  }

  readonly keys: KeyService = {
    isKnown: (secret) => Promise.resolve(this.callers.has(secret)),
    authenticate: async (secret) => {
      this.note('authenticate', secret)
      const caller = this.callers.get(secret)
      if (!caller) throw new ApiError('invalid_api_key')
      if (caller instanceof ApiError) throw caller
      return Promise.resolve(caller)
    },
  }

  /** How a created phone starts out. */
  createAs: PhoneView['status'] = 'ready'

  readonly phones: PhoneService = {
    create: async (caller, input, idempotency) => {
      this.note('create', caller, input, idempotency)
      const earlier = idempotency ? this.created.get(idempotency.key) : undefined
      if (earlier && idempotency) {
        if (earlier.hash === idempotency.bodyHash) return { phone: this.find(earlier.id), replayed: true }
        throw new ApiError('idempotency_conflict', { details: { phone: earlier.id } })
      }
      const phone = this.phone(this.createAs, { country: input.country, metadata: input.metadata })
      if (input.name !== null) this.move(phone.id, { name: input.name })
      if (idempotency) this.created.set(idempotency.key, { hash: idempotency.bodyHash, id: phone.id })
      return Promise.resolve({ phone: this.find(phone.id), replayed: false })
    },
    list: async (caller, query) => {
      this.note('list', caller, query)
      return Promise.resolve({
        data: [...this.phonesById.values()].slice(0, query.limit),
        nextCursor: 'next',
      })
    },
    get: async (caller, id) => {
      this.note('get', caller, id)
      return Promise.resolve(this.allowed(caller, id))
    },
    update: async (caller, id, change) => {
      this.note('update', caller, id, change)
      this.allowed(caller, id)
      this.move(id, change)
      return Promise.resolve(this.find(id))
    },
    delete: async (caller, id) => {
      this.note('delete', caller, id)
      this.allowed(caller, id)
      this.move(id, { status: 'deleted', session: null })
      return Promise.resolve(this.find(id))
    },
    start: async (caller, id, input) => {
      this.note('start', caller, id, input)
      if (this.allowed(caller, id).status !== 'ready') this.move(id, { status: 'starting' })
      return Promise.resolve(this.find(id))
    },
    park: async (caller, id) => {
      this.note('park', caller, id)
      if (this.allowed(caller, id).status !== 'parked') this.move(id, { status: 'parking', session: null })
      return Promise.resolve(this.find(id))
    },
    heartbeat: async (caller, id) => {
      this.note('heartbeat', caller, id)
      return Promise.resolve(this.ready(caller, id))
    },
    sessions: async (caller, id, query) => {
      this.note('sessions', caller, id, query)
      this.allowed(caller, id)
      return Promise.resolve({ data: this.sessionsOfAll, nextCursor: null })
    },
    wait: async (id, settled, timeoutMs, signal) => {
      this.note('wait', id, timeoutMs, signal)
      const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      while (!settled(this.find(id)) && !until.aborted)
        await once(this.changes, 'change', { signal: until }).catch((error: unknown) => {
          if (!until.aborted) throw error
        })
      return this.find(id)
    },
    touch: async (caller, id) => Promise.resolve(this.note('touch', caller, id)),
    hold: (caller, id) => {
      this.note('hold', caller, id)
      this.held.set(id, (this.held.get(id) ?? 0) + 1)
      return () => this.held.set(id, (this.held.get(id) ?? 0) - 1)
    },
    account: async (caller) => {
      this.note('account', caller)
      return Promise.resolve({
        project: 'test',
        balanceMicros: 12_345_678n,
        reservedMicros: 900_000n,
        spendLimitMicros: 1_000_000_000n,
        spentThisMonthMicros: 60_000n,
        maxPhones: 5,
        maxRunning: 3,
        running: 1,
        phones: 2,
        pricePerMinuteMicros: 60_000n,
        minimumSeconds: 60,
        countries: [{ code: 'US', name: 'United States' }],
      })
    },
  }

  /** What `observe` and `runActions` answer with. */
  /** Of the next screenshot. */
  secure = false
  json = new TextEncoder().encode('{"snapshot_id":"snp_aaaaaaaaaaaa"}')
  /** Awaited inside the device calls; their context is in the call. */
  inside: (() => Promise<void>) | undefined

  readonly devices: DeviceService = {
    observe: async (caller, id, screenshot, context) => {
      this.note('observe', caller, id, screenshot, context)
      this.ready(caller, id)
      await this.inside?.()
      return { json: this.json, snapshotId: 'snp_aaaaaaaaaaaa', text: 'app a\nkeyboard hidden\nscreen 1x2' }
    },
    screenshot: async (caller, id, request, context) => {
      this.note('screenshot', caller, id, request, context)
      this.ready(caller, id)
      await this.inside?.()
      return {
        image: new Uint8Array([1, 2, 3]),
        screenWidth: 1080,
        screenHeight: 2400,
        scale: 1 / 3,
        secure: this.secure,
        snapshotId: request.annotate ? 'snp_aaaaaaaaaaaa' : '',
      }
    },
    runActions: async (caller, id, batch, context) => {
      this.note('runActions', caller, id, batch, context)
      this.ready(caller, id)
      await this.inside?.()
      return this.json
    },
  }

  /** What the settings hold; a test changes it. */
  readonly state = {
    clipboard: '',
    location: { lat: 40.7128, lng: -74.006 },
    locale: 'en-US',
    timezone: null as string | null,
  }
  /** Shared storage, by path. */
  readonly storage = new Map<string, Uint8Array>()

  private async into<T>(
    name: string,
    caller: Caller,
    id: string,
    args: unknown[],
    work: () => T,
  ): Promise<T> {
    this.note(name, caller, id, ...args)
    this.ready(caller, id)
    await this.inside?.()
    return work()
  }

  readonly power: PowerService = {
    reboot: (caller, id, context) => this.into('reboot', caller, id, [context], () => this.restart(id)),
    reset: (caller, id, context) => this.into('reset', caller, id, [context], () => this.restart(id)),
  }

  /** The setup whose token is known, as the person left it. */
  readonly setups = new Map<
    string,
    { status: 'pending' } | { status: 'approved'; apiKey: string; project: string }
  >()
  readonly setup: SetupService = {
    isKnown: () => Promise.resolve(true),
    create: (input) => {
      this.note('createSetup', input)
      const token = newSecret('setup')
      this.setups.set(token, { status: 'pending' })
      return Promise.resolve({ token, userCode: 'ABCD-2345' })
    },
    collect: async (token) => {
      this.note('collectSetup', token)
      const setup = this.setups.get(token)
      if (!setup) throw new ApiError('not_found')
      return Promise.resolve(setup)
    },
  }

  readonly activities: ActivityEntry[] = []
  readonly activity: ActivityService = { record: (entry) => void this.activities.push(entry) }

  private restart(id: string): PhoneView {
    this.move(id, { status: 'starting' })
    return this.find(id)
  }

  readonly settings: SettingsService = {
    deviceInfo: (caller, id, context) =>
      this.into('deviceInfo', caller, id, [context], () => ({
        brand: 'Acme',
        model: null,
        osVersion: '14',
        screen: { width: 1080, height: 2400, density: 420 },
        carrier: null,
      })),
    clipboard: (caller, id, context) =>
      this.into('clipboard', caller, id, [context], () => this.state.clipboard),
    setClipboard: (caller, id, text, context) =>
      this.into('setClipboard', caller, id, [text, context], () => void (this.state.clipboard = text)),
    location: (caller, id, context) =>
      this.into('location', caller, id, [context], () => this.state.location),
    setLocation: (caller, id, input, context) =>
      this.into('setLocation', caller, id, [input, context], () => {
        this.state.location = input.location
        return input.withTimezone ? 'Europe/Vienna' : null
      }),
    resetLocation: (caller, id, context) =>
      this.into('resetLocation', caller, id, [context], () => undefined),
    locale: (caller, id, context) => this.into('locale', caller, id, [context], () => this.state.locale),
    setLocale: (caller, id, locale, context) =>
      this.into('setLocale', caller, id, [locale, context], () => (this.state.locale = locale)),
    timezone: (caller, id, context) =>
      this.into('timezone', caller, id, [context], () => this.state.timezone),
    setTimezone: (caller, id, timezone, context) =>
      this.into('setTimezone', caller, id, [timezone, context], () => (this.state.timezone = timezone)),
  }

  /** Apps of each phone, by package. */
  readonly installed = new Map<string, InstalledAppView>()

  readonly packages: PackageService = {
    list: (caller, id, context) =>
      this.into('listApps', caller, id, [context], () => [...this.installed.values()]),
    uninstall: (caller, id, packageName, context) =>
      this.into('uninstallApp', caller, id, [packageName, context], () => {
        if (!this.installed.delete(packageName))
          throw new ApiError('app_not_found', { details: { package: packageName } })
      }),
  }

  readonly files: FileService = {
    list: (caller, id, path, context) =>
      this.into('listFiles', caller, id, [path, context], () =>
        [...this.storage].map(([name, content]) => ({
          name,
          type: 'file' as const,
          size: content.length,
          modifiedAt: new Date('2026-01-02T03:04:05.006Z'),
        })),
      ),
    read: (caller, id, path, context) =>
      this.into('readFile', caller, id, [path, context], () => {
        const content = this.storage.get(path)
        if (!content) throw new ApiError('file_not_found', { details: { path } })
        return content
      }),
    write: (caller, id, path, content, context) =>
      this.into('writeFile', caller, id, [path, content, context], () => {
        this.storage.set(path, content)
        return content.length
      }),
    delete: (caller, id, path, context) =>
      this.into('deleteFile', caller, id, [path, context], () => {
        if (!this.storage.delete(path)) throw new ApiError('file_not_found', { details: { path } })
      }),
  }

  readonly uploadsById = new Map<string, UploadView>()
  /** Bytes that came to upload URLs. */
  readonly received: Buffer[] = []

  upload(change: Partial<UploadView> = {}): UploadView {
    const createdAt = new Date('2026-01-02T03:04:05.006Z')
    const upload: UploadView = {
      id: newId('upload'),
      status: 'awaiting_file',
      package: null,
      versionCode: null,
      versionName: null,
      minSdk: null,
      sizeBytes: null,
      sha256: null,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + 3_600_000),
      error: null,
      ...change,
    }
    this.uploadsById.set(upload.id, upload)
    return upload
  }

  private findUpload(name: string, id: string, ...args: unknown[]): Promise<UploadView> {
    this.note(name, id, ...args)
    const upload = this.uploadsById.get(id)
    return upload
      ? Promise.resolve(upload)
      : Promise.reject(new ApiError('upload_not_found', { details: { upload: id } }))
  }

  readonly uploads: UploadService = {
    isKnown: () => Promise.resolve(true),
    create: async (caller) => {
      this.note('createUpload', caller)
      const uploadUrl = `http://api.test/uploads/${newSecret('upload')}`
      return Promise.resolve({ upload: this.upload(), uploadUrl, maxBytes: 524_288_000 })
    },
    receive: async (token, file) => {
      this.note('receive', token, file.declaredBytes)
      for await (const chunk of file.stream) this.received.push(chunk as Buffer)
      return { storageId: newId('file') }
    },
    complete: (_caller, id, storageId) => this.findUpload('completeUpload', id, storageId),
    get: (_caller, id) => this.findUpload('getUpload', id),
    delete: (_caller, id) => this.findUpload('deleteUpload', id),
    wait: (_caller, id, timeoutMs) => this.findUpload('waitForUpload', id, timeoutMs),
    list: async (_caller, query) => {
      this.note('listUploads', query)
      return Promise.resolve({ data: [...this.uploadsById.values()], nextCursor: null })
    },
  }

  readonly library: LibraryService = {
    search: (_caller, query, cursor) => {
      this.note('searchLibrary', query, cursor)
      return Promise.resolve({ data: [], nextCursor: null })
    },
  }

  readonly checkout: CheckoutService = {
    create: (caller, amountUsd) => {
      this.note('createCheckout', caller, amountUsd)
      return Promise.resolve({ url: 'https://pay.test/1' })
    },
  }

  readonly live: LiveService = {
    createLink: (caller, id, input) =>
      this.into('createLiveLink', caller, id, [input], () => ({
        url: `https://live.test/live#prl_${'a'.repeat(43)}`,
        expiresAt: new Date('2026-01-02T04:04:05.000Z'),
      })),
  }

  readonly handoffs: HandoffService = {
    create: (caller, id, input) =>
      this.into('createHandoff', caller, id, [input], () => {
        const at = new Date('2026-01-02T03:04:05.006Z')
        return {
          url: `https://live.test/live#prl_${'a'.repeat(43)}`,
          handoff: {
            ...{
              id: newId('handoff'),
              phone: id,
              status: 'open' as const,
              message: input.message,
              note: null,
            },
            ...{ createdAt: at, expiresAt: at, takenAt: null, endedAt: null },
          },
        }
      }),
    get: (caller, id, handoff) => this.noHandoff('getHandoff', caller, id, handoff),
    wait: (caller, id, handoff) => this.noHandoff('waitForHandoff', caller, id, handoff),
    withdraw: (caller, id, handoff) => this.noHandoff('withdrawHandoff', caller, id, handoff),
  }

  private async noHandoff(name: string, caller: Caller, id: string, handoff: string): Promise<never> {
    this.note(name, caller, id, handoff)
    this.allowed(caller, id)
    return Promise.reject(new ApiError('handoff_not_found'))
  }

  readonly recordings: RecordingService = {
    start: (caller, id, name, context) =>
      this.into('startRecording', caller, id, [name, context], () => {
        const at = new Date('2026-01-02T03:04:05.006Z')
        return {
          ...{ id: newId('recording'), phone: id, name, status: 'recording' as const },
          ...{ startedAt: at, endedAt: null, durationMs: null, sizeBytes: null, expiresAt: at },
        }
      }),
    list: async (caller, id) => {
      this.note('listRecordings', caller, id)
      this.allowed(caller, id)
      return Promise.resolve([])
    },
    stop: (caller, id, recording, context) =>
      this.into('stopRecording', caller, id, [recording, context], () => {
        throw new ApiError('recording_not_found')
      }),
    video: async (caller, id, recording) => {
      this.note('readRecording', caller, id, recording)
      this.allowed(caller, id)
      return Promise.reject(new ApiError('recording_not_found'))
    },
    delete: async (caller, id, recording) => {
      this.note('deleteRecording', caller, id, recording)
      this.allowed(caller, id)
      return Promise.reject(new ApiError('recording_not_found'))
    },
  }

  installsOfAll: InstallView[] = []

  readonly installs: InstallService = {
    start: (caller, id, source, context) =>
      this.into('startInstall', caller, id, [source, context], () => {
        if ('package' in source)
          throw new ApiError('app_not_available', { details: { package: source.package } })
        const at = new Date('2026-01-02T03:04:05.006Z')
        return {
          id: newId('install'),
          package: 'com.example.app',
          upload: source.upload,
          status: 'running' as const,
          error: null,
          next: null,
          startedAt: at,
          updatedAt: at,
        }
      }),
    list: async (caller, id) => {
      this.note('listInstalls', caller, id)
      this.allowed(caller, id)
      return Promise.resolve(this.installsOfAll)
    },
  }
}
