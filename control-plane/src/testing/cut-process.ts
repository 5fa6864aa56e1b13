/**
 * A process of the control plane that ends in the middle of what it does: everything that it sends out (a transaction, a
 * query, a call to a host, a message to the others) goes through a fuse, and from where the fuse is cut nothing goes out
 * any more. What stays is what stays of a killed process: the database. For tests; why there: docs/decisions/0104.
 */
import { type HostClients, type HostConnection } from '../host-calls/clients.js'
import { type Database, type Tx } from '../db/database.js'
import { type Core } from '../core/core.js'

/** What the code of a cut process meets; nothing of ours may catch it and go on. */
export class ProcessCut extends Error {}

export class Fuse {
  private passed = 0

  /** @param length how many boundaries are passed before the cut; null: it is never cut */
  constructor(private readonly length: number | null) {}

  get isCut(): boolean {
    return this.length !== null && this.passed > this.length
  }

  /** Call before anything leaves the process, and once more when it would give its answer. */
  pass(): void {
    this.passed += 1
    if (this.isCut) throw new ProcessCut(`the process was cut at boundary ${this.length}`)
  }
}

/** `core` and `hosts` as a process has them whose way out is `fuse`. */
export function behindFuse(fuse: Fuse, core: Core, hosts: HostClients): { core: Core; hosts: HostClients } {
  const changes = {
    ...core.changes,
    publish: (id: string): void => {
      fuse.pass()
      core.changes.publish(id)
    },
  }
  return { core: { ...core, db: fusedDatabase(fuse, core.db), changes }, hosts: fusedHosts(fuse, hosts) }
}

type Call = (...args: unknown[]) => unknown
const isCall = (value: unknown): value is Call => typeof value === 'function'

/** Every method of `target` passes the fuse first. */
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

function fusedDatabase(fuse: Fuse, db: Database): Database {
  const begin = db.$transaction.bind(db) as Call
  const transaction: Call = (work, options) => {
    fuse.pass()
    if (!isCall(work)) return begin(work, options)
    // Once more before the commit: then all of it was for nothing.
    const untilCommit = async (tx: Tx): Promise<unknown> => {
      const result = await work(tx)
      fuse.pass()
      return result
    }
    return begin(untilCommit, options)
  }
  const methods = fused(fuse, db, { $transaction: transaction })
  return new Proxy(db, {
    get(of, name) {
      if (typeof name === 'string' && name.startsWith('$')) return Reflect.get(methods, name) as unknown
      const value: unknown = Reflect.get(of, name)
      // The delegates of the tables: `db.phone`.
      return typeof value === 'object' && value !== null && name in of ? fused(fuse, value) : value
    },
  })
}

function fusedHosts(fuse: Fuse, hosts: HostClients): HostClients {
  const to = (hostId: string, address: string): HostConnection => {
    const connection = hosts.to(hostId, address)
    const ready = (ms: number): Promise<boolean> => {
      fuse.pass()
      return connection.ready(ms)
    }
    return { ...connection, ready, client: fused(fuse, connection.client) }
  }
  return new Proxy(hosts, {
    get: (of, name) => (name === 'to' ? to : (Reflect.get(of, name) as unknown)),
  })
}
