/**
 * A process of the control plane that stops in the middle of its work. Everything that leaves the process (a
 * transaction, a query, a call to a host, a message to others) passes a fuse, and nothing passes after the
 * fuse is cut. Only the database remains, as after a kill. For tests.
 */
import { type HostClients, type HostConnection } from '../links/host-calls/clients.js'
import { type Database, type Tx } from '../base/db/database.js'
import { type Core } from '../base/core/core.js'

/** Thrown to the code of a cut process, which must not catch it. */
export class ProcessCut extends Error {}

export class Fuse {
  private passed = 0

  /** @param length the number of effects that pass before the cut; null: the fuse is never cut */
  constructor(private readonly length: number | null) {}

  get isCut(): boolean {
    return this.length !== null && this.passed > this.length
  }

  /** Must be called before anything leaves the process, and before the process responds. */
  pass(): void {
    this.passed += 1
    if (this.isCut) throw new ProcessCut(`the process was cut at boundary ${this.length}`)
  }
}

/** The `core` and `hosts` of a process whose effects pass `fuse`. */
export function behindFuse(fuse: Fuse, core: Core, hosts: HostClients): { core: Core; hosts: HostClients } {
  const changes = {
    ...core.changes,
    publish: (id: string): void => {
      fuse.pass()
      core.changes.publish(id)
    },
  }
  const read: Core['read'] = async (query) => {
    fuse.pass()
    return core.read(query)
  }
  const transact: Core['transact'] = (work) => {
    fuse.pass()
    return core.transact(untilCommit(fuse, work))
  }
  const db = fusedDatabase(fuse, core.db)
  return { core: { ...core, db, read, transact, changes }, hosts: fusedHosts(fuse, hosts) }
}

type Call = (...args: unknown[]) => unknown
const isCall = (value: unknown): value is Call => typeof value === 'function'

/** Wraps every method of `target`, so that it passes the fuse first. */
function fused<T extends object>(fuse: Fuse, target: T, special: Record<string, Call> = {}): T {
  return new Proxy(target, {
    get(of, name) {
      if (typeof name === 'string' && special[name]) return special[name]
      const value: unknown = Reflect.get(of, name)
      if (!isCall(value)) return value
      return (...args: unknown[]): unknown => {
        fuse.pass()
        return value.apply(of, args)
      }
    },
  })
}

/** The transaction passes the fuse again before the commit: a cut here rolls everything back. */
const untilCommit =
  <Of, T>(fuse: Fuse, work: (tx: Of) => T | Promise<T>) =>
  async (tx: Of): Promise<T> => {
    const result = await work(tx)
    fuse.pass()
    return result
  }

function fusedDatabase(fuse: Fuse, db: Database): Database {
  const begin = db.$transaction.bind(db) as Call
  const transaction: Call = (work, options) => {
    fuse.pass()
    if (!isCall(work)) return begin(work, options)
    return begin(untilCommit<Tx, unknown>(fuse, work), options)
  }
  const methods = fused(fuse, db, { $transaction: transaction })
  return new Proxy(db, {
    get(of, name) {
      if (typeof name === 'string' && name.startsWith('$')) return Reflect.get(methods, name) as unknown
      const value: unknown = Reflect.get(of, name)
      // Prisma's delegates of the tables, such as `db.phone`.
      return typeof value === 'object' && value !== null && name in of ? fused(fuse, value) : value
    },
  })
}

function fusedHosts(fuse: Fuse, hosts: HostClients): HostClients {
  const to: HostClients['to'] = (hostId, address): HostConnection => {
    const connection = hosts.to(hostId, address)
    const ready = (ms: number): Promise<boolean> => {
      fuse.pass()
      return connection.ready(ms)
    }
    return { ...connection, ready, client: fused(fuse, connection.client) }
  }
  return new Proxy(hosts, { get: (of, name) => (name === 'to' ? to : (Reflect.get(of, name) as unknown)) })
}
