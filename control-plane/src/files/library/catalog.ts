/**
 * An in-memory copy of the library for searches, with the apps whose files are all stored. The copy is loaded at start,
 * every few hours, and at the first search after a change on any replica.
 */
import { ApiError, type Logger } from '@phonerack/shared'
import { type Database } from '../../base/db/database.js'
import { type Cursors } from '../../base/core/cursor.js'
import { type FileStore } from '../storage/file-store.js'
import { readApps, readVersion, type AppWithFiles } from './apps.js'
import { type Caller, type Page } from '../../base/core/caller.js'
import { type LibraryAppView } from './types.js'

const pageSize = 50
/** Seconds after which a search may be retried while the library loads for the first time. */
const retryAfterSeconds = 2
/** Concurrent file checks. */
const concurrentChecks = 16

interface Entry {
  view: LibraryAppView
  /** The texts in which a query is searched. */
  texts: readonly string[]
}

interface CatalogParts {
  db: Database
  store: FileStore
  log: Logger
  cursors: Cursors
  /** Milliseconds after which the copy is loaded again. */
  refreshMs: number
}

export class Catalog {
  private entries: readonly Entry[] | null = null
  private version = -1n
  private loadedAt = 0
  /** Settles when the newest load has ended. */
  private lastLoad: Promise<void> = Promise.resolve()
  /** Files that existed at the last check. */
  private present: ReadonlySet<string> = new Set()

  constructor(private readonly parts: CatalogParts) {}

  /** Loads the library if the copy is missing or old. Called every few seconds. */
  async keep(): Promise<void> {
    const isOld = performance.now() - this.loadedAt >= this.parts.refreshMs
    if (this.entries === null || isOld) await this.load(new Set())
  }

  /** @throws ApiError rate_limited during the first load; validation_failed for an invalid cursor */
  async search(caller: Caller, query: string | null, cursor: string | null): Promise<Page<LibraryAppView>> {
    if (this.entries === null)
      throw new ApiError('rate_limited', { message: 'The app library is still loading.', retryAfterSeconds })
    const scope = { projectId: caller.projectId, list: 'library' }
    const after = this.parts.cursors.decode(scope, cursor)?.id ?? ''
    await this.renew()
    const wanted = plain(query ?? '')
    const rows = this.entries.filter(
      ({ view, texts }) => view.package > after && texts.some((text) => text.includes(wanted)),
    )
    return this.parts.cursors.toPage(
      scope,
      rows,
      pageSize,
      ({ view }) => ({ at: new Date(0), id: view.package }),
      ({ view }) => view,
    )
  }

  /** Loads changes that other replicas made. If the load fails, searches use the previous copy. */
  private async renew(): Promise<void> {
    const newest = await readVersion(this.parts.db)
    if (this.version >= newest) return
    try {
      await this.load(this.present, newest)
    } catch (error) {
      this.parts.log.warn({ err: error }, 'could not load the changed library')
    }
  }

  /** Runs one load at a time, and skips a load if a previous load already has the newest version. */
  private async load(known: ReadonlySet<string>, newest: bigint | null = null): Promise<void> {
    const before = this.lastLoad
    const mine = (async () => {
      await before
      if (newest === null || this.version < newest) await this.read(known)
    })()
    this.lastLoad = mine.then(
      () => undefined,
      () => undefined,
    )
    return mine
  }

  private async read(known: ReadonlySet<string>): Promise<void> {
    const { db, store, log } = this.parts
    // The version is read first, so that a change during the load makes the next search load again.
    const version = await readVersion(db)
    const apps = await readApps(db)
    const files = apps.flatMap((app) => app.files.map(({ id }) => id))
    const present = new Set(files.filter((id) => known.has(id)))
    const unknown = files.filter((id) => !known.has(id))
    for (let at = 0; at < unknown.length; at += concurrentChecks) {
      const some = unknown.slice(at, at + concurrentChecks)
      const found = await Promise.all(some.map((id) => store.has(id)))
      some.forEach((id, index) => found[index] && present.add(id))
    }
    const isWhole = (app: AppWithFiles): boolean =>
      app.files.length > 0 && app.files.every(({ id }) => present.has(id))
    for (const { package: name } of apps.filter((app) => !isWhole(app)))
      log.error(
        { package: name },
        'files of a library app are missing, so the app is not listed: add it again',
      )
    this.entries = apps.filter(isWhole).map(entryOf).sort(byPackage)
    this.present = present
    this.version = version
    this.loadedAt = performance.now()
  }
}

/** Normalises a text for searches: case-insensitive, and equal for different encodings of the same characters. */
const plain = (text: string): string => text.normalize('NFKC').toLowerCase()

const entryOf = ({ package: name, label, versionCode, versionName }: AppWithFiles): Entry => ({
  view: { package: name, label, versionCode: Number(versionCode), versionName },
  texts: [plain(name), plain(label)],
})

/** Compares by code units, as cursors do. The database's collation may differ. */
const byPackage = (a: Entry, b: Entry): number => (a.view.package < b.view.package ? -1 : 1)
