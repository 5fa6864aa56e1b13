/**
 * Install sessions, for `pm install-create`, `-write`, `-commit` and `-abandon`: APKs are collected in
 * `/data/app/vmdl<id>.tmp` and checked together at the commit (`commit.ts`). A restart of the phone ends all
 * sessions.
 */
import { randomInt } from 'node:crypto'
import type { ByteSource } from '../streams.js'
import { aid, root } from '../../fs/access.js'
import { FsError } from '../../fs/errors.js'
import type { FileSystem } from '../../fs/file-system.js'
import type { Android } from '../android.js'
import { InstallError } from '../apk/error.js'
import { commitFolder } from './commit.js'
import type { InstallOptions } from './options.js'

export interface Session {
  readonly id: number
  readonly folder: string
  readonly options: InstallOptions
}

const noRoom = () =>
  new InstallError('INSTALL_FAILED_INSUFFICIENT_STORAGE', 'Failed to override installation location')

export class InstallSessions {
  private readonly open = new Map<number, Session>()
  private running = new AbortController()
  private fs: FileSystem
  /** Only one commit runs at a time, as under the package manager's lock. */
  private tail: Promise<void> = Promise.resolve()

  constructor(private readonly android: Android) {
    this.fs = android.fs.as(root).until(this.running.signal)
  }

  /** @throws InstallError when `-S` exceeds the free space */
  create(options: InstallOptions): Session {
    if (options.sizeBytes !== null && !this.android.volume.hasRoom(options.sizeBytes)) throw noRoom()
    let id = randomInt(1, 2 ** 31 - 1)
    while (this.open.has(id)) id = randomInt(1, 2 ** 31 - 1)
    const session = { id, folder: `/data/app/vmdl${id}.tmp`, options }
    this.fs.mkdir(session.folder, 0o755)
    this.fs.chown(session.folder, aid.system, aid.system)
    this.open.set(id, session)
    return session
  }

  find(id: number): Session | null {
    return this.open.get(id) ?? null
  }

  /**
   * Writes one APK into the session and resolves with its size. With `sizeBytes`, reads exactly that many
   * bytes.
   * @throws InstallError when the storage is full or the source ends earlier
   */
  async write(session: Session, name: string, source: ByteSource, sizeBytes: number | null): Promise<number> {
    const path = `${session.folder}/${name}`
    let written = 0
    try {
      const writer = await this.fs.openWrite(path, { mode: 0o644 })
      try {
        while (sizeBytes === null || written < sizeBytes) {
          const chunk = await source.read()
          if (chunk === null) break
          const part = sizeBytes === null ? chunk : chunk.subarray(0, sizeBytes - written)
          await writer.write(part)
          written += part.length
        }
      } finally {
        await writer.close()
      }
    } catch (error) {
      if (error instanceof FsError && error.code === 'ENOSPC') throw noRoom()
      throw error
    }
    if (sizeBytes !== null && written < sizeBytes)
      throw new InstallError(
        'INSTALL_FAILED_INTERNAL_ERROR',
        `Expected ${sizeBytes} bytes of ${name} but the stream ended after ${written}`,
      )
    return written
  }

  /**
   * Installs the written files. The session ends in any case.
   * @throws InstallError
   */
  async commit(session: Session): Promise<void> {
    this.android.counters.count('installs')
    const done = this.tail.then(() => commitFolder(this.android, this.fs, session))
    this.tail = done.catch(() => undefined)
    try {
      await done
    } finally {
      await this.abandon(session)
    }
  }

  async abandon(session: Session): Promise<void> {
    this.open.delete(session.id)
    if (this.fs.tryLstat(session.folder) !== null) await this.fs.removeTree(session.folder)
  }

  /** Stops running sessions, since the phone turns off. */
  stop(): void {
    this.running.abort()
    this.open.clear()
  }

  /** Removes unfinished sessions, since the phone turned on. */
  async start(): Promise<void> {
    this.running = new AbortController()
    this.fs = this.android.fs.as(root).until(this.running.signal)
    for (const name of this.fs.readdir('/data/app'))
      if (name.startsWith('vmdl')) await this.fs.removeTree(`/data/app/${name}`)
  }
}
