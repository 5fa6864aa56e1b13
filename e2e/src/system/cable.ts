/**
 * A TCP proxy on 127.0.0.1 that can be cut, hang, or delay all bytes. It represents the network between two
 * parts.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * `cut`: connections are reset and refused. `hang`: no byte arrives, and no connection ends. A number:
 * milliseconds of delay.
 */
export type CableMode = 'open' | 'cut' | 'hang' | { delayMs: number }

export interface Cable {
  readonly port: number
  set(mode: CableMode): void
  /** Resets the open connections once. */
  reset(): void
  close(): Promise<void>
}

/** A chunk, or the end of the stream (null). */
interface Parcel {
  at: number
  chunk: Buffer | null
}

/** One direction of a connection. Keeps the order of bytes when the delay changes. */
class Way {
  private readonly parcels: Parcel[] = []
  private timer: NodeJS.Timeout | null = null

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly mode: () => CableMode,
  ) {
    from.on('data', (chunk) => this.take(chunk))
    from.on('end', () => this.take(null))
    to.on('drain', () => from.resume())
  }

  private take(chunk: Buffer | null): void {
    const mode = this.mode()
    const delay = typeof mode === 'object' ? mode.delayMs : 0
    const at = Math.max(performance.now() + delay, this.parcels.at(-1)?.at ?? 0)
    this.parcels.push({ at, chunk })
    this.deliver()
  }

  /** Writes the chunks whose delay has passed. A change of the mode also calls this method. */
  deliver(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    if (this.mode() === 'hang') {
      this.from.pause()
      return
    }
    this.from.resume()
    for (let first = this.parcels[0]; first; first = this.parcels[0]) {
      const wait = first.at - performance.now()
      if (wait > 0) {
        this.timer = setTimeout(() => this.deliver(), wait)
        return
      }
      this.parcels.shift()
      if (this.to.destroyed) return
      if (first.chunk === null) this.to.end()
      else if (!this.to.write(first.chunk)) this.from.pause()
    }
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
  }
}

interface Pair {
  deliver(): void
  end(): void
}

/**
 * @param target port on 127.0.0.1
 * @param listen the cable's own port; 0: any port
 */
export async function openCable(target: number, listen = 0): Promise<Cable> {
  let mode: CableMode = 'open'
  const pairs = new Set<Pair>()
  const waiting = new Set<Socket>()
  const join = (client: Socket): void => {
    const server = connect({ host: '127.0.0.1', port: target, noDelay: true, allowHalfOpen: true })
    const ways = [new Way(client, server, () => mode), new Way(server, client, () => mode)]
    const pair = {
      deliver: () => ways.forEach((way) => way.deliver()),
      end() {
        pairs.delete(pair)
        for (const way of ways) way.stop()
        client.resetAndDestroy()
        server.resetAndDestroy()
      },
    }
    pairs.add(pair)
    for (const each of [client, server]) {
      each.on('error', () => pair.end())
      each.once('close', () => {
        if (client.destroyed && server.destroyed) pairs.delete(pair)
        else if (each.errored) pair.end()
      })
    }
  }
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    client.on('error', () => client.destroy())
    if (mode === 'cut') client.resetAndDestroy()
    else if (mode === 'hang') waiting.add(client.once('close', () => waiting.delete(client)))
    else join(client)
  })
  server.listen({ host: '127.0.0.1', port: listen })
  await once(server, 'listening')
  const reset = (): void => {
    for (const pair of pairs) pair.end()
    for (const client of waiting) client.resetAndDestroy()
    waiting.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      mode = next
      if (mode === 'cut') reset()
      else if (mode !== 'hang') {
        for (const client of waiting) join(client)
        waiting.clear()
      }
      for (const pair of pairs) pair.deliver()
    },
    reset,
    async close() {
      reset()
      server.close()
      await once(server, 'close')
    },
  }
}
