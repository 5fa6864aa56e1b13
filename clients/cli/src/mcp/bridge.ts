/** Serves `/mcp` over stdio: one HTTP request for each request of the client. */
import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { errorAnswer, lostError, NoAnswerError, timeoutError } from './errors.js'

interface BridgeOptions {
  endpoint: URL
  headers: Readonly<Record<string, string>>
  stdin: Readable
  stdout: Writable
  /** Ends the bridge. */
  signal: AbortSignal
  /** Reports faults of the connection to the client outside of any request. */
  report: (error: Error) => void
  /** Milliseconds for one request. */
  limitMs: number
}

interface Pending {
  request: JSONRPCRequest
  stop: AbortController
  timer: NodeJS.Timeout
}

/** Resolves when stdin ends or the signal is aborted. Running requests are then aborted. */
export async function serveOverStdio(options: BridgeOptions): Promise<void> {
  const stdio = new StdioServerTransport(options.stdin, options.stdout)
  const http = new StreamableHTTPClientTransport(options.endpoint, {
    requestInit: { headers: { ...options.headers } },
    fetch: fetchAnswer,
    // The server keeps no sessions, so a broken stream cannot be resumed.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 0,
      maxReconnectionDelay: 0,
      reconnectionDelayGrowFactor: 1,
    },
  })
  const pending = new Map<RequestId, Pending>()
  let isClosed = false

  const write = (message: JSONRPCMessage): void => {
    stdio.send(message).catch((error: unknown) => {
      if (!isClosed) options.report(error instanceof Error ? error : new Error(String(error)))
    })
  }
  /** Null: the request was answered or cancelled. */
  const settle = (id: RequestId): Pending | null => {
    const found = pending.get(id)
    if (found === undefined) return null
    clearTimeout(found.timer)
    pending.delete(id)
    return found
  }
  const fail = (id: RequestId, error: unknown): void => {
    const found = settle(id)
    if (found === null) return
    write(errorAnswer(found.request, error, options.endpoint.origin))
    found.stop.abort()
  }

  const send = (request: JSONRPCRequest): void => {
    const { id } = request
    const stop = new AbortController()
    const timer = setTimeout(() => fail(id, timeoutError(request, options.limitMs)), options.limitMs)
    pending.set(id, { request, stop, timer })
    http
      .send(request, {
        requestSignal: stop.signal,
        onRequestStreamEnd: () => fail(id, lostError(request, options.endpoint.origin)),
      })
      .catch((error: unknown) => fail(id, error))
  }

  stdio.onmessage = (message) => {
    if (isJSONRPCRequest(message)) send(message)
    // Other notifications concern a session, which the server does not have.
    else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId']
      if (typeof id === 'string' || typeof id === 'number') settle(id)?.stop.abort()
    }
  }
  http.onmessage = (message) => {
    if (isJSONRPCNotification(message)) return write(message)
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return
    const found = message.id === undefined ? null : settle(message.id)
    if (found === null) return
    if (found.request.method === 'initialize' && isJSONRPCResultResponse(message)) {
      const version = message.result['protocolVersion']
      if (typeof version === 'string') http.setProtocolVersion(version)
    }
    write(message)
  }
  stdio.onerror = options.report

  const closed = new Promise<void>((resolve) => (stdio.onclose = resolve))
  const close = (): void => void stdio.close()
  options.signal.addEventListener('abort', close)
  try {
    await http.start()
    await stdio.start()
    if (options.signal.aborted) close()
    await closed
  } finally {
    isClosed = true
    options.signal.removeEventListener('abort', close)
    for (const id of [...pending.keys()]) settle(id)
    await http.close()
  }
}

/** The bridge sends only requests, so status 202 would leave a request without an answer. */
async function fetchAnswer(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.status === 202) throw new NoAnswerError()
  return response
}
