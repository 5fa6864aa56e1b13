/**
 * Creates a cluster once: UTF-8, C.UTF-8, and a scram password that only the data directory's owner can read.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { removeTree } from './owner.js'
import type { Place } from './place.js'

export const superuser = 'phonerack'

/** Returns the password. The first call creates it. */
export function clusterPassword(dir: string): string {
  const file = path.join(dir, 'password')
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const password = randomBytes(24).toString('base64url')
  writeFileSync(file, password + '\n', { mode: 0o600, flag: 'wx' })
  return password
}

/** Creates the cluster in the folder `data` of the place, if it is absent. An interrupted run starts over. */
export async function ensureCluster(
  place: Place,
  native: string,
  password: string,
  sync: boolean,
): Promise<string> {
  const data = path.join(place.home, 'data')
  if (existsSync(path.join(data, 'PG_VERSION'))) return data
  const part = path.join(place.home, 'data.part')
  const passwordFile = path.join(place.home, 'password.part')
  removeTree(part)
  rmSync(passwordFile, { force: true })
  mkdirSync(part, { mode: 0o700 })
  writeFileSync(passwordFile, password + '\n', { mode: 0o600, flag: 'wx' })
  if (place.user) {
    chownSync(part, place.user.uid, place.user.gid)
    chownSync(passwordFile, place.user.uid, place.user.gid)
  }
  const args = [
    ...['-D', part, '-U', superuser, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'],
    ...[
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      process.platform === 'linux' ? '--locale=C.UTF-8' : '--locale=C',
    ],
    // The password is not stretched, since it is random. Tests open thousands of connections, and stretching
    // took a tenth of their time.
    ...(sync ? [] : ['--no-sync', '-c', 'scram_iterations=1']),
  ]
  try {
    await promisify(execFile)(path.join(native, 'bin', 'initdb'), args, {
      cwd: '/',
      env: { PATH: process.env['PATH'], TZ: 'UTC' },
      timeout: 120_000,
      ...(place.user ?? {}),
    })
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : ''
    throw new Error(`initdb failed: ${said || String(cause)}`, { cause })
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(part, data)
  return data
}
