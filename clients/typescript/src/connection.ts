/** The generated client over the transport, with a deadline and errors for each call. Shared by all classes of the SDK. */
import { createClient, type Client } from './generated/client/index.js'
import { signalOf, type CallOptions, type Expected, type Transport } from './transport.js'

/** Default deadlines in milliseconds, for a request and for a batch of actions. */
export const limits = { requestMs: 130_000, actionsMs: 310_000 } as const

export interface RequestOptions extends CallOptions {
  /** Sent as JSON; a `Uint8Array` as it is. */
  body?: unknown
  headers?: Record<string, string>
}

/** Receives the headers of an answer, which the value of a call does not contain. */
export interface Noted {
  requestId: string | null
  headers?: Headers
}

interface SendingOptions {
  expected?: Expected
  noted?: Noted
  /** Milliseconds to wait for a free phone. */
  capacityMs?: number
}

/** The options of every generated function. */
interface Sending {
  client: Client
  fetch: typeof globalThis.fetch
  signal: AbortSignal
  throwOnError: true
  responseStyle: 'data'
  parseAs: 'json' | 'arrayBuffer'
}

export class Connection {
  private readonly client: Client

  constructor(
    readonly transport: Transport,
    readonly baseUrl: URL,
    /** Used for uploads, whose URLs must not get the key. */
    readonly fetch: typeof globalThis.fetch,
  ) {
    this.client = withoutItself(createClient({ baseUrl: baseUrl.href.replace(/\/$/, '') }))
  }

  /** @param defaultMs the time of a call whose options have none */
  sending(
    options: CallOptions,
    defaultMs: number = limits.requestMs,
    { expected = 'json', noted, capacityMs }: SendingOptions = {},
  ): Sending {
    return {
      client: this.client,
      fetch: async (input) => {
        const response = await this.transport.send(input as Request, expected, capacityMs)
        if (noted !== undefined) {
          noted.requestId = response.headers.get('x-request-id')
          noted.headers = response.headers
        }
        return response
      },
      signal: signalOf(options, defaultMs),
      throwOnError: true,
      responseStyle: 'data',
      // `Content-Type` is not used, because a proxy's page has its own type.
      parseAs: expected === 'json' ? 'json' : 'arrayBuffer',
    }
  }

  /** Any request of the API, such as one that this release of the SDK does not know. The caller reads the answer. */
  request(
    method: string,
    path: string,
    { body, headers: given, ...options }: RequestOptions,
    expected: Expected = 'bytes',
  ): Promise<Response> {
    const url = new URL(path, this.baseUrl)
    const headers = new Headers(given)
    const isBytes = body instanceof Uint8Array
    if (body !== undefined && !headers.has('content-type'))
      headers.set('content-type', isBytes ? 'application/octet-stream' : 'application/json')
    const content = body === undefined ? {} : { body: isBytes ? (body as BodyInit) : JSON.stringify(body) }
    return this.transport.send(
      new Request(url, { method, headers, ...content, signal: signalOf(options, limits.requestMs) }),
      expected,
    )
  }
}

/**
 * The generated functions pass all their options to `Request`, including `client`. Deno has an option with this name,
 * and refuses other values.
 */
function withoutItself(made: Client): Client {
  for (const name of ['get', 'post', 'put', 'patch', 'delete'] as const) {
    const send = made[name]
    made[name] = ((given: Parameters<typeof send>[0] & { client?: unknown }) => {
      const options = { ...given }
      delete options.client
      return send(options)
    }) as typeof send
  }
  return made
}
