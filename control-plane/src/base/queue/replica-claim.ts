/**
 * Proves that no other live process has this replica's ID, with a Postgres lock that ends with its
 * connection. Without it, a second process with the same ID would treat the running jobs of the
 * first as abandoned and run them again.
 */
import { randomBytes } from 'node:crypto'
import { type Logger } from '@phonerack/shared'
import pg from 'pg'
import { replicaLock } from '../db/running-replica.js'

/** Milliseconds: to wait for the lock of a process that was just killed, and between two tries. */
const patience = { total: 2000, pause: 100 }

export class ReplicaClaim {
  private client: pg.Client | null = null
  private keeping: Promise<void> | null = null

  private constructor(
    private readonly databaseUrl: string,
    private readonly wanted: string,
    private readonly log: Logger,
    private current: string = wanted,
  ) {}

  /** An ID that no other live process has. */
  get id(): string {
    return this.current
  }

  /** Claims `wanted`, or a generated ID while a live process has it. */
  static async take(databaseUrl: string, wanted: string, log: Logger): Promise<ReplicaClaim> {
    const claim = new ReplicaClaim(databaseUrl, wanted, log)
    const until = performance.now() + patience.total
    while (!(await claim.lock())) {
      if (performance.now() > until) {
        await claim.keep()
        break
      }
      await new Promise((resolve) => setTimeout(resolve, patience.pause))
    }
    return claim
  }

  /**
   * Claims the ID again after the connection broke, or another ID when another process has it by
   * then.
   */
  keep(): Promise<void> {
    // Only one attempt runs at a time, since our second connection would find the lock of our first connection.
    this.keeping ??= this.hold().finally(() => (this.keeping = null))
    return this.keeping
  }

  private async hold(): Promise<void> {
    if (await this.lock()) return
    this.current = `${this.wanted}-${randomBytes(6).toString('hex')}`
    this.log.error(
      { wanted: this.wanted, replica: this.current },
      'another process uses this PHONERACK_REPLICA_ID; give each replica a unique ID',
    )
    await this.lock()
  }

  /** Takes the lock unless it is held. Returns false while another process has it. */
  private async lock(): Promise<boolean> {
    if (this.client) return true
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      connectionTimeoutMillis: 10_000,
      query_timeout: 25_000,
      keepAlive: true,
      application_name: 'phonerack-replica',
    })
    const lost = (): void => {
      if (this.client === client) this.client = null
    }
    client.on('error', lost)
    client.on('end', lost)
    try {
      await client.connect()
      const { rows } = await client.query<{ held: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
        [replicaLock(this.current)],
      )
      if (rows[0]?.held === true) this.client = client
    } finally {
      if (this.client !== client) await client.end()
    }
    return this.client === client
  }

  async release(): Promise<void> {
    const { client } = this
    this.client = null
    await client?.end()
  }
}
