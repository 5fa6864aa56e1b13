/** Opens the configured store. Called once by `app.ts`. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { type StorageConfig } from '../../base/config/storage.js'
import { DiskStore } from './disk-store.js'
import { type FileStore } from './file-store.js'
import { openS3 } from './s3.js'

/** @throws Error when the folder cannot be created */
export async function openFileStore(config: StorageConfig): Promise<FileStore> {
  const files = path.join(config.dir, 'files')
  const work = path.join(config.dir, 'work')
  for (const dir of [config.dir, files, work]) await mkdir(dir, { recursive: true, mode: 0o700 })
  const room = { dir: config.dir, minFreeBytes: config.minFreeBytes }
  if (config.s3) return new DiskStore({ disk: await openS3(config.s3), localDir: null, work, room })
  const disk = new Disk(new FSDriver({ location: files, visibility: 'private' }))
  return new DiskStore({ disk, localDir: files, work, room, isConfigured: config.kind === 'fs' })
}
