/** JSON files that are always whole: written beside, then renamed. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Readable by the owner only. Survives a crash of the process. */
export function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.new`
  writeFileSync(beside, JSON.stringify(value), { mode: 0o600 })
  renameSync(beside, path)
}

/** As `writeJson`, and on the disk when it returns: survives a power cut. Takes milliseconds. */
export function writeJsonSynced(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.new`
  writeFileSync(beside, JSON.stringify(value), { mode: 0o600, flush: true })
  renameSync(beside, path)
  // The new name is in the folder, which has a cache of its own.
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Null when there is no such file. @throws SyntaxError when it is no JSON */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
