// A backup of a stopped embedded Postgres, restored into another folder.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eraseCluster, startPostgres } from '../postgres/index.js'
import { makeDataFolder, makeTables, stateOf } from '../testing/backup.js'
import { parseBackupArgs, parseRestoreArgs } from './args.js'
import { restoreBackup } from './read.js'
import { writeBackup } from './write.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-backup-test-'))
const at = (...names: string[]) => path.join(dir, ...names)
const data = at('data')
const signal = AbortSignal.timeout(200_000)

beforeAll(async () => {
  const key = makeDataFolder(data)
  const server = await startPostgres({ dir: path.join(data, 'postgres') })
  await makeTables(await server.createDatabase('phonerack'), key)
  await server.stop()
})

afterAll(() => {
  for (const name of readdirSync(dir)) eraseCluster(at(name, 'postgres'))
  rmSync(dir, { recursive: true, force: true })
})

describe('a backup of a stopped Postgres', () => {
  it('includes the service key on request, and starts and stops Postgres itself', async () => {
    const options = parseBackupArgs(['--data', data, '--to', at('backups'), '--with-service-key'], dir)
    if (options === null) throw new Error('help')
    const { dir: backup } = await writeBackup(options, signal)
    expect(existsSync(path.join(data, 'run/postgres.json'))).toBe(false)
    const restoring = parseRestoreArgs([backup, '--data', at('third')])
    if (restoring === null) throw new Error('help')
    await restoreBackup(restoring, signal)
    expect(readFileSync(at('third/pki/service.key'), 'utf8')).toBe(
      readFileSync(path.join(data, 'pki/service.key'), 'utf8'),
    )
    expect((await stateOf(at('third')))?.rows).toBeGreaterThan(0)
  })
})
