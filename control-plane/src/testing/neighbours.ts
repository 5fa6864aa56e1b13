/**
 * Started by vitest once per run: one real Postgres and one real nats-server for all test files of
 * this package. Each control plane of a test has its own database, copied from a migrated template.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startNats } from '@phonerack/launcher/nats'
import { startPostgres } from '@phonerack/launcher/postgres'
import { type TestProject } from 'vitest/node'
import { applyMigrations } from '../db/migrate.js'
import { prepareJobs } from '../queue/runner.js'

export const templateDatabase = 'template_plane'

export interface Neighbours {
  /** The folder for files of tests. */
  dir: string
  /** URL of the database `postgres`, with the right to create others. */
  postgresUrl: string
  natsUrl: string
  natsCredsFile: string
  natsAccountSeedFile: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    neighbours: Neighbours
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-cp-'))
  const [postgres, nats] = await Promise.all([
    startPostgres({ dir: path.join(dir, 'pg'), forTests: true }),
    startNats({ dir: path.join(dir, 'nats') }),
  ])
  const template = await postgres.createDatabase(templateDatabase)
  await applyMigrations(template)
  await prepareJobs(template)
  project.provide('neighbours', {
    dir,
    postgresUrl: postgres.url,
    natsUrl: nats.url,
    natsCredsFile: nats.controlPlaneCredsFile,
    natsAccountSeedFile: nats.accountSeedFile,
  })
  return async () => {
    await nats.stop()
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
