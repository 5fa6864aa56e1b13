/** The key of adb servers that tests start in addition to the agent's. The virtual phones of a system let it in. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Path of the private key; the public one has the suffix `.pub`. Created when it is missing. */
export function testAdbKey(): string {
  const folder = fileURLToPath(new URL('../../../node_modules/.cache/phonerack-adb', import.meta.url))
  const made = path.join(folder, 'keys')
  const key = path.join(made, 'adbkey')
  if (existsSync(key)) return key
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Another process may create it at the same time: the first one wins.
  const draft = mkdtempSync(path.join(folder, 'draft-'))
  execFileSync('adb', ['keygen', path.join(draft, 'adbkey')], { timeout: 60_000, stdio: 'ignore' })
  try {
    renameSync(draft, made)
  } catch (error) {
    if (!existsSync(key)) throw error
  }
  return key
}
