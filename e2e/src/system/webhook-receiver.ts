/**
 * A receiver of webhooks as a customer would write it: an HTTP server that verifies signatures with
 * `standardwebhooks`.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'

const eventSchema = z.object({ id: z.string(), type: z.string() })

export interface WebhookReceiver {
  url: string
  secret: string
  /** How often each event arrived with a valid signature, by its ID. */
  events: Map<string, number>
  /** Requests without a valid signature. */
  refused: number
  /** The body of 500 responses to valid requests; null: the receiver answers 204. */
  failure: string | null
  close(): void
}

/** @param tls the key and certificate of 127.0.0.1 as PEM; omitted: HTTP */
export async function startWebhookReceiver(tls?: { key: string; cert: string }): Promise<WebhookReceiver> {
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      try {
        const body = new Webhook(receiver.secret).verify(
          Buffer.concat(parts).toString(),
          request.headers as Record<string, string>,
        )
        const { id } = eventSchema.parse(body)
        receiver.events.set(id, (receiver.events.get(id) ?? 0) + 1)
        if (receiver.failure === null) response.writeHead(204).end()
        else response.writeHead(500).end(receiver.failure)
      } catch {
        receiver.refused += 1
        response.writeHead(400).end()
      }
    })
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: WebhookReceiver = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    secret: 'whsec_AAAA',
    events: new Map(),
    refused: 0,
    failure: null,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}
