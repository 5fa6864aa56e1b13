// Servers of root's Postgres, attacked by a process of the user that runs Postgres.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eraseCluster } from './place.js'
import { startPostgres } from './index.js'
import { isOfRootOnly } from './owner.js'

const isRoot = process.getuid?.() === 0
const nobody = isRoot
  ? { uid: Number(execFileSync('id', ['-u', 'nobody'])), gid: Number(execFileSync('id', ['-g', 'nobody'])) }
  : { uid: -1, gid: -1 }

let dir: string
let data: string
/** A folder of root with the names that the attacks use. */
let victim: string

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-owner-test-'))
  chmodSync(dir, 0o755)
  data = path.join(dir, 'postgres')
  victim = path.join(dir, 'victim')
  mkdirSync(data, { mode: 0o700 })
  mkdirSync(victim, { mode: 0o755 })
})

afterEach(() => {
  vi.unstubAllEnvs()
  eraseCluster(data)
  rmSync(dir, { recursive: true, force: true })
})

/** Runs a shell script as the user nobody. */
const asNobody = (script: string, ...args: string[]) =>
  spawnSync('sh', ['-c', script, 'sh', ...args], { ...nobody, cwd: '/', timeout: 60_000, encoding: 'utf8' })

const homeOf = (folder: string): string =>
  (JSON.parse(readFileSync(path.join(folder, 'cluster.json'), 'utf8')) as { home: string }).home

describe.runIf(isRoot)('a process of the user of Postgres', () => {
  it('cannot add to the folder of a running server, nor move its parts', async () => {
    const server = await startPostgres({ dir: data })
    try {
      const home = homeOf(data)
      const { status } = asNobody('touch "$1/new" || mv "$1/data" "$1/data.part" || rm "$1/owner.json"', home)
      expect(status).not.toBe(0)
      expect(readdirSync(home).toSorted()).toEqual(expect.arrayContaining(['data', 'owner.json']))
      expect(existsSync(path.join(home, 'new'))).toBe(false)
    } finally {
      await server.stop()
    }
  })

  it('keeps no file that it prepared in the folder of an earlier release', async () => {
    await (await startPostgres({ dir: data })).stop()
    const home = homeOf(data)
    // Earlier releases left the folder in this state.
    chmodSync(home, 0o700)
    lchownSync(home, nobody.uid, nobody.gid)
    const planted = ['data.part', 'password.part', 'native-1', 'native-2.part']
    for (const name of planted)
      expect(asNobody('ln -s "$1" "$2"', victim, path.join(home, name)).status).toBe(0)
    await (await startPostgres({ dir: data })).stop()
    expect(isOfRootOnly(lstatSync(home))).toBe(true)
    for (const name of planted)
      expect(lstatSync(path.join(home, name), { throwIfNoEntry: false })).toBe(undefined)
    expect([lstatSync(victim).uid, ...readdirSync(victim)]).toEqual([0])
  })

  it('cannot put a link in the place of the cluster', async () => {
    await (await startPostgres({ dir: data })).stop()
    const home = homeOf(data)
    lchownSync(home, nobody.uid, nobody.gid)
    expect(asNobody('mv "$1/data" "$1/moved" && ln -s "$2" "$1/data"', home, victim).status).toBe(0)
    await expect(startPostgres({ dir: data })).rejects.toThrow(/data is not a folder of the user nobody/)
    expect(lstatSync(victim).uid).toBe(0)
  })

  it('cannot stop a start by a pipe in the place of its record', async () => {
    await (await startPostgres({ dir: data })).stop()
    expect(asNobody('mkfifo "$1/data/postmaster.pid"', homeOf(data)).status).toBe(0)
    const server = await startPostgres({ dir: data })
    await server.stop()
  })

  it('cannot provide the parent of the folder', async () => {
    const parent = path.join(dir, 'tmp')
    mkdirSync(parent)
    chmodSync(parent, 0o1777)
    expect(asNobody('mkdir "$1/phonerack" && chmod 0755 "$1/phonerack"', parent).status).toBe(0)
    vi.stubEnv('TMPDIR', parent)
    const server = await startPostgres({ dir: data, forTests: true })
    try {
      expect(homeOf(data)).not.toContain(parent)
    } finally {
      await server.stop()
    }
  })
})
