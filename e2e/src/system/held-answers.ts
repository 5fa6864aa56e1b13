/** A TCP relay to the service that can hold answers back: behind it, a request has arrived although no answer has. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface HeldAnswers {
  readonly port: number
  /** Method and path of each request that reached the service, in order. */
  requests(): string[]
  /** From now on, `bytes` of an answer pass, and the rest is dropped. Resolves when an answer is held. */
  hold(bytes: number): Promise<void>
  /** Later answers pass whole. */
  pass(): void
  close(): Promise<void>
}

const requestLine = /(?:^|\n|\})([A-Z]+ \/\S*) HTTP\/1\.1\r\n/g

/** @param target port on 127.0.0.1 */
export async function holdAnswers(target: number): Promise<HeldAnswers> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  let held: { left: number; resolve: () => void } | null = null
  const server = createServer((client) => {
    const service = connect({ host: '127.0.0.1', port: target })
    let [text, known] = ['', 0]
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const lines = [...text.matchAll(requestLine)].map(([, line = '']) => line)
      requests.push(...lines.slice(known))
      known = lines.length
      service.write(chunk)
    })
    service.on('data', (chunk: Buffer) => {
      if (held === null) return void client.write(chunk)
      if (held.left > 0) client.write(chunk.subarray(0, held.left))
      held.left = Math.max(0, held.left - chunk.length)
      if (held.left === 0) held.resolve()
    })
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => [...requests],
    hold: (bytes) => new Promise((resolve) => (held = { left: bytes, resolve })),
    pass: () => void (held = null),
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
