/** The phones of a project. */
import { randomUUID } from 'node:crypto'
import { limits, type Connection } from './connection.js'
import { createPhone, getPhone, listPhones } from './generated/sdk.gen.js'
import type { ListPhonesData, Phone as PhoneFields } from './generated/types.gen.js'
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
  /** A repeat with the same key returns the same phone. Default: a random one for each call. */
  idempotencyKey?: string
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
    const { name, country, metadata, onIdle, idleTimeout, maxDuration, wait, idempotencyKey, ...rest } =
      options
    const signal = signalOf(rest, limits.actionsMs)
    const created = await createPhone({
      ...this.connection.sending({ signal }),
      headers: { 'Idempotency-Key': idempotencyKey ?? randomUUID() },
      body: {
        ...{ name, country, metadata, on_idle: onIdle },
        ...{ idle_timeout: idleTimeout, max_duration: maxDuration, wait },
      },
    })
    if (wait === false) return new Phone(this.connection, created)
    return new Phone(this.connection, await readyAfterWrite(this.connection, created, signal))
  }

  async get(id: string, options: CallOptions = {}): Promise<Phone> {
    return new Phone(this.connection, await getPhone({ ...this.connection.sending(options), path: { id } }))
  }

  /** A phone without a request: `data` has only its ID until `refresh()` reads the rest. */
  handle(id: string): Phone {
    return new Phone(this.connection, {
      ...{
        id,
        object: 'phone',
        name: id,
        status: 'unknown',
        country: null,
        on_idle: 'unknown',
        metadata: {},
        created_at: '',
      },
      ...{ last_active_at: null, session: null, failure: null },
    })
  }

  /** Newest first. */
  list({ status, metadata, ...options }: ListOptions = {}): Pages<PhoneFields, Phone> {
    const read = (cursor: string | undefined, limit?: number) =>
      listPhones({ ...this.connection.sending(options), query: { status, metadata, cursor, limit } })
    return new Pages(read, (fields) => new Phone(this.connection, fields))
  }
}
