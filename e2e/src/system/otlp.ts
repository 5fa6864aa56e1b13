/**
 * A receiver of traces: an HTTP server that reads the parts of OTLP's protobuf that tests need. Field
 * numbers: `opentelemetry/proto/trace/v1/trace.proto` and `common/v1/common.proto` (1.5.0).
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'

export interface ReceivedSpan {
  service: string
  name: string
  traceId: string
  spanId: string
  /** Empty for the root. */
  parentId: string
  kind: number
  /** The text attributes and numbers, as text. */
  attributes: Record<string, string>
  /** Trace IDs. */
  links: string[]
}

type Fields = Map<number, (bigint | Buffer)[]>

function readVarint(bytes: Buffer, at: number): [value: bigint, next: number] {
  let value = 0n
  for (let shift = 0n; ; shift += 7n, at += 1) {
    const byte = bytes.readUInt8(at)
    value |= BigInt(byte & 127) << shift
    if (byte < 128) return [value, at + 1]
  }
}

/** The fields of one message, by number. */
function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map()
  for (let at = 0; at < bytes.length;) {
    const [tag, start] = readVarint(bytes, at)
    const wire = Number(tag & 7n)
    let value: bigint | Buffer
    if (wire === 0) [value, at] = readVarint(bytes, start)
    else {
      const [length, from] = wire === 2 ? readVarint(bytes, start) : [wire === 1 ? 8n : 4n, start]
      at = from + Number(length)
      value = bytes.subarray(from, at)
    }
    const number = Number(tag >> 3n)
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}

const messages = (fields: Fields, number: number): Buffer[] =>
  (fields.get(number) ?? []).filter((value): value is Buffer => Buffer.isBuffer(value))
const first = (fields: Fields, number: number): Buffer => messages(fields, number)[0] ?? Buffer.alloc(0)
const hex = (fields: Fields, number: number): string => first(fields, number).toString('hex')
const text = (fields: Fields, number: number): string => first(fields, number).toString('utf8')

function attributesOf(pairs: readonly Buffer[]): Record<string, string> {
  const entries = pairs.map(fieldsOf).map((pair): [string, string] => {
    const value = fieldsOf(first(pair, 2))
    return [text(pair, 1), text(value, 1) || String(value.get(3)?.[0] ?? '')]
  })
  return Object.fromEntries(entries)
}

function spansOf(body: Buffer): ReceivedSpan[] {
  return messages(fieldsOf(body), 1)
    .map(fieldsOf)
    .flatMap((resource) => {
      const service = attributesOf(messages(fieldsOf(first(resource, 1)), 1))['service.name'] ?? ''
      const scopes = messages(resource, 2).map(fieldsOf)
      return scopes.flatMap((scope) => messages(scope, 2).map((bytes) => spanOf(service, fieldsOf(bytes))))
    })
}

const spanOf = (service: string, span: Fields): ReceivedSpan => ({
  service,
  name: text(span, 5),
  traceId: hex(span, 1),
  spanId: hex(span, 2),
  parentId: hex(span, 4),
  kind: Number(span.get(6)?.[0] ?? 0),
  attributes: attributesOf(messages(span, 9)),
  links: messages(span, 13).map((link) => hex(fieldsOf(link), 1)),
})

export interface Receiver {
  /** The URL for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  spans: ReceivedSpan[]
  /** The received spans. */
  bodies: Buffer[]
  /** Stops answering requests. */
  hang(): void
  /** The number of requests without an answer. */
  readonly waiting: number
  close(): Promise<void>
}

/** @param port 0 for a free port */
export async function startReceiver(port = 0): Promise<Receiver> {
  const spans: ReceivedSpan[] = []
  const bodies: Buffer[] = []
  const waiting = new Set<ServerResponse>()
  let hangs = false
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      bodies.push(body)
      if (request.url === '/v1/traces') spans.push(...spansOf(body))
      if (hangs) return waiting.add(response)
      return response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    hang: () => void (hangs = true),
    get waiting() {
      return waiting.size
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
