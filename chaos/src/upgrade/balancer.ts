/**
 * A small HTTP balancer, as operators use it. It sends a request to another replica only if the first replica
 * did not accept the connection, and never to replicas that are not ready. A replica can be taken out by a
 * call, for releases that do not announce their end.
 */
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Backend {
  url: string
  isReady: boolean
  isOut: boolean
  /** The number of requests that the replica has not answered yet. */
  open: number
}

export class Balancer {
  private readonly backends = new Map<string, Backend>()
  private readonly server = createServer((from, to) => void this.forward(from, to))
  private readonly timer = setInterval(() => void this.check(), 100)
  private next = 0

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  add(url: string): void {
    this.backends.set(url, { url, isReady: false, isOut: false, open: 0 })
  }

  /** Takes a replica out. Returns when it has answered all its requests. */
  async takeOut(url: string): Promise<void> {
    const backend = this.backends.get(url)
    if (!backend) return
    backend.isOut = true
    const until = Date.now() + 120_000
    while (backend.open > 0) {
      if (Date.now() > until) throw new Error(`${url} has ${backend.open} open requests after 120 s`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    this.backends.delete(url)
  }

  /** Adds a replica. Returns when it gets requests. */
  async hasReady(url: string): Promise<void> {
    const until = Date.now() + 60_000
    while (this.backends.get(url)?.isReady !== true) {
      if (Date.now() > until) throw new Error(`${url} is not ready after 60 s`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private async check(): Promise<void> {
    await Promise.all(
      [...this.backends.values()].map(async (backend) => {
        backend.isReady = await fetch(`${backend.url}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
          async (answer) => {
            await answer.arrayBuffer()
            return answer.ok
          },
          () => false,
        )
      }),
    )
  }

  private async forward(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of from) chunks.push(chunk as Buffer)
    const ready = [...this.backends.values()].filter(({ isReady, isOut }) => isReady && !isOut)
    const order = ready.map((_, at) => ready[(this.next + at) % ready.length])
    this.next += 1
    for (const backend of order) {
      if (!backend) continue
      backend.open += 1
      try {
        if (await attempt(backend.url, from, Buffer.concat(chunks), to)) return
      } finally {
        backend.open -= 1
      }
    }
    to.writeHead(502, { 'content-type': 'text/plain' }).end('no replica accepts the connection')
  }
}

/** Returns false when the replica did not accept the connection. */
function attempt(url: string, from: IncomingMessage, body: Buffer, to: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const headers = { ...from.headers, connection: 'close' }
    const sent = request({ hostname, port, method: from.method, path: from.url, headers, agent: false })
    sent.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return resolve(false)
      if (!to.headersSent) to.writeHead(502, { 'content-type': 'text/plain' })
      to.end(`the replica broke the connection: ${error.message}`)
      resolve(true)
    })
    sent.once('response', (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
      answer.once('close', () => resolve(true))
    })
    sent.end(body)
  })
}
