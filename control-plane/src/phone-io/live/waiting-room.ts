/**
 * Holds sockets that have not presented a valid link. The number of sockets never causes a refusal, since the next
 * socket may have a link: the oldest socket is closed instead. Used by `routes/public/live.ts`.
 */

/** Waiting sockets per network, and in total. */
const maxOfNetwork = 60
const maxOfAll = 5000

interface WaitingRoom<T> {
  /** Returns a function to call once the socket no longer waits. */
  enter(network: string, socket: T): () => void
}

/** @param pushOut closes a socket to make room */
export function createWaitingRoom<T>(pushOut: (socket: T) => void): WaitingRoom<T> {
  /** Each socket with the function that removes it. Maps and sets keep insertion order. */
  const all = new Map<T, () => void>()
  const networks = new Map<string, Set<T>>()

  return {
    enter(network, socket) {
      const own = networks.get(network) ?? new Set<T>()
      networks.set(network, own)
      const leave = (): void => {
        all.delete(socket)
        own.delete(socket)
        if (own.size === 0 && networks.get(network) === own) networks.delete(network)
      }
      all.set(socket, leave)
      own.add(socket)
      const [oldest] = own.size > maxOfNetwork ? own : all.size > maxOfAll ? all.keys() : []
      if (oldest !== undefined) {
        all.get(oldest)?.()
        pushOut(oldest)
      }
      return leave
    },
  }
}
