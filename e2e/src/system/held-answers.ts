/**
 * A TCP relay to the service that can hold answers back: a request has then arrived at the service although
 * no answer returns.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface HeldAnswers {
  readonly port: number
  /** Method and path of each request that reached the service, in order. */
  requests(): string[]
  /** The `Idempotency-Key` of each request that has one, in order. */
  keys(): string[]
  /**
   * From now on, lets `bytes` of an answer pass, and drops the remaining bytes. Resolves when an answer is
   * held.
   */
  hold(bytes: number): Promise<void>
  /** Resets the open connections, and later connections. Resolves at the first later connection. */
  refuse(): Promise<void>
  /** Lets later connections and answers pass completely. */
  pass(): void
  /** Resets the open connections once. */
  reset(): void
  /** Resolves when no connection is open. */
  disconnected(): Promise<void>
  close(): Promise<void>
}

const requestLine = /(?:^|\n|\})([A-Z]+ \/\S*) HTTP\/1\.1\r\n/g
const keyLine = /\r\nidempotency-key: *(\S+)\r\n/gi

/** Appends the later entries of a growing list to `out`. */
function newEntries(out: (entry: string) => void): (all: readonly string[]) => void {
  let known = 0
  return (all) => {
    for (const entry of all.slice(known)) out(entry)
    known = all.length
  }
}

/** @param target port on 127.0.0.1 */
export async function holdAnswers(target: number): Promise<HeldAnswers> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const keys: string[] = []
  let onEmpty: (() => void)[] = []
  let held: { left: number; resolve: () => void } | null = null
  let refused: (() => void) | null = null

  const left = (socket: Socket): void => {
    sockets.delete(socket)
    if (sockets.size > 0) return
    for (const resolve of onEmpty) resolve()
    onEmpty = []
  }
  const server = createServer((client) => {
    if (refused !== null) {
      client.on('error', () => client.destroy())
      client.resetAndDestroy()
      return refused()
    }
    const service = connect({ host: '127.0.0.1', port: target })
    let text = ''
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        left(socket)
        other.destroy()
      })
    }
    const readLines = newEntries((line) => requests.push(line))
    const readKeys = newEntries((key) => keys.push(key))
    client.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      service.write(chunk)
      readKeys([...text.matchAll(keyLine)].map(([, key = '']) => key))
      readLines([...text.matchAll(requestLine)].map(([, line = '']) => line))
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
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => [...requests],
    keys: () => [...keys],
    hold: (bytes) => new Promise((resolve) => (held = { left: bytes, resolve })),
    refuse: () =>
      new Promise((resolve) => {
        refused = resolve
        reset()
      }),
    pass() {
      held = null
      refused = null
    },
    reset,
    disconnected: () =>
      sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => onEmpty.push(resolve)),
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
