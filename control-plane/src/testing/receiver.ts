/**
 * A receiver of webhooks that uses none of our code: an HTTP server that verifies each request with
 * `standardwebhooks`.
 */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { type AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { type EventJson } from '../events/events/types.js'

interface Received {
  event: EventJson
  headers: IncomingHttpHeaders
  at: number
}

export interface Receiver {
  url: string
  /** Requests with a valid signature, in the order of their arrival. */
  received: Received[]
  /** Requests without a valid signature. */
  forged: number
  /** The secrets that the receiver accepts. */
  secrets: string[]
  /** Answers instead of 204; null: the receiver answers 204 again. */
  answer: RequestListener | null
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const event = verified(Buffer.concat(parts).toString(), request.headers)
      if (event) receiver.received.push({ event, headers: request.headers, at: performance.now() })
      else receiver.forged += 1
      if (receiver.answer) return receiver.answer(request, response)
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const verified = (body: string, headers: IncomingHttpHeaders): EventJson | null => {
    for (const secret of receiver.secrets)
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>) as EventJson
      } catch {
        // Another secret may have signed the request.
      }
    return null
  }
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    forged: 0,
    secrets: [],
    answer: null,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
