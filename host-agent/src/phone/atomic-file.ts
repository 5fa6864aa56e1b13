/** JSON files that are always whole: written beside, then renamed. Against a crash of the process, not of the machine. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Readable by the owner only. */
export function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.new`
  writeFileSync(beside, JSON.stringify(value), { mode: 0o600 })
  renameSync(beside, path)
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
