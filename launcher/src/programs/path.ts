import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

/** Returns the full path of the first match on PATH, then in `also`; null when there is no match. */
export function findProgram(name: string, also: readonly string[] = []): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean), ...also]
  for (const folder of folders) {
    const file = path.join(folder, name)
    if (isExecutable(file)) return file
  }
  return null
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
