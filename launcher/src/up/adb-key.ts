/**
 * The key of the agent's adb servers. `up` creates it before the agent would, so that the virtual phones
 * accept only these servers.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Milliseconds. */
const limit = 60_000

/**
 * Creates the key when it is missing. @param agentDir the agent's state folder @returns the path of the public key
 * @throws Error when adb fails
 */
export async function ensureAdbKey(adb: string, agentDir: string): Promise<string> {
  // The folders of `host-agent/src/adb/key.ts`.
  const folder = path.join(agentDir, 'adb', '.android')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = path.join(folder, 'adbkey')
  const publicKey = `${key}.pub`
  if (!existsSync(key) || !existsSync(publicKey))
    await run(adb, ['keygen', key], { timeout: limit, env: { PATH: process.env['PATH'], HOME: agentDir } })
  return publicKey
}
