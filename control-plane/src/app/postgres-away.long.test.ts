// Requests while Postgres is stopped or frozen. With its own Postgres.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { eraseCluster, startPostgres } from '@phonerack/launcher/postgres'
import { pause } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBehind } from '../testing/behind-postgres.js'
import { startWorld, type World } from '../testing/world.js'

let world: World
let postgres: Awaited<ReturnType<typeof startPostgres>>
let at: Awaited<ReturnType<typeof startBehind>>
const dir = (): string => path.join(world.dir, 'pg')
beforeAll(async () => {
  world = startWorld()
  postgres = await startPostgres({ dir: dir() })
  at = await startBehind(world, await postgres.createDatabase('away'))
})
afterAll(async () => {
  await world.stop()
  await postgres.stop()
  eraseCluster(dir())
})

describe('without Postgres', () => {
  it('answers 503 with Retry-After while it is stopped, and serves again once it runs', async () => {
    const port = Number(new URL(postgres.url).port)
    await postgres.stop()
    try {
      await at.expectUnavailable()
    } finally {
      postgres = await startPostgres({ dir: dir(), port })
    }
    await at.isBack()
  })

  it('answers each request once a frozen Postgres continues', async () => {
    const processes = [postgres.pid, ...childrenOf(postgres.pid)]
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
    const asked = [
      at.call('GET', '/v1/phones'),
      at.call('PATCH', `/v1/phones/${at.phone}`, { name: 'thawed' }),
    ]
    await pause(5000, new AbortController().signal)
    for (const pid of processes) process.kill(pid, 'SIGCONT')
    for (const { statusCode } of await Promise.all(asked)) expect([200, 503]).toContain(statusCode)
    await at.isBack()
  })
})

/** Reads the process table of Linux. */
function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
    } catch (error) {
      // The process has ended since the list was read.
      if (error instanceof Error) return false
      throw error
    }
  })
}
