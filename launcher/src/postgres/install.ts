/** Puts the files of a restored cluster where `startPostgres` finds them. */
import { existsSync, lchownSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { findPlace } from './place.js'

/**
 * @param dir the folder of the password, without a cluster
 * @param fill writes the files into an empty folder
 */
export async function installCluster(dir: string, fill: (data: string) => Promise<void>): Promise<void> {
  const { home, user } = findPlace(dir, false)
  const data = path.join(home, 'data')
  if (existsSync(data)) throw new Error(`${dir} has a cluster already`)
  const part = path.join(home, 'data.part')
  mkdirSync(part, { mode: 0o700 })
  await fill(part)
  if (user) {
    lchownSync(part, user.uid, user.gid)
    for (const entry of readdirSync(part, { recursive: true, withFileTypes: true }))
      lchownSync(path.join(entry.parentPath, entry.name), user.uid, user.gid)
  }
  renameSync(part, data)
}
