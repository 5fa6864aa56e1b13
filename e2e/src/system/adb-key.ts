/** The key of adb servers that tests start in addition to the agent's. The virtual phones of a system let it in. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'

/** Path of the private key; the public one has the suffix `.pub`. Created when it is missing. */
export function testAdbKey(): string {
  const folder = path.join(tmpdir(), `phonerack-test-adb-${userInfo().uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Not in the checkout: `npm ci`, which `up` may run, deletes `node_modules`.
  if (statSync(folder).uid !== userInfo().uid) throw new Error(`${folder} belongs to another user`)
  const made = path.join(folder, 'keys')
  const key = path.join(made, 'adbkey')
  if (existsSync(`${key}.pub`)) return key
  // Another process may create it at the same time: the first one wins.
  const draft = mkdtempSync(path.join(folder, 'draft-'))
  execFileSync('adb', ['keygen', path.join(draft, 'adbkey')], { timeout: 150_000, stdio: 'ignore' })
  try {
    renameSync(draft, made)
  } catch (error) {
    if (!existsSync(`${key}.pub`)) throw error
  }
  return key
}
