/** Reads the stream of `GET /v1/events` of a listening server, as a client does. */
import { type AddressInfo } from 'node:net'
import { type FastifyInstance } from 'fastify'

export interface Frame {
  id: string | null
  event: string | null
  data: unknown
}

export interface StreamClient {
  status: number
  headers: Headers
  /** The events so far. */
  frames: Frame[]
  /** The last `id`. A frame without data can have it too. */
  readonly lastId: string | null
  /** Lines that are comments. */
  readonly comments: number
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close(): void
}

export async function openEvents(
  server: FastifyInstance,
  key: string,
  { query = '', lastEventId }: { query?: string; lastEventId?: string } = {},
): Promise<StreamClient> {
  const { port } = server.server.address() as AddressInfo
  const leaving = new AbortController()
  const response = await fetch(`http://127.0.0.1:${port}/v1/events${query}`, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  })
  const frames: Frame[] = []
  const seen = { lastId: null as string | null, comments: 0 }
  const take = (block: string): void => {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) seen.comments += 1
      const [, name = '', value = ''] = /^(\w+): (.*)$/.exec(line) ?? []
      fields.set(name, value)
    }
    seen.lastId = fields.get('id') ?? seen.lastId
    const data = fields.get('data')
    if (data === undefined) return
    frames.push({ id: fields.get('id') ?? null, event: fields.get('event') ?? null, data: JSON.parse(data) })
  }
  const read = async (): Promise<void> => {
    if (!response.body) return
    let text = ''
    const decoder = new TextDecoder()
    for await (const part of response.body) {
      text += decoder.decode(part as Uint8Array, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      blocks.forEach(take)
    }
  }
  // A stream that the client or the server has broken has ended too.
  const ended = read().catch(() => undefined)
  return {
    status: response.status,
    headers: response.headers,
    frames,
    ended,
    get lastId() {
      return seen.lastId
    },
    get comments() {
      return seen.comments
    },
    close: () => leaving.abort(),
  }
}
