/**
 * Runs the real `backup`, `down`, `restore` and `up` of docs/operations.md: a phone is rented after the
 * backup, and the restored system wipes it.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { root, startSystem, stopSystem, type System } from './system.js'
import { readyPhone, type Tenant } from './tenant.js'
import { deviceOf, hasTrace, leaveTrace } from './traces.js'

/** Arguments that name the database. Empty for the embedded database. */
export interface DatabaseWords {
  backup: readonly string[]
  restore: readonly string[]
  up: readonly string[]
  /** Further variables of `backup` and `restore`. */
  env: Readonly<Record<string, string>>
}

const embedded: DatabaseWords = { backup: [], restore: [], up: [], env: {} }

/**
 * Restores a system. The system is down afterwards.
 * @param a rents after the backup
 * @param b rents from the restored system
 */
export async function restoreInSecondFolder(
  first: System,
  { a, b }: { a: Tenant; b: Tenant },
  words = embedded,
): Promise<void> {
  const run = async (name: string, ...args: string[]) => {
    const options = { cwd: root, timeout: 120_000, env: { ...process.env, ...words.env } }
    return (await promisify(execFile)(path.join(root, 'scripts', name), args, options)).stdout
  }
  const place = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-backup-'))
  try {
    const report = await run(
      'backup',
      ...['--data', first.dir, '--to', path.join(place, 'backups'), ...words.backup],
    )
    const phone = await readyPhone(a.agent)
    await leaveTrace(a, phone.id)
    const { fencing_number: before } = await deviceOf(first)
    await run('down', '--data', first.dir)

    const dir = path.join(place, 'second')
    const key = path.join(first.dir, 'pki', 'service.key')
    await run(
      'restore',
      ...[report.split('\n', 1)[0] ?? '', '--data', dir, '--service-key', key, ...words.restore],
    )
    // The rack stays, so its agent knows the changes of its phones after the backup.
    for (const name of ['host-agent', 'virtual-phones', 'ports.json'])
      await rename(path.join(first.dir, name), path.join(dir, name))
    const port = Number(new URL(first.up.base_url).port)
    const second = await startSystem({ virtualPhones: 1, dir, port, args: words.up })
    try {
      expect(second.up.operator_token).toBe(first.up.operator_token)
      expect((await a.agent.get(`/v1/phones/${phone.id}`)).status).toBe(404)
      const next = await readyPhone(b.agent)
      expect(await hasTrace(b.agent, next.id)).toBe(false)
      expect((await deviceOf(second)).fencing_number).toBeGreaterThan(before)
    } finally {
      await stopSystem(second)
    }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}
