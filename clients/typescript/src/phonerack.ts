/** The entry of the SDK. */
import { Apps } from './apps.js'
import { Connection, type RequestOptions } from './connection.js'
import { follow, type EventGap, type EventsOptions, type PastEventsOptions } from './events.js'
import { getAccount, listEvents } from './generated/sdk.gen.js'
import type { Account, Event as PhonerackEvent } from './generated/types.gen.js'
import { Pages } from './pages.js'
import { Phones } from './phones.js'
import { createTransport, type CallOptions, type Retry } from './transport.js'
import { Webhooks } from './webhooks.js'

export interface PhonerackOptions {
  /** Default: the environment variable `PHONERACK_API_KEY`. */
  apiKey?: string
  /** Such as `https://phones.example`. Default: the environment variable `PHONERACK_BASE_URL`. */
  baseUrl?: string | URL
  /** The maximum number of repeats of a call that is safe to repeat. Default: 3. */
  maxRetries?: number
  /** Sent with every request to the API, such as `User-Agent`. */
  headers?: Record<string, string>
  /** Called before each repeat of a call, with the error of the attempt before. */
  onRetry?: (retry: Retry) => void
  /** Default: the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch
}

export class Phonerack {
  readonly phones: Phones
  readonly apps: Apps
  readonly webhooks: Webhooks
  /** The origin of the service. */
  readonly baseUrl: URL
  private readonly connection: Connection

  /** @throws TypeError without a key or base URL, and for a key that would go unencrypted to another machine */
  constructor(options: PhonerackOptions = {}) {
    const apiKey = options.apiKey ?? process.env['PHONERACK_API_KEY']
    const given = options.baseUrl ?? process.env['PHONERACK_BASE_URL']
    if (!apiKey) throw new TypeError('The API key is missing: pass `apiKey` or set PHONERACK_API_KEY.')
    if (!given) throw new TypeError('The base URL is missing: pass `baseUrl` or set PHONERACK_BASE_URL.')
    if (/[^\x21-\x7e]/.test(apiKey)) throw new TypeError('The API key has a character that no key has.')
    const baseUrl = baseUrlOf(given)
    const { maxRetries = 3, headers = {}, onRetry, fetch = globalThis.fetch } = options
    const transport = createTransport({ apiKey, baseUrl, maxRetries, headers, onRetry, fetch })
    this.baseUrl = baseUrl
    this.connection = new Connection(transport, baseUrl, fetch)
    this.phones = new Phones(this.connection)
    this.apps = new Apps(this.connection)
    this.webhooks = new Webhooks(this.connection)
  }

  /** Credit, limits and prices of the project. */
  account(options: CallOptions = {}): Promise<Account> {
    return getAccount({ ...this.connection.sending(options) })
  }

  /**
   * Follows events from now on, or after `lastEventId`, until the loop ends or `signal` aborts. The SDK reconnects
   * automatically and continues after the last event. An event may arrive twice. A `gap` means that events have expired in
   * between.
   * @throws PhonerackError when the API refuses the request, such as for a revoked key
   */
  events(options: EventsOptions = {}): AsyncGenerator<PhonerackEvent | EventGap, void, undefined> {
    return follow(this.connection, options)
  }

  /** Past events, newest first, as long as they are kept. */
  pastEvents({ type, phone, ...options }: PastEventsOptions = {}): Pages<PhonerackEvent, PhonerackEvent> {
    const read = (cursor: string | undefined, limit?: number) =>
      listEvents({ ...this.connection.sending(options), query: { type, phone, cursor, limit } })
    return new Pages(read, (event) => event)
  }

  /** Sends a request for which this release has no method. @param path such as `/v1/account` @throws PhonerackError */
  async request<T = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.connection.request(method, path, options, 'json')
    // Null: the answer has no body.
    return (response.body === null ? undefined : await response.json()) as T
  }

  /** Like `request`, for an answer that is not JSON. */
  send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    return this.connection.request(method, path, options)
  }
}

/** The origin. @throws TypeError for an address that would carry a key unencrypted to another machine */
export function baseUrlOf(given: string | URL): URL {
  const url = new URL(given)
  const isOwn = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isOwn))
    throw new TypeError(
      `${url.origin} is not encrypted: use an https address. http is only for this machine.`,
    )
  return new URL(url.origin)
}
