/**
 * The key of adb servers that tests start in addition to the agent's servers. The virtual phones of a system
 * accept this key.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'

/**
 * Returns the path of the private key; the public key has the suffix `.pub`. Creates the key when it is
 * missing.
 */
export function testAdbKey(): string {
  const folder = path.join(tmpdir(), `phonerack-test-adb-${userInfo().uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // The folder is outside the checkout, since `npm ci`, which `up` may run, deletes `node_modules`.
  if (statSync(folder).uid !== userInfo().uid) throw new Error(`${folder} belongs to another user`)
  const made = path.join(folder, 'keys')
  const key = path.join(made, 'adbkey')
  if (existsSync(`${key}.pub`)) return key
  // Another process may create the key at the same time: the first process wins.
  const draft = mkdtempSync(path.join(folder, 'draft-'))
  execFileSync('adb', ['keygen', path.join(draft, 'adbkey')], { timeout: 150_000, stdio: 'ignore' })
  try {
    renameSync(draft, made)
  } catch (error) {
    if (!existsSync(`${key}.pub`)) throw error
  }
  return key
}
