/**
 * Detects replicas that do not share the storage: each replica writes a file with a random name, and checks that the
 * files of the others exist. Without shared storage, a file that one replica receives would be missing at the others.
 */
import { Readable } from 'node:stream'
import { newId } from '@phonerack/shared'
import { type Core } from '../../base/core/core.js'
import { type FileStore } from './file-store.js'

interface Other {
  id: string
  file: string
  isAlive: boolean
}

export class StorageProbe {
  private readonly file = newId('file')
  /** The files of other replicas at the last check. */
  private known: string[] = []
  /** `unreachable`, or the IDs of the replicas whose files are missing. */
  private state = ''

  /** @param replicaId the ID in the table `replicas`. Another process with the same ID replaces the row */
  constructor(
    private readonly core: Pick<Core, 'db' | 'log' | 'rules'>,
    private readonly store: FileStore,
    private readonly replicaId: () => string,
  ) {}

  /**
   * False while another replica's file is missing or the storage does not answer. Null if no storage is configured.
   */
  get isShared(): boolean | null {
    return this.store.isConfigured ? this.state === '' : null
  }

  /** Makes the first check. A start does not wait for it, since an unavailable bucket takes seconds. */
  start(): Promise<void> {
    return this.check().catch((error: unknown) =>
      this.core.log.warn({ err: error }, 'could not check that replicas share the storage'),
    )
  }

  /** Writes this replica's file if it is missing, and looks for the other files. @throws Error of Postgres */
  async check(): Promise<void> {
    const { store } = this
    const { db, log } = this.core
    if (!store.isConfigured) return
    const isWritten = await this.reach(async () => {
      if (!(await store.has(this.file)))
        await store.put(this.file, Readable.from(['x'], { objectMode: false }))
      return true
    })
    if (isWritten === null) return
    await db.replica.updateMany({ where: { id: this.replicaId() }, data: { storageProbe: this.file } })
    const others = await this.others()
    const seen = await this.reach(async () => {
      await this.removeAbandoned(others)
      return Promise.all(others.map(async ({ file, isAlive }) => !isAlive || (await store.has(file))))
    })
    if (seen === null) return
    const unseen = others.filter((_, at) => seen[at] === false).map(({ file }) => file)
    // A replica that has since stopped has deleted its file.
    const still = unseen.length === 0 ? [] : await this.others()
    const missing = still.filter(({ file }) => unseen.includes(file)).map(({ id }) => id)
    if (!this.changes(missing.join(', '))) return
    if (missing.length === 0) log.info('all replicas share the storage')
    else
      log.error(
        { replicas: missing },
        'the storage of this replica does not have the files of other replicas: give all of them the same PHONERACK_STORAGE_DIR or bucket',
      )
  }

  /** Deletes this replica's file, once no other replica looks for it. */
  async close(): Promise<void> {
    if (this.store.isConfigured) await this.reach(() => this.store.delete(this.file))
  }

  /** Returns null if the storage does not answer, or is full. */
  private async reach<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      if (this.changes('unreachable'))
        this.core.log.error({ err: error }, 'could not check that replicas share the storage')
      return null
    }
  }

  private changes(state: string): boolean {
    const before = this.state
    this.state = state
    return state !== before
  }

  /** Deletes the files of killed replicas, whose rows other replicas have deleted (`queue/runner.ts`). */
  private async removeAbandoned(others: readonly Other[]): Promise<void> {
    const files = others.map(({ file }) => file)
    for (const file of this.known) if (!files.includes(file)) await this.store.delete(file)
    this.known = files
  }

  private others(): Promise<Other[]> {
    const deadAfter = this.core.rules.replicaDeadAfterMs / 1000
    return this.core.db.$queryRaw`select id, storage_probe as file,
        beat_at > now() - make_interval(secs => ${deadAfter}::float8) as "isAlive"
      from replicas where id <> ${this.replicaId()} and storage_probe is not null order by id`
  }
}
