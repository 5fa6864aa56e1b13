/**
 * The folder of a data directory's cluster, and the user that runs Postgres.
 *
 * Postgres refuses to run as root, so root starts it as `nobody`, which cannot read a 0700 data directory.
 * The cluster is then in an outside folder with a random name, which the data directory records. An id in
 * both prevents a data directory from opening another's cluster. The outside folder is root's: see owner.ts.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isPassableByAll } from './binaries.js'
import { checkData, holdHome, isHeldByRoot, removeTree, takeHome, type User } from './owner.js'

export interface Place {
  /** Folder of the cluster; `data` in it belongs to Postgres, the folder itself to the current user. */
  home: string
  /** True when `home` is outside the data directory. */
  outside: boolean
  /** The user that runs Postgres; undefined: the current user. */
  user: User | undefined
}

interface Note {
  /** Equal to the id in `owner.json` of an outside cluster. */
  id: string
  /** The path is relative to the data directory when it is inside, so that both can be moved together. */
  home: string
  outside: boolean
}

const noteName = 'cluster.json'

/**
 * The recorded place, or a new place.
 * @param throwaway for tests: allows a folder that the system cleans up
 */
export function findPlace(dir: string, throwaway: boolean): Place {
  const user = serverUser()
  const noteFile = path.join(dir, noteName)
  let note: Note
  if (existsSync(noteFile)) {
    note = readNote(noteFile)
    if (note.outside) checkOutside(note, dir, user)
  } else {
    note = user ? placeOutside(dir, user, throwaway) : { id: '', home: 'cluster', outside: false }
    writeFileSync(noteFile, JSON.stringify(note) + '\n', { mode: 0o600 })
  }
  const home = path.resolve(dir, note.home)
  if (!note.outside) mkdirSync(home, { recursive: true, mode: 0o700 })
  return { home, outside: note.outside, user }
}

/** Folder of the cluster's files. @throws Error when there is no cluster, or it belongs to another directory */
export function clusterData(dir: string): string {
  const note = readNote(path.join(dir, noteName))
  if (note.outside) checkOutside(note, dir, serverUser())
  return path.join(path.resolve(dir, note.home), 'data')
}

function placeOutside(dir: string, user: User, throwaway: boolean): Note {
  const home = mkdtempSync(path.join(outsideParent(throwaway), 'postgres-'))
  const note = { id: randomBytes(8).toString('hex'), home, outside: true }
  writeFileSync(path.join(home, 'owner.json'), JSON.stringify({ id: note.id, dir: realpathSync(dir) }) + '\n')
  holdHome(home, user)
  return note
}

/** A folder of root that every user can traverse and the system does not clean up. */
function outsideParent(throwaway: boolean): string {
  const choices = throwaway ? [tmpdir(), '/var/tmp'] : ['/var/lib', '/usr/local/var', '/var/tmp']
  for (const choice of choices) {
    if (!existsSync(choice) || !isPassableByAll(choice)) continue
    const parent = path.join(choice, 'phonerack')
    mkdirSync(parent, { recursive: true, mode: 0o711 })
    if (isPassableByAll(parent) && isHeldByRoot(parent)) return parent
  }
  throw new Error(
    `no folder for Postgres's files is accessible to the user nobody and writable by root only (tried ${choices.join(', ')})`,
  )
}

function checkOutside(note: Note, dir: string, user: User | undefined): void {
  if (user) takeHome(note.home, user)
  checkOwner(note, dir)
  if (user) checkData(note.home, user)
}

/** A copied data directory would share the original's cluster. A moved directory may keep its cluster. */
function checkOwner(note: Note, dir: string): void {
  const ownerFile = path.join(note.home, 'owner.json')
  if (!existsSync(ownerFile))
    throw new Error(`the database of ${dir} is gone: ${note.home} is missing; remove ${dir} to start over`)
  const owner = JSON.parse(readFileSync(ownerFile, 'utf8')) as { id: string; dir: string }
  if (owner.id !== note.id) throw new Error(`${note.home} belongs to ${owner.dir}, not to ${dir}`)
  const here = realpathSync(dir)
  if (owner.dir === here) return
  const there = path.join(owner.dir, noteName)
  if (existsSync(there) && readNote(there).id === note.id)
    throw new Error(`${dir} is a copy of ${owner.dir} and would share its database; remove one of the two`)
  writeFileSync(ownerFile, JSON.stringify({ id: note.id, dir: here }) + '\n')
}

function readNote(file: string): Note {
  const note = JSON.parse(readFileSync(file, 'utf8')) as Partial<Note>
  if (typeof note.id !== 'string' || typeof note.home !== 'string' || typeof note.outside !== 'boolean')
    throw new Error(`${file} does not contain the location of the database`)
  return { id: note.id, home: note.home, outside: note.outside }
}

/** Undefined: the current user. */
function serverUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ask = (flag: string) =>
    Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8', timeout: 30_000 }))
  return { uid: ask('-u'), gid: ask('-g') }
}

/** Deletes a data directory's cluster, inside or outside. No server may run on it. */
export function eraseCluster(dir: string): void {
  const noteFile = path.join(dir, noteName)
  if (!existsSync(noteFile)) return
  const note = readNote(noteFile)
  if (note.outside && existsSync(note.home)) {
    const user = serverUser()
    if (user) takeHome(note.home, user)
    checkOwner(note, dir)
    removeTree(note.home)
  }
  rmSync(noteFile)
}
