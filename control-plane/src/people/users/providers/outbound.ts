/**
 * Requests to identity providers: on a new connection to an address that was just resolved and checked as for webhooks,
 * with the caller's deadline. Redirects are not followed. docs/decisions/0290
 */
import http from 'node:http'
import https from 'node:https'
import { type Network } from '../../../base/config/webhooks.js'
import { isAllowedAddress } from '../../../events/webhooks/address.js'
import { checkedLookup } from '../../../events/webhooks/checked-lookup.js'
import { type ResolveOf } from '../../../events/webhooks/resolve.js'
import { urlProblem } from '../../../events/webhooks/url.js'
import { ProviderFailed } from './types.js'

/** Limit of bytes in a response. The key sets of large providers have some kilobytes. */
const mostBytes = 256_000

interface Outgoing {
  headers?: Readonly<Record<string, string>>
  /** A form that is sent by POST. If omitted, the request is a GET. */
  form?: URLSearchParams
}

export interface Answer {
  status: number
  /** Undefined if the response is not JSON. */
  body: unknown
}

export interface Outbound {
  /** @throws ProviderFailed, for example when `signal` aborts */
  ask(url: string, signal: AbortSignal, request?: Outgoing): Promise<Answer>
  /** Returns the problem of an address that the browser or this service would use; null if there is none. */
  problemOf(url: string): string | null
}

interface OutboundParts {
  /** Networks that are not public, to which requests may go. */
  allowed: readonly Network[]
  allowsHttp: boolean
  resolve: ResolveOf
  /** Addresses of this machine, which are refused unless they are in `allowed`. */
  own: () => readonly string[]
}

export function createOutbound({ allowed, allowsHttp, resolve, own }: OutboundParts): Outbound {
  const problemOf = (url: string): string | null => urlProblem(url, { allowed, own: own(), allowsHttp })
  return {
    problemOf,
    async ask(text, signal, request = {}) {
      const problem = problemOf(text)
      if (problem !== null) throw new ProviderFailed(`the address ${text} ${problem}`)
      const mine = own()
      const isAllowed = (address: string): boolean => isAllowedAddress(address, allowed, mine)
      const lookup = checkedLookup((name) => resolve(name, signal, 'sign-in'), isAllowed)
      try {
        signal.throwIfAborted()
        return await send(new URL(text), { ...request, lookup, signal })
      } catch (error) {
        if (error instanceof ProviderFailed) throw error
        throw new ProviderFailed(`the request to ${new URL(text).origin} failed`, { cause: error })
      }
    },
  }
}

interface Sending extends Outgoing {
  lookup: ReturnType<typeof checkedLookup>
  signal: AbortSignal
}

function send(url: URL, { headers, form, lookup, signal }: Sending): Promise<Answer> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((done, fail) => {
    // The request ends at its deadline even if Node.js emits no event.
    const onAbort = (): void => fail(new ProviderFailed('there was no answer before the deadline'))
    signal.addEventListener('abort', onAbort, { once: true })
    let isAnswered = false
    const body = form?.toString()
    const sending = request(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        lookup,
        signal,
        headers: {
          accept: 'application/json',
          'user-agent': 'phonerack',
          ...(body === undefined
            ? {}
            : {
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': Buffer.byteLength(body),
              }),
          ...headers,
        },
      },
      (response) => {
        isAnswered = true
        const parts: Buffer[] = []
        let size = 0
        response.on('data', (part: Buffer) => {
          size += part.length
          if (size > mostBytes) response.destroy(new ProviderFailed('the answer is too large'))
          else parts.push(part)
        })
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, body: jsonOf(Buffer.concat(parts).toString('utf8')) }),
        )
        response.on('error', fail)
        response.on('close', () => fail(new ProviderFailed('the answer broke off')))
      },
    )
    sending.on('upgrade', (_response, socket) => {
      socket.destroy()
      fail(new ProviderFailed('the answer is not one of HTTP'))
    })
    sending.on('error', fail)
    sending.on('close', () => {
      signal.removeEventListener('abort', onAbort)
      if (!isAnswered) fail(new ProviderFailed('the connection was closed without an answer'))
    })
    sending.end(body)
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
