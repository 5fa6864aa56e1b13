/** Clients of `/mcp` in the current and an earlier revision of the protocol, for tests. */
import { type AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { type FastifyInstance } from 'fastify'

/** The current revision, and a revision of 2025 with its handshake. */
export const eras = ['2026-07-28', '2025-06-18'] as const
type Era = (typeof eras)[number]

export async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

export async function connectMcp(baseUrl: string, key: string, era: Era): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
      ...(era === '2026-07-28' ? {} : { supportedProtocolVersions: [era] }),
    },
  )
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return client
}

export interface Called {
  structured: Record<string, unknown>
  text: string
  images: { data: string; mimeType: string }[]
  isError: boolean
}

function readResult(result: CallToolResult): Called {
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return {
    structured: (result.structuredContent ?? {}) as Record<string, unknown>,
    text: texts.join('\n'),
    images: result.content.flatMap((block) =>
      block.type === 'image' ? [{ data: block.data, mimeType: block.mimeType }] : [],
    ),
    isError: result.isError === true,
  }
}

export const call = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Called> => readResult(await client.callTool({ name, arguments: args }))

export const errorIn = ({
  structured,
}: Called): { code: string; next: string | null; message: string } & Record<string, unknown> =>
  structured['error'] as { code: string; next: string | null; message: string }

/** Sends a message as a client does, in a revision of 2025 unless `headers` name another revision. */
export const post = (
  baseUrl: string,
  key: string | null,
  message: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    ...(signal ? { signal } : {}),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })

/** Returns the JSON-RPC message in an answer, which may be a stream of events. */
export async function messageIn(
  response: Response,
): Promise<{ result?: Record<string, unknown>; error?: { code: number; message: string } }> {
  const body = await response.text()
  const data = body.startsWith('{') ? body : (/^data: (\{.*)$/m.exec(body)?.[1] ?? 'null')
  return JSON.parse(data) as { result?: Record<string, unknown> }
}
