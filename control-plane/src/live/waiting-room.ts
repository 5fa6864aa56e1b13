/**
 * Sockets that have not shown a valid link yet. Nobody is refused for their number, since the next one may be a person
 * with a link: the one that has waited longest makes room. Used by `plugin.ts`.
 */

/** Sockets that wait at once, of one network and of all. */
const mostOfNetwork = 60
const mostOfAll = 5000

export interface WaitingRoom<T> {
  /** @returns to be called once the socket waits no longer */
  enter(network: string, socket: T): () => void
}

/** @param pushOut ends a socket that has to make room */
export function createWaitingRoom<T>(pushOut: (socket: T) => void): WaitingRoom<T> {
  /** With what makes each leave. Maps and sets keep the order in which sockets came. */
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
      const [oldest] = own.size > mostOfNetwork ? own : all.size > mostOfAll ? all.keys() : []
      if (oldest !== undefined) {
        all.get(oldest)?.()
        pushOut(oldest)
      }
      return leave
    },
  }
}
