/**
 * The folder of a cluster when root starts Postgres as another user. Only root can change the folder, so that a process
 * of that user cannot lead root's work to other files by links. Only `data` in it belongs to the user.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, lchownSync, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'

export interface User {
  uid: number
  gid: number
}

/** True for a folder whose entries only root can add, rename or remove. */
export const isOfRootOnly = ({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean =>
  uid === 0 && (mode & 0o022) === 0

/** True when only root can replace or fill `folder`. In sticky parents, as `/tmp`, others cannot rename it. */
export function isHeldByRoot(folder: string): boolean {
  const full = realpathSync(folder)
  if (!isOfRootOnly(lstatSync(full))) return false
  for (let at = path.dirname(full); ; at = path.dirname(at)) {
    const stat = lstatSync(at)
    if (!isOfRootOnly(stat) && !(stat.uid === 0 && (stat.mode & 0o1000) !== 0)) return false
    if (at === path.dirname(at)) return true
  }
}

/** The mode lets root and the user's group enter. A folder with this mode has been checked. */
const homeMode = 0o710

/** Prepares a folder that root has just created. */
export function holdHome(home: string, { gid }: User): void {
  lchownSync(home, 0, gid)
  chmodSync(home, homeMode)
}

/**
 * Takes over a folder that belonged to the user in earlier releases, and removes everything that the user may
 * have prepared in it: unfinished folders, and copies of programs, which the next start creates again.
 * @throws Error when a user other than root can replace the folder or the record of its owner
 */
export function takeHome(home: string, user: User): void {
  const stat = lstatSync(home, { throwIfNoEntry: false })
  if (stat === undefined || (stat.uid === 0 && (stat.mode & 0o777) === homeMode)) return
  if (!stat.isDirectory()) throw new Error(`${home} is not a folder; restore a backup`)
  if (!isHeldByRoot(path.dirname(home)))
    throw new Error(`${path.dirname(home)} can be changed by other users than root; restore a backup`)
  lchownSync(home, 0, 0)
  chmodSync(home, 0o700)
  for (const name of readdirSync(home))
    if (!['data', 'owner.json'].includes(name)) removeTree(path.join(home, name))
  const note = lstatSync(path.join(home, 'owner.json'), { throwIfNoEntry: false })
  if (note !== undefined && !(note.isFile() && note.uid === 0 && note.nlink === 1))
    throw new Error(`${path.join(home, 'owner.json')} is not a file of root; restore a backup`)
  holdHome(home, user)
}

/** @throws Error when `data` was replaced while its parent belonged to the user */
export function checkData(home: string, { uid }: User): void {
  const data = path.join(home, 'data')
  const stat = lstatSync(data, { throwIfNoEntry: false })
  if (stat !== undefined && !(stat.isDirectory() && stat.uid === uid))
    throw new Error(`${data} is not a folder of the user nobody; restore a backup`)
}

/**
 * Gives a tree to the user, its root last. Until then, the user cannot enter the tree and replace its folders
 * by links.
 */
export function giveTree(root: string, { uid, gid }: User): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    lchownSync(path.join(entry.parentPath, entry.name), uid, gid)
  lchownSync(root, uid, gid)
}

/**
 * Deletes a tree whose folders another user may replace by links during the deletion. `rm` uses descriptors,
 * and Node.js uses paths.
 */
export function removeTree(root: string): void {
  execFileSync('rm', ['-rf', '--', root], { timeout: 600_000, stdio: ['ignore', 'ignore', 'pipe'] })
}
