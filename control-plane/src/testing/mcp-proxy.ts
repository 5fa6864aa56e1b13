/** A proxy that adds an API key to each request, for programs that cannot send one. */
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface KeyProxy {
  origin: string
  /** From now on, requests go to this base address with this key. */
  forward(baseUrl: string, key: string): void
  close(): Promise<void>
}

export async function startKeyProxy(): Promise<KeyProxy> {
  let target: { baseUrl: string; authorization: string } | null = null
  const server = createServer((request, response) => {
    if (target === null) return void response.writeHead(503).end()
    const { method, headers, url = '' } = request
    const sent = send(new URL(url, target.baseUrl), {
      method,
      headers: { ...headers, authorization: target.authorization },
    })
    sent.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.once('error', () => response.destroy())
    response.once('close', () => sent.destroy())
    request.pipe(sent)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forward: (baseUrl, key) => (target = { baseUrl, authorization: `Bearer ${key}` }),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
