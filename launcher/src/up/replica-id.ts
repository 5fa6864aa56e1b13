/**
 * The ID of this directory's control plane among the replicas of a database. It stays the same across
 * restarts, and differs between directories and machines.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { readJson, writeJson, type Folder } from './folder.js'

interface Kept {
  id: string
  dir: string
}

export function replicaId(folder: Folder): string {
  const kept = readJson(folder.replicaFile) as Kept | null
  // A copy of a directory is another replica.
  if (kept?.dir === folder.dir && kept.id.startsWith(prefix())) return kept.id
  const id = `${prefix()}${randomBytes(6).toString('hex')}`
  writeJson(folder.replicaFile, { id, dir: folder.dir } satisfies Kept)
  return id
}

const prefix = (): string => `up-${hostname()}-`
