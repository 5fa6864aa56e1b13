/** A receiver of webhooks as a customer would write it: an HTTP server that verifies signatures with `standardwebhooks`. */
import { once } from 'node:events'
import { createServer } from 'node:http'
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
  close(): void
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
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
        response.writeHead(204).end()
      } catch {
        receiver.refused += 1
        response.writeHead(400).end()
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ...{ secret: 'whsec_AAAA', events: new Map(), refused: 0 },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}
