// Folders that root fills for Postgres, attacked by a process of the user that runs Postgres.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clusterData, eraseCluster } from './place.js'
import { installCluster } from './index.js'
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

const fileNames = Array.from({ length: 400 }, (_, n) => `f${n}`)
const ownersOf = (folder: string) =>
  [...new Set(readdirSync(folder).map((name) => lstatSync(path.join(folder, name)).uid))].toSorted()

describe('a folder that can be changed', () => {
  it.each([
    ['by root only', { uid: 0, mode: 0o40_755 }, true],
    ['by its owner', { uid: 65_534, mode: 0o40_700 }, false],
    ['by its group', { uid: 0, mode: 0o40_775 }, false],
    ['by all', { uid: 0, mode: 0o40_777 }, false],
  ])('%s', (_, stat, expected) => {
    expect(isOfRootOnly(stat)).toBe(expected)
  })
})

describe.runIf(isRoot)('a process of the user of Postgres', () => {
  it('cannot replace the folder that a restore fills', async () => {
    writeFileSync(path.join(victim, 'secret'), 'of root')
    await installCluster(data, (target) => {
      writeFileSync(path.join(target, 'PG_VERSION'), '18\n')
      asNobody('mv "$1" "$1.away"; ln -s "$2" "$1"', target, victim)
      return Promise.resolve()
    })
    expect([lstatSync(victim).uid, ...ownersOf(victim)]).toEqual([0, 0])
    const made = lstatSync(clusterData(data))
    expect([made.isDirectory(), made.uid, made.mode & 0o777]).toEqual([true, nobody.uid, 0o700])
    expect(lstatSync(path.join(clusterData(data), 'PG_VERSION')).uid).toBe(nobody.uid)
  })

  it('cannot redirect the change of owners to files of root', async () => {
    for (const name of fileNames) writeFileSync(path.join(victim, name), 'of root')
    let attack: ReturnType<typeof spawn> | undefined
    try {
      await installCluster(data, async (target) => {
        for (const folder of ['a', 'base', 'z']) {
          mkdirSync(path.join(target, folder))
          for (const name of fileNames) writeFileSync(path.join(target, folder, name), 'a row')
        }
        const script = `echo ready
          while :; do for at in "$1" "$2"; do
            mv "$at/base" "$at/moved" && ln -s "$3" "$at/base"
          done 2>/dev/null; done`
        attack = spawn('sh', ['-c', script, 'sh', target, path.join(homeOf(data), 'data'), victim], {
          ...nobody,
          cwd: '/',
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        await once(attack.stdout ?? process.stdin, 'data')
      })
    } finally {
      if (attack !== undefined) {
        const ended = once(attack, 'exit')
        attack.kill('SIGKILL')
        await ended
      }
    }
    expect([lstatSync(victim).uid, ...ownersOf(victim)]).toEqual([0, 0])
  })

  it('cannot redirect the deletion of a cluster to files of root', async () => {
    await installCluster(data, (target) => {
      writeFileSync(path.join(target, 'PG_VERSION'), '18\n')
      symlinkSync(victim, path.join(target, 'base'))
      return Promise.resolve()
    })
    writeFileSync(path.join(victim, 'kept'), 'of root')
    eraseCluster(data)
    expect(readFileSync(path.join(victim, 'kept'), 'utf8')).toBe('of root')
  })
})
