/** Finds a real nats-server; installs Debian's package where this process can. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { aptInstall, canAptInstall } from '../programs/apt.js'
import { findProgram, isExecutable } from '../programs/path.js'

const run = promisify(execFile)

/**
 * Path of a working nats-server: on PATH, in /usr/sbin, installed by apt (as root), or unpacked from Debian's
 * package into a cache folder (without root).
 * @throws Error that names the package to install.
 */
export async function findNats(): Promise<string> {
  const found = findProgram('nats-server', ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'])
  if (found) return found
  const cached = path.join(cacheFolder(), 'usr', 'sbin', 'nats-server')
  if (isExecutable(cached)) return cached
  let reason = ''
  try {
    if (canAptInstall()) {
      await aptInstall(['nats-server'])
      const installed = findProgram('nats-server', ['/usr/sbin'])
      if (installed) return installed
    } else if (findProgram('apt-get') && findProgram('dpkg')) {
      await unpackPackage()
      if (isExecutable(cached)) return cached
    }
  } catch (error) {
    reason = ` (${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)})`
  }
  throw new Error(
    `nats-server is missing${reason}. Install it, for example with \`sudo apt-get install nats-server\` or \`brew install nats-server\`, or use --nats-url`,
  )
}

const cacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'phonerack', 'nats-server')

/** Needs no root: downloads Debian's package and unpacks it into the cache. */
async function unpackPackage(): Promise<void> {
  const target = cacheFolder()
  mkdirSync(path.dirname(target), { recursive: true })
  const work = mkdtempSync(`${target}-`)
  try {
    await run('apt-get', ['download', 'nats-server'], { cwd: work, timeout: 120_000 })
    const file = readdirSync(work).find((name) => name.endsWith('.deb'))
    if (!file) throw new Error('apt-get download did not create a package file')
    const tree = path.join(work, 'tree')
    await run('dpkg', ['-x', path.join(work, file), tree], { timeout: 60_000 })
    if (!existsSync(target)) renameSync(tree, target)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
