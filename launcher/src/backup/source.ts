/** The database of a backup: the operator's, or the embedded one of a data directory, which is started if it is down. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { clusterPassword, startPostgres } from '../postgres/index.js'
import { clusterData } from '../postgres/place.js'
import { awaitGuard } from '../up/clean.js'
import { lockFolder, lockHolder, openFolder, readJson } from '../up/folder.js'
import { Refusal } from './refusal.js'

export interface Source {
  url: string
  /** Folder of the embedded cluster; null: the operator's Postgres. */
  cluster: string | null
  release(): Promise<void>
}

export const databaseName = 'phonerack'

/** @throws Refusal */
export async function openSource(dataDir: string, databaseUrl: string | null): Promise<Source> {
  if (databaseUrl !== null) return { url: databaseUrl, cluster: null, release: () => Promise.resolve() }
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
