/** JSON files that are never partial: written to a temporary file, then renamed. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Readable by the owner only. Survives a crash of the process. */
export function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.new`
  writeFileSync(beside, JSON.stringify(value), { mode: 0o600 })
  renameSync(beside, path)
}

/** As `writeJson`, and synced when it returns: survives a power failure. Takes milliseconds. */
export function writeJsonSynced(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.new`
  writeFileSync(beside, JSON.stringify(value), { mode: 0o600, flush: true })
  renameSync(beside, path)
  // Syncs the folder's entry for the new name, which is cached separately.
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Null when there is no such file. @throws SyntaxError when it is not valid JSON */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
