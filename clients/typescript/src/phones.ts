/** The phones of a project. */
import { createHash, randomUUID } from 'node:crypto'
import { limits, type Connection } from './connection.js'
import { PhonerackError } from './errors.js'
import { createPhone, getPhone, listPhones } from './generated/sdk.gen.js'
import type { ListPhonesData, Phone as PhoneFields } from './generated/types.gen.js'
import { millisecondsOf } from './milliseconds.js'
import { Pages } from './pages.js'
import { Phone } from './phone.js'
import type { StartOptions } from './phone-options.js'
import { signalOf, type CallOptions } from './transport.js'
import { readyAfterWrite } from './until-ready.js'

export interface CreateOptions extends StartOptions {
  name?: string
  /** Two letters; default: any country. */
  country?: string
  metadata?: Record<string, string>
  /** `delete`: the phone is deleted with its data where it would park, and by `park()`. Default: `park`. */
  onIdle?: 'park' | 'delete'
  /** A repeat with the same key returns the same phone. Default: a random key for each call. */
  idempotencyKey?: string
}

export interface GetOrCreateOptions extends Omit<CreateOptions, 'idempotencyKey'> {
  /** At most 256 characters. Each key is one phone of the project. */
  key: string
}

const hasEnded = ({ status }: PhoneFields): boolean => status === 'deleted' || status === 'failed'
const isParked = ({ status }: PhoneFields): boolean => status === 'parked' || status === 'unavailable'

/** Concurrent calls find the same ended phone, so they get the same idempotency key. @param dead its ID; empty: none */
const idempotencyKeyOf = (key: string, dead: string): string =>
  `key-${createHash('sha256').update(`${key}\n${dead}`).digest('hex')}`

const timeOf = ({ retry, ...options }: Pick<CreateOptions, 'retry' | keyof CallOptions>): AbortSignal =>
  signalOf(options, limits.actionsMs + millisecondsOf(retry?.capacity ?? 0))

function send(
  connection: Connection,
  { name, country, metadata, onIdle, idleTimeout, maxDuration, wait, retry }: CreateOptions,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<PhoneFields> {
  const capacityMs = millisecondsOf(retry?.capacity ?? 0)
  return createPhone({
    ...connection.sending({ signal }, limits.actionsMs, { capacityMs }),
    headers: { 'Idempotency-Key': idempotencyKey },
    body: {
      name,
      country,
      metadata,
      on_idle: onIdle,
      idle_timeout: idleTimeout,
      max_duration: maxDuration,
      wait,
    },
  })
}

export interface ListOptions extends CallOptions {
  /** Default: all except `failed` and `deleted`. */
  status?: NonNullable<ListPhonesData['query']>['status']
  metadata?: Record<string, string>
}

export class Phones {
  constructor(private readonly connection: Connection) {}

  /** Rents a phone, and waits until it is ready. It is billed until it parks: `await using` parks it. */
  async create(options: CreateOptions = {}): Promise<Phone> {
    const signal = timeOf(options)
    const created = await send(this.connection, options, options.idempotencyKey ?? randomUUID(), signal)
    if (options.wait === false) return new Phone(this.connection, created)
    return new Phone(this.connection, await readyAfterWrite(this.connection, created, signal))
  }

  /**
   * Returns the phone with this key once it is ready. Starts the phone if it is parked, and creates it if it does not
   * exist. The key is stored in the phone's metadata under `key`. Concurrent calls get the same phone. The other
   * options apply to a new phone only: an existing phone keeps its name, country, metadata and `onIdle`.
   */
  async getOrCreate({ key, ...options }: GetOrCreateOptions): Promise<Phone> {
    const signal = timeOf(options)
    const wanted = { ...options, metadata: { ...options.metadata, key }, wait: false }
    const existing = await findByKey(this, key, options, signal)
    if (existing) return existing
    for (let dead = ''; ;) {
      try {
        // A repeat returns the phone of the first call, even after that phone has ended.
        const created = await send(this.connection, wanted, idempotencyKeyOf(key, dead), signal)
        if (hasEnded(created)) {
          dead = created.id
          continue
        }
        const phone = new Phone(this.connection, created)
        if (options.wait === false) return phone
        if (isParked(created)) return await phone.start({ ...options, signal })
        phone.data = await readyAfterWrite(this.connection, created, signal)
        return phone
      } catch (error) {
        if (!(error instanceof PhonerackError && error.code === 'idempotency_conflict')) throw error
        // A phone was created for this key with other options: it exists, or has ended.
        const other = await findByKey(this, key, options, signal)
        if (other) return other
        const ended = await newestEnded(this, key, signal)
        if (ended === null || ended === dead) throw error
        dead = ended
      }
    }
  }

  async get(id: string, options: CallOptions = {}): Promise<Phone> {
    return new Phone(this.connection, await getPhone({ ...this.connection.sending(options), path: { id } }))
  }

  /** A phone without a request: `data` has only its ID until `refresh()` reads the rest. */
  handle(id: string): Phone {
    return new Phone(this.connection, {
      id,
      object: 'phone',
      name: id,
      status: 'unknown',
      country: null,
      on_idle: 'unknown',
      metadata: {},
      created_at: '',
      last_active_at: null,
      session: null,
      failure: null,
    })
  }

  /** Newest first. */
  list({ status, metadata, ...options }: ListOptions = {}): Pages<PhoneFields, Phone> {
    const read = (cursor: string | undefined, limit?: number) =>
      listPhones({ ...this.connection.sending(options), query: { status, metadata, cursor, limit } })
    return new Pages(read, (fields) => new Phone(this.connection, fields))
  }
}

/** Null: all phones with this key have ended. */
async function findByKey(
  phones: Phones,
  key: string,
  options: Omit<GetOrCreateOptions, 'key'>,
  signal: AbortSignal,
): Promise<Phone | null> {
  for await (const phone of phones.list({ metadata: { key }, signal })) {
    if (phone.status === 'parking') await phone.waitUntilParked({ signal })
    // With `onIdle: 'delete'`, a park deletes it.
    if (hasEnded(phone.data)) continue
    if (isParked(phone.data)) await phone.start({ ...options, signal })
    else if (options.wait !== false) await phone.waitUntilReady({ signal })
    return phone
  }
  return null
}

/** The ID of the newest phone with this key that was deleted or has failed. */
async function newestEnded(phones: Phones, key: string, signal: AbortSignal): Promise<string | null> {
  let newest: PhoneFields | null = null
  for (const status of ['deleted', 'failed'] as const)
    for await (const { data } of phones.list({ status, metadata: { key }, signal })) {
      if (newest === null || data.created_at > newest.created_at) newest = data
      break
    }
  return newest?.id ?? null
}
