// Backups and restores while another process changes the files that they read.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eraseCluster, startPostgres, type Postgres } from '../postgres/index.js'
import { clusterData } from '../postgres/place.js'
import { findProgram } from '../programs/path.js'
import { makeDataFolder, makeTables, run } from '../testing/backup.js'
import { lockFolder, openFolder, writeJson } from '../up/folder.js'
import { parseBackupArgs, parseRestoreArgs, type BackupOptions } from './args.js'
import { restoreBackup } from './read.js'
import { collectSecrets } from './secrets.js'
import { writeBackup } from './write.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-hostile-test-'))
const at = (...names: string[]) => path.join(dir, ...names)
const data = at('data')
const to = at('backups')
const signal = AbortSignal.timeout(240_000)
let server: Postgres
let unlock: () => void

const options = (): BackupOptions => {
  const parsed = parseBackupArgs(['--data', data, '--to', to], dir)
  if (parsed === null) throw new Error('help')
  return parsed
}

beforeAll(async () => {
  const key = makeDataFolder(data)
  server = await startPostgres({ dir: path.join(data, 'postgres') })
  writeJson(path.join(data, 'ports.json'), { postgres: server.port })
  await makeTables(await server.createDatabase('phonerack'), key)
  unlock = lockFolder(openFolder(data))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

afterAll(async () => {
  unlock()
  await server.stop()
  for (const name of readdirSync(dir)) eraseCluster(at(name, 'postgres'))
  rmSync(dir, { recursive: true, force: true })
})

describe('a backup is refused', () => {
  it.each([
    [
      'with a pipe in the cluster',
      (file: string) => void execFileSync('mkfifo', [file]),
      /is a link, a pipe/,
    ],
    [
      'with a link in the cluster',
      (file: string) => symlinkSync('/etc/shadow', file),
      /has the link base\/planted/,
    ],
    [
      'with a file of another user',
      (file: string) => {
        writeFileSync(at('secret'), 'a secret')
        const { uid } = lstatSync(path.dirname(file))
        if (process.getuid?.() === 0) lchownSync(at('secret'), uid + 1, 0)
        linkSync(at('secret'), file)
      },
      process.getuid?.() === 0 ? /base\/planted belongs to the user \d+/ : null,
    ],
  ])(
    '%s',
    async (_, plant, message) => {
      const file = path.join(clusterData(path.join(data, 'postgres')), 'base', 'planted')
      plant(file)
      try {
        const written = writeBackup(options(), signal)
        if (message === null) await written
        else await expect(written).rejects.toThrow(message)
      } finally {
        // Ends the wait for the other end of the pipe.
        if (lstatSync(file).isFIFO()) closeSync(openSync(file, constants.O_RDWR))
        rmSync(file)
        rmSync(at('secret'), { force: true })
      }
      expect(readdirSync(to).filter((name) => name.endsWith('.part'))).toEqual([])
    },
    120_000,
  )

  it('when its unfinished folder already exists, which stays', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 1) })
    const part = path.join(to, `phonerack-20261101T000000Z.${process.pid}.part`)
    mkdirSync(part, { recursive: true })
    writeFileSync(path.join(part, 'kept'), 'a file')
    await expect(writeBackup(options(), signal)).rejects.toThrow(/exists already/)
    expect(readFileSync(path.join(part, 'kept'), 'utf8')).toBe('a file')
    rmSync(part, { recursive: true })
  })
})

it('collects no secret through a link or from a pipe', () => {
  makeDataFolder(at('linked'))
  writeFileSync(at('elsewhere'), 'another secret')
  rmSync(at('linked/secrets.json'))
  symlinkSync(at('elsewhere'), at('linked/secrets.json'))
  symlinkSync(at('elsewhere'), at('linked/nats/more.seed'))
  execFileSync('mkfifo', [at('linked/pki/more.key')])
  const places = { data: at('linked'), pkiDir: at('linked/pki'), natsDir: at('linked/nats') }
  const found = collectSecrets(places)
  expect(Object.keys(found)).not.toEqual(expect.arrayContaining(['secrets.json']))
  expect(JSON.stringify(found)).not.toContain('another secret')
})

it('restores the archive that it checked, not an archive that replaced it afterwards', async () => {
  const { dir: backup } = await writeBackup(options(), signal)
  const archive = path.join(backup, 'cluster.tar.gz')
  // Replaces the archive when the restore begins to unpack it.
  mkdirSync(at('bin'))
  writeFileSync(
    at('bin/tar'),
    `#!/bin/sh\necho replaced > '${archive}.new' && mv '${archive}.new' '${archive}'\nexec '${findProgram('tar') ?? ''}' "$@"\n`,
    { mode: 0o755 },
  )
  vi.stubEnv('PATH', `${at('bin')}:${process.env['PATH'] ?? ''}`)
  const words = [backup, '--data', at('restored'), '--service-key', path.join(data, 'pki/service.key')]
  const parsed = parseRestoreArgs(words)
  if (parsed === null) throw new Error('help')
  await restoreBackup(parsed, signal)
  expect(readFileSync(archive, 'utf8')).toBe('replaced\n')
  expect(readdirSync(at('restored')).filter((name) => name.startsWith('.backup'))).toEqual([])
  const restored = await startPostgres({ dir: at('restored/postgres') })
  try {
    const [row] = await run<{ rows: number }>(
      restored.urlOf('phonerack'),
      'select count(*)::int as rows from rows',
    )
    expect(row?.rows).toBe(1000)
  } finally {
    await restored.stop()
  }
  expect(existsSync(at('restored/pki/service.key'))).toBe(true)
})
