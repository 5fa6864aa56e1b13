/**
 * Files that only their owner may read, such as keys, in folders of another user: written whole, by a draft with a
 * random name and by its handle, so that a symbolic link there cannot redirect root.
 */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

interface Owner {
  uid: number
  gid: number
  mode: number
}

/**
 * Writes `file` atomically: it contains all of `text`, or its earlier text. An existing file keeps its owner,
 * group and mode. A new file has mode 0600; root gives it to the owner of its folder. The file is on the disk
 * when this function returns.
 * @throws Error when this user has no right to keep the owner
 */
export function replacePrivate(file: string, text: string): void {
  const draft = writeDraft(file, text, ownerOf(file))
  try {
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(path.dirname(file))
}

/**
 * Creates `file` unless it exists, and returns its text. If several processes create it concurrently, all
 * return the same text. The file is on the disk when this function returns, since a secret encrypted with a
 * lost key is lost too.
 * @param like the new file gets the owner, group and mode of this file, if it exists
 */
export function createPrivate(file: string, text: string, like: string = file): string {
  const draft = writeDraft(file, text, ownerOf(like))
  try {
    linkSync(draft, file)
    syncFolder(path.dirname(file))
    return text
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return readPrivate(file) ?? text
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The file's text; null when there is no such file. @throws Error for a symbolic link */
export function readPrivate(file: string): string | null {
  try {
    return withHandle(file, constants.O_RDONLY | constants.O_NOFOLLOW, (handle) =>
      readFileSync(handle, 'utf8'),
    )
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    if (codeOf(error) !== 'ELOOP') throw error
    throw new Error(`${file} is a symbolic link: replace it by the file`, { cause: error })
  }
}

/**
 * Creates a folder and its missing parents, with mode 0700. Root gives them to the owner of the nearest
 * existing folder.
 */
export function makePrivateFolder(folder: string): void {
  try {
    if (statSync(folder).isDirectory()) return
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  const parent = path.dirname(path.resolve(folder))
  makePrivateFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(folder).isDirectory()) return
    throw error
  }
  if (!isRoot()) return
  const { uid, gid } = statSync(parent)
  withHandle(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW, (handle) =>
    fchownSync(handle, uid, gid),
  )
}

const isRoot = (): boolean => process.geteuid?.() === 0

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

/** Null if it is not a regular file: a link has another owner and mode than its target. */
function ownerOf(file: string): Owner | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found?.isFile() === true ? { uid: found.uid, gid: found.gid, mode: found.mode & 0o777 } : null
}

function writeDraft(file: string, text: string, owner: Owner | null): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(handle, text)
    if (owner !== null || isRoot()) {
      const { uid, gid } = owner ?? statSync(path.dirname(file))
      give(handle, file, { uid, gid, mode: owner?.mode ?? 0o600 })
    }
    fsyncSync(handle)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
  return draft
}

function give(handle: number, file: string, { uid, gid, mode }: Owner): void {
  try {
    fchownSync(handle, uid, gid)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error
    throw new Error(`${file} must keep its owner: run this as root or as user ${uid} with group ${gid}`, {
      cause: error,
    })
  }
  fchmodSync(handle, mode)
}

const syncFolder = (folder: string): void => withHandle(folder, constants.O_RDONLY, fsyncSync)

function withHandle<T>(file: string, flags: number, work: (handle: number) => T): T {
  const handle = openSync(file, flags)
  try {
    return work(handle)
  } finally {
    closeSync(handle)
  }
}
