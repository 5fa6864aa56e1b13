/**
 * The address that clients use: a TCP balancer over the replicas that answer 200 on `/readyz`. It ends the
 * connections of a replica that is not ready, as HAProxy does with `on-marked-down shutdown-sessions`.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Balancer {
  readonly port: number
  /** The ports of the replicas that get connections now. */
  ready(): readonly number[]
  close(): Promise<void>
}

/**
 * Milliseconds between two checks, and the number of consecutive failures after which a replica is not ready.
 */
const times = { every: 400, answer: 3000, failures: 2 } as const

/**
 * @param replicas ports on 127.0.0.1
 * @param onLost called when a replica is no longer ready; returns a function that is called when it is ready
 * again
 */
export async function openBalancer(
  port: number,
  replicas: readonly number[],
  onLost: (index: number) => () => void,
): Promise<Balancer> {
  const ready = new Set<number>()
  const sockets = new Map<number, Set<Socket>>(replicas.map((each) => [each, new Set()]))
  const closing = new AbortController()
  let turn = 0
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const candidates = replicas.filter((each) => ready.has(each))
    const replica = candidates[turn++ % Math.max(candidates.length, 1)]
    client.on('error', () => client.destroy())
    if (replica === undefined) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ host: '127.0.0.1', port: replica, noDelay: true, allowHalfOpen: true })
    const pair = [client, upstream]
    for (const each of pair) {
      sockets.get(replica)?.add(each)
      each.once('close', () => {
        sockets.get(replica)?.delete(each)
        for (const other of pair) if (!other.readableEnded || each.errored) other.resetAndDestroy()
      })
      each.on('error', () => pair.forEach((other) => other.resetAndDestroy()))
    }
    client.pipe(upstream)
    upstream.pipe(client)
  })
  server.listen({ host: '127.0.0.1', port })
  await once(server, 'listening')

  async function watch(replica: number, index: number): Promise<void> {
    let failures = 0
    let found = (): void => undefined
    while (!closing.signal.aborted) {
      failures = (await isReady(replica)) ? 0 : failures + 1
      if (failures === 0 && !ready.has(replica)) {
        ready.add(replica)
        found()
      }
      if (failures >= times.failures && ready.delete(replica)) {
        found = onLost(index)
        for (const each of sockets.get(replica) ?? []) each.resetAndDestroy()
      }
      await sleep(times.every, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  const watching = replicas.map(watch)
  return {
    port,
    ready: () => [...ready],
    async close() {
      closing.abort()
      await Promise.all(watching)
      for (const each of [...sockets.values()].flatMap((all) => [...all])) each.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(times.answer),
    })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}
