/** The entry of the SDK. */
import { Apps } from './apps.js'
import { Connection } from './connection.js'
import { getAccount } from './generated/sdk.gen.js'
import type { Account } from './generated/types.gen.js'
import { Phones } from './phones.js'
import { createTransport, type CallOptions } from './transport.js'

export interface PhonerackOptions {
  /** Default: the environment variable `PHONERACK_API_KEY`. */
  apiKey?: string
  /** Such as `https://phones.example`. Default: the environment variable `PHONERACK_BASE_URL`. */
  baseUrl?: string | URL
  /** How often a call is repeated that is safe to repeat. Default: 3. */
  maxRetries?: number
  /** Default: that of the platform. */
  fetch?: typeof globalThis.fetch
}

export class Phonerack {
  readonly phones: Phones
  readonly apps: Apps
  private readonly connection: Connection

  /** @throws TypeError without a key or base URL, and for a key that would go unencrypted to another machine */
  constructor(options: PhonerackOptions = {}) {
    const apiKey = options.apiKey ?? process.env['PHONERACK_API_KEY']
    const given = options.baseUrl ?? process.env['PHONERACK_BASE_URL']
    if (!apiKey) throw new TypeError('The API key is missing: pass `apiKey` or set PHONERACK_API_KEY.')
    if (!given) throw new TypeError('The base URL is missing: pass `baseUrl` or set PHONERACK_BASE_URL.')
    if (/[^\x21-\x7e]/.test(apiKey)) throw new TypeError('The API key has a character that no key has.')
    const baseUrl = baseUrlOf(given)
    const { maxRetries = 3, fetch = globalThis.fetch } = options
    this.connection = new Connection(createTransport({ apiKey, baseUrl, maxRetries, fetch }), baseUrl, fetch)
    this.phones = new Phones(this.connection)
    this.apps = new Apps(this.connection)
  }

  /** Credit, limits and prices of the project. */
  account(options: CallOptions = {}): Promise<Account> {
    return getAccount({ ...this.connection.sending(options) })
  }

  /** A request that this release has no method for. @param path such as `/v1/account` @throws PhonerackError */
  async request<T = unknown>(
    method: string,
    path: string,
    { body, ...options }: CallOptions & { body?: unknown } = {},
  ): Promise<T> {
    return (await (await this.connection.request(method, path, body, options)).json()) as T
  }
}

function baseUrlOf(given: string | URL): URL {
  const url = new URL(given)
  const isOwn = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isOwn))
    throw new TypeError(
      `${url.origin} is not encrypted: use an https address. http is only for this machine.`,
    )
  return new URL(url.origin)
}
