/**
 * Started by vitest once per run: one real Postgres for all test files of this package, and one real
 * nats-server per worker, since a control plane hears all hosts of its broker. Each control plane of a
 * test has its own database, copied from a migrated template.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startNats } from '@phonerack/launcher/nats'
import { startPostgres } from '@phonerack/launcher/postgres'
import { type TestProject } from 'vitest/node'
import { applyMigrations } from '../base/db/migrate.js'
import { prepareJobs } from '../base/queue/runner.js'

export const templateDatabase = 'template_plane'

export interface TestServers {
  /** The folder for files of tests. */
  dir: string
  /** URL of the database `postgres`, with the right to create others. */
  postgresUrl: string
  /** One URL per worker. */
  brokers: Broker[]
}

interface Broker {
  url: string
  credsFile: string
  accountSeedFile: string
}

/** The broker of this worker. */
export function brokerOf({ brokers }: TestServers): Broker {
  const broker = brokers[(Number(process.env['VITEST_POOL_ID'] ?? 1) - 1) % brokers.length]
  if (!broker) throw new Error('no broker was started')
  return broker
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServers: TestServers
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-cp-'))
  const workers = Array.from({ length: project.vitest.config.maxWorkers }, (_, index) => index + 1)
  const [postgres, ...brokers] = await Promise.all([
    startPostgres({ dir: path.join(dir, 'pg'), forTests: true }),
    ...workers.map((worker) => startNats({ dir: path.join(dir, `nats-${worker}`) })),
  ])
  const template = await postgres.createDatabase(templateDatabase)
  await applyMigrations(template)
  await prepareJobs(template)
  project.provide('testServers', {
    dir,
    postgresUrl: postgres.url,
    brokers: brokers.map(({ url, controlPlaneCredsFile: credsFile, accountSeedFile }) => ({
      url,
      credsFile,
      accountSeedFile,
    })),
  })
  return async () => {
    await Promise.all(brokers.map((broker) => broker.stop()))
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
