/** Puts the files of a restored cluster where `startPostgres` finds them. */
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { giveTree } from './owner.js'
import { findPlace } from './place.js'

/**
 * @param dir the folder of the password, without a cluster
 * @param fill writes the files into an empty folder, which only its owner can enter
 */
export async function installCluster(dir: string, fill: (data: string) => Promise<void>): Promise<void> {
  const { home, user } = findPlace(dir, false)
  const data = path.join(home, 'data')
  if (existsSync(data)) throw new Error(`${dir} has a cluster already`)
  const part = path.join(home, 'data.part')
  mkdirSync(part, { mode: 0o700 })
  await fill(part)
  if (user) giveTree(part, user)
  renameSync(part, data)
}
