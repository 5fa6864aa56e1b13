/** The embedded Postgres after the kill of its parent, and on folders that another parent uses. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { identify, isAlive } from '../processes/identity.js'
import { InUse } from '../processes/record.js'
import { startPostgres, type Postgres } from './index.js'

let dir: string
let started: Postgres[] = []

async function start(folder = dir): Promise<Postgres> {
  const server = await startPostgres({ dir: folder, forTests: true })
  started.push(server)
  return server
}

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-postgres-test-'))
})

afterEach(async () => {
  for (const server of started) await server.stop()
  started = []
  rmSync(dir, { recursive: true, force: true })
})

async function query(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const result = await client.query<Record<string, unknown>>(sql)
    return Object.values(result.rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}

describe('startPostgres', () => {
  it('refuses a second server on a folder whose owner is alive', async () => {
    const holder = await runInChild(dir)
    try {
      await expect(startPostgres({ dir, forTests: true })).rejects.toThrow(InUse)
    } finally {
      await holder.kill()
      // Ends the orphan and its child processes.
      await start()
    }
  })

  it('stops the server that a killed parent left, and keeps its data', async () => {
    const holder = await runInChild(dir)
    await query(holder.url, 'CREATE TABLE kept AS SELECT 42 AS n')
    await query(holder.url, 'CHECKPOINT')
    const orphan = identify(holder.pid)
    await holder.kill()
    expect(orphan && isAlive(orphan)).toBe(true)
    const server = await start()
    expect(orphan && isAlive(orphan)).toBe(false)
    expect(await query(server.url, 'SELECT n FROM kept')).toBe(42)
  })

  it('stops an orphan that is missing from its record', async () => {
    const holder = await runInChild(dir)
    const orphan = identify(holder.pid)
    await holder.kill()
    rmSync(path.join(dir, 'postgres.pid.json'))
    await start()
    expect(orphan && isAlive(orphan)).toBe(false)
  })

  it('never signals another program that reuses the recorded pid', async () => {
    const first = await startPostgres({ dir, port: undefined })
    const cluster = JSON.parse(readFileSync(path.join(dir, 'cluster.json'), 'utf8')) as { home: string }
    await first.stop()
    const bystander = spawn('sleep', ['60'])
    try {
      await once(bystander, 'spawn')
      writeFileSync(path.join(cluster.home, 'data', 'postmaster.pid'), `${bystander.pid}\n`)
      const server = await start()
      expect(await query(server.url, 'SELECT 1')).toBe(1)
      expect(bystander.exitCode).toBeNull()
      expect(bystander.signalCode).toBeNull()
    } finally {
      bystander.kill()
    }
  })

  it('never shares a cluster between a folder and its copy', async () => {
    const server = await startPostgres({ dir })
    await server.stop()
    const copy = `${dir}-copy`
    try {
      execFileSync('cp', ['-a', dir, copy])
      const note = JSON.parse(readFileSync(path.join(dir, 'cluster.json'), 'utf8')) as { outside: boolean }
      if (note.outside)
        await expect(startPostgres({ dir: copy, forTests: true })).rejects.toThrow(/is a copy of/)
    } finally {
      rmSync(copy, { recursive: true, force: true })
      await (await start()).stop()
    }
  })
})

/** A parent process that starts the server and then waits until the test kills it. */
async function runInChild(folder: string): Promise<{ url: string; pid: number; kill(): Promise<void> }> {
  const built = path.resolve(import.meta.dirname, '../../dist/postgres/index.js')
  const script = `
    const { startPostgres } = await import(${JSON.stringify(built)})
    const server = await startPostgres({ dir: ${JSON.stringify(folder)}, forTests: true })
    process.stdout.write(JSON.stringify({ url: server.url, pid: server.pid }) + '\\n')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const said = JSON.parse(line) as { url: string; pid: number }
  return {
    ...said,
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
