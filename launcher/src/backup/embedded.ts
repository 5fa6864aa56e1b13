/**
 * The embedded Postgres of a data directory, for a backup or a restore. Imported only when needed, since
 * packages do not contain it.
 */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { clusterPassword, eraseCluster, installCluster, startPostgres } from '../postgres/index.js'
import { clusterData } from '../postgres/place.js'
import { awaitGuard } from '../up/clean.js'
import { lockFolder, lockHolder, openFolder, readJson } from '../up/folder.js'
import { Refusal } from './refusal.js'
import { runProgram } from './run.js'
import type { Source } from './source.js'

const databaseName = 'phonerack'

/**
 * Starts the server if it does not run.
 * @throws Refusal
 */
export async function openEmbedded(dataDir: string): Promise<Source> {
  const dir = path.join(dataDir, 'postgres')
  if (!existsSync(path.join(dir, 'cluster.json')))
    throw new Refusal(
      `${dataDir} has no embedded Postgres: name another data directory with --data, or the database with --database-url`,
    )
  const folder = openFolder(dataDir)
  const cluster = clusterData(dir)
  const { postgres: port } = (readJson(folder.portsFile) ?? {}) as { postgres?: number }
  if (lockHolder(folder)) {
    const url = `postgresql://phonerack:${clusterPassword(dir)}@127.0.0.1:${port ?? 0}/${databaseName}`
    return { url, cluster, release: () => Promise.resolve() }
  }
  const unlock = lockFolder(folder)
  try {
    await awaitGuard(folder)
    const server = await startPostgres({
      dir,
      port,
      log: folder.log('postgres'),
      recordFile: folder.record('postgres'),
    })
    const release = async () => {
      await server.stop()
      unlock()
    }
    return { url: server.urlOf(databaseName), cluster, release }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Installs the files of a cluster, and runs `work` on their database. @throws Refusal */
export async function restoreEmbedded(
  data: string,
  archive: string,
  signal: AbortSignal,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const folder = openFolder(data)
  const dir = folder.of('postgres')
  if (statSync(archive).size === 0) throw new Refusal(`${archive} is empty`)
  await installCluster(dir, async (target) => {
    await runProgram('tar', ['-xzf', archive, '--no-same-owner', '-C', target], { signal })
  })
  // The start replays the write-ahead log. If the start fails, the server's messages are deleted with the
  // folder, so they are collected here.
  const said: string[] = []
  const log = (line: string) => void said.push(line)
  const server = await startPostgres({ dir, log, recordFile: folder.record('postgres') }).catch(
    (cause: unknown) => {
      throw new Refusal(
        `Postgres did not start on the restored files: ${said.filter((line) => /FATAL|PANIC|HINT/.test(line)).join(' ')}`,
        { cause },
      )
    },
  )
  try {
    await work(server.urlOf(databaseName))
  } finally {
    await server.stop()
  }
}

/**
 * Keeps `up` out of the folder. Returns the release function.
 * @throws AlreadyRunning
 */
export const lockData = (data: string): (() => void) => lockFolder(openFolder(data))

/** Deletes the files of a failed restore. */
export const eraseEmbedded = (data: string): void => eraseCluster(path.join(data, 'postgres'))
