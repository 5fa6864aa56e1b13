/**
 * Files of shared storage by adb's sync service. A path is accepted only when the phone
 * resolves its folder to the same path, so that no symbolic link leads elsewhere.
 */
import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { ApiError, limits, type Progress } from '@phonerack/shared'
import { AdbFileRefused } from '../../adb/errors.js'
import { command } from '../../adb/quote.js'
import type { FileStat, FolderEntry } from '../../adb/sync.js'
import type { Transport } from '../../adb/transport.js'
import type { FileEntry, Files } from '../../adb/device/device.js'
import { writing } from '../../adb/device/outcome.js'
import { outputOf } from '../../adb/device/run.js'
import { badPath, checkLength, nameOf, parentOf, realPath, realRoot } from './paths.js'

/** Maximum bytes of a file, up or down. */
const mostBytes = 4_000_000

/**
 * Maximum bytes of a listing in the client's form: each entry's name in JSON, and the
 * rest of the entry.
 */
const mostListed = limits.folderAnswer
const entryBytes = 100
/** Maximum folder entries searched before a file is written into it. */
const mostEntriesSeen = 50_000

const typeMask = 0o170000
const isFile = ({ mode }: FileStat): boolean => (mode & typeMask) === 0o100000
const isFolder = ({ mode }: FileStat): boolean => (mode & typeMask) === 0o040000

/** A file that is being written. The file gets its final name when it is complete. */
const unfinished = /^\.phonerack-[0-9a-f]{16}\.part$/

const notFound = (path: string): ApiError => new ApiError('file_not_found', { details: { path } })

/** @param root the real path of `/sdcard` */
export function createFiles(transport: Transport, root: string = realRoot): Files {
  /** Null when the folder does not exist. @throws ApiError validation_failed when a link leads elsewhere */
  async function folderExists(folder: string, progress: Progress): Promise<boolean> {
    if (folder === parentOf(root)) return true
    const result = await transport.shell(command('realpath', folder), progress)
    const output = outputOf(result)
    if (result.exitCode !== 0) {
      if (/No such file|Not a directory/i.test(output)) return false
      throw new ApiError('provider_error', { details: { output: output.slice(0, 500) } })
    }
    if (result.stdout.toString('utf8') !== `${folder}\n`)
      throw badPath('leads through a symbolic link, which is not allowed')
    return true
  }

  /** Returns the entry at the path itself; null when the entry or its folder does not exist. */
  async function entryAt(real: string, progress: Progress): Promise<FileStat | null> {
    if (!(await folderExists(parentOf(real), progress))) return null
    const found = await transport.lstat(real, progress)
    if (found && !isFile(found) && !isFolder(found)) throw badPath('is neither a file nor a directory')
    return found
  }

  /**
   * Removes files of writes that lost the phone. Writes to a phone run one at a time, so no such file is in
   * use.
   */
  async function removeUnfinished(folder: string, progress: Progress): Promise<void> {
    const names: string[] = []
    let seen = 0
    await transport.list(folder, progress, ({ name }) => {
      if (unfinished.test(name)) names.push(name)
      seen += 1
      return seen < mostEntriesSeen
    })
    for (const name of names) await transport.shell(command('rm', '-f', `${folder}/${name}`), progress)
  }

  return {
    async list(path, progress) {
      const real = realPath(path, root)
      const found = await entryAt(real, progress)
      if (!found) throw notFound(path)
      if (!isFolder(found)) throw badPath('is a file, not a directory', 'file')
      const entries: FolderEntry[] = []
      let bytes = 0
      await transport.list(real, progress, (entry) => {
        if (unfinished.test(entry.name)) return true
        bytes += entryBytes + Buffer.byteLength(JSON.stringify(entry.name))
        entries.push(entry)
        return bytes <= mostListed
      })
      if (bytes > mostListed) throw tooManyEntries(path, entries.length)
      return entries
        .map((entry): FileEntry => ({
          name: entry.name,
          type: isFile(entry) ? 'file' : isFolder(entry) ? 'directory' : 'other',
          size: isFolder(entry) ? 0 : entry.size,
          modifiedAt: entry.modifiedAt === 0 ? null : new Date(entry.modifiedAt * 1000),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    },

    async read(path, progress) {
      const real = realPath(path, root)
      const found = await entryAt(real, progress)
      if (!found) throw notFound(path)
      if (isFolder(found)) throw badPath('is a directory, not a file', 'directory')
      if (found.size > mostBytes) {
        throw new ApiError('payload_too_large', {
          message: 'The file is larger than the limit for downloads.',
          details: { path, size: found.size, max_bytes: mostBytes },
        })
      }
      return transport.pull(real, mostBytes, progress)
    },

    async write(path, content, progress) {
      const real = realPath(path, root)
      if (real === root) throw badPath('is the root of the storage, not a file', 'directory')
      if (content.length > mostBytes) throw new ApiError('payload_too_large')
      const part = `${parentOf(real)}/.phonerack-${randomBytes(8).toString('hex')}.part`
      checkLength(part)
      // The check uses the deepest existing folder. adb creates the folders below it, which are not links.
      let folder = parentOf(real)
      while (!(await folderExists(folder, progress))) folder = parentOf(folder)
      const above = await transport.lstat(folder, progress)
      if (above && !isFolder(above)) throw badPath(`is below ${nameOf(folder)}, which is a file`)
      const found = folder === parentOf(real) ? await transport.lstat(real, progress) : null
      if (found && !isFile(found)) throw badPath('is a directory, not a file', 'directory')
      if (folder === parentOf(real)) await removeUnfinished(folder, progress)
      return writing('the file', async () => {
        try {
          await transport.push(part, content, 0o660, progress)
        } catch (error) {
          if (!(error instanceof AdbFileRefused)) throw error
          await transport.shell(command('rm', '-f', part), progress)
          throw refused(path, error.message)
        }
        const moved = await transport.shell(command('mv', '-f', part, real), progress)
        if (moved.exitCode !== 0) {
          await transport.shell(command('rm', '-f', part), progress)
          throw refused(path, outputOf(moved))
        }
        const now = await transport.lstat(real, progress)
        if (now?.size !== content.length)
          throw refused(path, 'the file on the phone differs from the sent file')
        await scan(real, progress)
        return now.size
      })
    },

    async delete(path, progress) {
      const real = realPath(path, root)
      if (real === root) throw badPath('is the root of the storage', 'directory')
      const found = await entryAt(real, progress)
      if (!found) throw notFound(path)
      if (isFolder(found)) throw badPath('is a directory; only files can be deleted', 'directory')
      await writing('the deletion of the file', async () => {
        const result = await transport.shell(command('rm', '-f', real), progress)
        if (await transport.lstat(real, progress)) throw refused(path, outputOf(result))
        await scan(real, progress)
      })
    },
  }

  /** Notifies the phone's gallery and pickers. The exit code is ignored, since newer Android detects changes itself. */
  async function scan(real: string, progress: Progress): Promise<void> {
    await transport.shell(
      command(
        ...['am', 'broadcast', '-a', 'android.intent.action.MEDIA_SCANNER_SCAN_FILE'],
        ...['-d', pathToFileURL(real).href],
      ),
      progress,
    )
  }
}

const tooManyEntries = (path: string, entries: number): ApiError =>
  new ApiError('payload_too_large', {
    message: `The directory has too many entries: the listing would exceed ${mostListed} bytes.`,
    next: 'Download or delete files by name, or list one of its subdirectories.',
    details: { path, entries_read: entries, limit_bytes: mostListed },
  })

function refused(path: string, output: string): ApiError {
  const full = /No space left|ENOSPC/i.test(output)
  return new ApiError('provider_error', {
    message: full ? "The phone's storage is full." : 'The phone refused the write.',
    retryable: false,
    ...(full ? { next: 'Delete files or uninstall apps on the phone, then send the request again.' } : {}),
    details: { path, reason: full ? 'storage_full' : 'refused', output: output.slice(0, 300) },
  })
}
