// Backups of a running embedded Postgres, restored into another folder, and every misuse.
import { once } from 'node:events'
import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pickPort } from '../processes/ports.js'
import { eraseCluster, startPostgres, type Postgres } from '../postgres/index.js'
import { makeDataFolder, makeTables, run, seed, stateOf } from '../testing/backup.js'
import { lockFolder, openFolder, writeJson } from '../up/folder.js'
import { parseBackupArgs, parseRestoreArgs, type BackupOptions } from './args.js'
import { restoreBackup } from './read.js'
import { writeBackup } from './write.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-backup-test-'))
const at = (...names: string[]) => path.join(dir, ...names)
const data = at('data')
const signal = AbortSignal.timeout(200_000)
let server: Postgres

const options = (...words: string[]): BackupOptions => {
  const parsed = parseBackupArgs(['--data', data, '--to', at('backups'), ...words], dir)
  if (parsed === null) throw new Error('help')
  return parsed
}
const restore = (...words: string[]) => {
  const parsed = parseRestoreArgs(words)
  if (parsed === null) throw new Error('help')
  return restoreBackup(parsed, signal)
}
const serviceKey = ['--service-key', path.join(data, 'pki/service.key')]

beforeAll(async () => {
  const key = makeDataFolder(data)
  writeFileSync(path.join(data, 'pki', 'service.key~'), 'a copy of an editor')
  const port = await pickPort()
  writeJson(path.join(data, 'ports.json'), { postgres: port })
  server = await startPostgres({ dir: path.join(data, 'postgres'), port })
  await makeTables(await server.createDatabase('phonerack'), key)
})

afterAll(async () => {
  await server.stop()
  for (const name of readdirSync(dir)) eraseCluster(at(name, 'postgres'))
  rmSync(dir, { recursive: true, force: true })
})

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

describe('a backup of a running Postgres', () => {
  let backup: string
  let during = 0
  beforeAll(async () => {
    const unlock = lockFolder(openFolder(data))
    let isDone = false
    // Writers and checkpoints run during the copy.
    const writing = (async () => {
      for (let n = 100_000; !isDone; n += 200) {
        await run(
          server.urlOf('phonerack'),
          `insert into rows select n, repeat('y', 2000) from generate_series(${n}, ${n + 199}) n; checkpoint`,
        )
        during += 200
      }
    })()
    try {
      backup = (await writeBackup(options(), signal)).dir
    } finally {
      isDone = true
      await writing
      unlock()
    }
    await run(server.urlOf('phonerack'), `delete from rows where n <= 1000`)
  })

  it('has every committed row, and a new epoch', async () => {
    await restore(backup, '--data', at('second'), ...serviceKey)
    const state = await stateOf(at('second'))
    expect(state?.rows).toBeGreaterThanOrEqual(1000)
    // Each transaction is in the copy completely or not at all.
    expect((state?.rows ?? 0) % 200).toBe(0)
    expect(state?.rows).toBeLessThanOrEqual(1000 + during)
    expect(state?.epoch).toMatch(/^[0-9a-f]{32}$/)
    expect(state?.counts).toBe(5000)
  })

  it('restores the keys, but not the identity of the replica', () => {
    const text = (name: string) => readFileSync(at('second', name), 'utf8')
    expect(text('nats/account.seed')).toBe(seed)
    expect(text('secrets.json')).toContain('pro_secret')
    for (const name of ['pki/service.key', 'postgres/password'])
      expect(text(name)).toBe(readFileSync(path.join(data, name), 'utf8'))
    for (const name of ['replica.json', 'nats/nats.pid.json', 'ports.json', 'host-agent', 'pki/service.key~'])
      expect(existsSync(at('second', name)), name).toBe(false)
    for (const file of filesOf(at('second')).filter((name) => !/logs/.test(name)))
      expect(statSync(file).mode & 0o077, file).toBe(0)
  })

  it('contains no key in clear text, is readable by its owner only, and lists the stored files', () => {
    expect(statSync(backup).mode & 0o777).toBe(0o700)
    const files = filesOf(backup)
    expect(files.map((file) => path.basename(file)).toSorted()).toEqual(
      ['backup.json', 'cluster.tar.gz', 'objects.jsonl', 'secrets.sealed'].toSorted(),
    )
    for (const file of files) {
      expect(statSync(file).mode & 0o777, file).toBe(0o600)
      expect(readFileSync(file).includes(seed), file).toBe(false)
      expect(readFileSync(file).includes('pro_secret'), file).toBe(false)
    }
    expect(
      readFileSync(path.join(backup, 'objects.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(['sto_a', 'sto_b', 'sto_c'])
  })

  describe('is refused', () => {
    const changed = (name: string, change: (folder: string) => void): string => {
      cpSync(backup, at(name), { recursive: true })
      change(at(name))
      return at(name)
    }
    it.each([
      ['without its key', () => [backup], /does not contain its service key .* --service-key/],
      ['with a missing key', () => [backup, '--service-key', at('nothing')], /nothing is missing/],
      [
        'with another key',
        () => {
          makeDataFolder(at('other'))
          return [backup, '--service-key', at('other/pki/service.key')]
        },
        /is the service key \w+, but the backup needs \w+/,
      ],
      [
        'with a file that contains another text',
        () => [backup, '--service-key', path.join(data, 'secrets.json')],
        /contains no service key/,
      ],
      [
        'with a changed file',
        () => [
          changed('changed', (folder) => appendFileSync(path.join(folder, 'cluster.tar.gz'), 'x')),
          ...serviceKey,
        ],
        /cluster\.tar\.gz has changed/,
      ],
      [
        'with a changed list',
        () => [
          changed('forged', (folder) => {
            const file = path.join(folder, 'backup.json')
            chmodSync(file, 0o600)
            execFileSync('sed', ['-i', 's/20261120000000/20261120000001/', file])
          }),
          ...serviceKey,
        ],
        /its list of files was changed/,
      ],
      [
        'with a missing file',
        () => [changed('lacking', (folder) => rmSync(path.join(folder, 'objects.jsonl'))), ...serviceKey],
        /objects\.jsonl is missing/,
      ],
      ['when the folder is another one', () => [data, ...serviceKey], /is not a backup/],
      [
        'for a database of the operator',
        () => [backup, ...serviceKey, '--database-url', 'postgres://127.0.0.1/x'],
        /without --database-url/,
      ],
    ])('%s', async (_, words, message) => {
      const target = at('refused')
      await expect(restore(...words(), '--data', target)).rejects.toThrow(message)
      expect(existsSync(target)).toBe(false)
    })

    it('into a folder that is not empty', async () => {
      await expect(restore(backup, ...serviceKey, '--data', data)).rejects.toThrow(/is not empty/)
    })
  })
})

describe('a backup is refused', () => {
  beforeAll(() => server.stop())

  it.each([
    ['in the data directory', ['--to', path.join(data, 'backups')], /must outlive/],
    ['without the service key', ['--service-key', at('nothing')], /nothing is missing.*--service-key/],
    ['without the keys of NATS', ['--nats-dir', at('nowhere')], /account\.seed is missing.*--nats-dir/],
    [
      'when the folder has no database',
      ['--data', at('empty'), '--pki-dir', path.join(data, 'pki'), '--nats-dir', path.join(data, 'nats')],
      /no embedded Postgres/,
    ],
    [
      'when nothing serves the database',
      ['--database-url', 'postgres://127.0.0.1:9/x'],
      /cannot connect to .*ECONNREFUSED/,
    ],
  ])('%s', async (_, words, message) => {
    await expect(writeBackup(options(...words), signal)).rejects.toThrow(message)
    expect(readdirSync(at('backups')).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('with the key of another installation', async () => {
    makeDataFolder(at('stranger'))
    const words = ['--service-key', at('stranger/pki/service.key')]
    await expect(writeBackup(options(...words), signal)).rejects.toThrow(/but the database is encrypted with/)
  })

  it('when the disk is too small', async () => {
    // A file system of 1 MB, which only the program can see.
    const script = path.resolve(import.meta.dirname, '../../dist/backup.js')
    mkdirSync(at('small'), { recursive: true })
    const child = spawn(
      'unshare',
      [
        '--mount',
        'sh',
        '-c',
        `mount -t tmpfs -o size=1m none "$1" && exec "$2" "$3" --data "$4" --to "$1"`,
        'sh',
        at('small'),
        process.execPath,
        script,
        data,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let said = ''
    child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()))
    const [code] = (await once(child, 'exit')) as [number]
    expect([code, said]).toEqual([1, expect.stringMatching(/MB free, and \d+ MB are needed/)])
  })

  it('after its deadline, and leaves no file', async () => {
    const late = AbortSignal.abort(new Error('not done at the deadline'))
    await expect(writeBackup(options(), late)).rejects.toThrow()
    expect(readdirSync(at('backups')).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

it.each([
  [() => parseBackupArgs([], dir), /--to must name/],
  [() => parseBackupArgs(['--to', ''], dir), /--to must not be empty/],
  [() => parseBackupArgs(['--to', 'x', 'y'], dir), /takes no argument y/],
  [() => parseBackupArgs(['--to', 'x', '--from', 'y'], dir), /Unknown option '--from'/],
  [() => parseBackupArgs(['--to', 'x', '--deadline', '5'], dir), /--deadline must be a duration/],
  [() => parseBackupArgs(['--to', 'x', '--deadline', '0s'], dir), /--deadline must be a duration/],
  [() => parseBackupArgs(['--to', 'x', '--database-url', 'mysql://h/x'], dir), /--database-url must be/],
  [() => parseBackupArgs(['--to', 'x', '--database-url', 'postgres://h'], dir), /name of a database/],
  [() => parseBackupArgs(['--to', 'x', '--database-url', 'postgres://u:p@h/x'], dir), /set PGPASSWORD/],
  [() => parseRestoreArgs(['a', '--data', 'c', '--database-url', 'postgres://h/x?password=p']), /PGPASSFILE/],
  [() => parseRestoreArgs([]), /folder of the backup must be named/],
  [() => parseRestoreArgs(['a', 'b', '--data', 'c']), /only one backup/],
  [() => parseRestoreArgs(['a']), /--data must name/],
])('refuses a wrong command line %#', (parse, message) => {
  expect(parse).toThrow(message)
})
