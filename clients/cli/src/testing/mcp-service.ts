/** An HTTP server with a real MCP server behind `/mcp`, which keeps no sessions, like the service. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { apiKey } from './service.js'

export interface McpService {
  baseUrl: string
  /** Headers of each request. */
  seen: IncomingMessage['headers'][]
  /** The numbers of running and aborted calls of `slow`. */
  slow: { running: number; aborted: number }
  /** Answers the next requests instead of the MCP server; null: none. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | null
  close: () => Promise<void>
}

const inputSchema = { type: 'object' as const }

/** `echo` returns its arguments; `slow` reports progress once, and never ends by itself. */
function createTools({ slow }: Pick<McpService, 'slow'>): McpServer {
  const mcp = new McpServer({ name: 'test', version: '1' }, { capabilities: { tools: {} } })
  mcp.server.setRequestHandler('tools/list', () => ({
    tools: ['echo', 'slow'].map((name) => ({ name, inputSchema })),
  }))
  mcp.server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    if (params.name === 'echo')
      return {
        content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
        structuredContent: { ...params.arguments },
      }
    slow.running += 1
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 5 } })
    await new Promise<void>((resolve) => {
      if (mcpReq.signal.aborted) resolve()
      else mcpReq.signal.addEventListener('abort', () => resolve())
    })
    slow.aborted += 1
    return { content: [] }
  })
  return mcp
}

export async function startMcpService(): Promise<McpService> {
  const service: Omit<McpService, 'baseUrl' | 'close'> = {
    seen: [],
    slow: { running: 0, aborted: 0 },
    instead: null,
  }
  const handler = createMcpHandler(() => createTools(service), { maxSubscriptions: 0 })
  const server = createServer((request, response) => {
    service.seen.push(request.headers)
    if (service.instead !== null) service.instead(request, response)
    else if (request.headers.authorization !== `Bearer ${apiKey}`)
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
    else void answer(request, response)
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const stop = new AbortController()
    response.on('close', () => stop.abort())
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') headers.set(name, value)
    const asked = new Request('http://127.0.0.1/mcp', {
      method: request.method ?? '',
      headers,
      signal: stop.signal,
    })
    // Without a body, the handler would clone the request, and Node.js loses the signal of a clone when it collects garbage:
    // https://github.com/nodejs/undici/issues/4068
    const body =
      chunks.length === 0 ? {} : { parsedBody: JSON.parse(String(Buffer.concat(chunks))) as unknown }
    const answered = await handler.fetch(asked, body)
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    response.flushHeaders()
    if (answered.body === null) response.end()
    else Readable.fromWeb(answered.body).pipe(response)
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return Object.assign(service, {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
