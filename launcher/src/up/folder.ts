/** The data directory of one `up`: its layout, and the lock that keeps a second `up` out. */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { isAlive, ownIdentity, type ProcessIdentity } from '../processes/identity.js'

/** The services, in the order in which leftovers are stopped. */
export const serviceNames = ['host-agent', 'virtual-phones', 'control-plane', 'nats', 'postgres'] as const
export type ServiceName = (typeof serviceNames)[number]

export interface Folder {
  /** Real path. */
  dir: string
  upFile: string
  lockFile: string
  portsFile: string
  secretsFile: string
  /** The replica's ID, which belongs to this directory. A second replica must not get a copy. */
  replicaFile: string
  guardRecord: string
  log(name: ServiceName | 'up'): string
  record(name: ServiceName): string
  /** A service's folder, created when absent. */
  of(name: ServiceName | 'pki'): string
}

/** Creates the directory when it is absent; only its owner has access. */
export function openFolder(dir: string): Folder {
  for (const folder of [dir, path.join(dir, 'logs'), path.join(dir, 'run')]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
  }
  const real = realpathSync(dir)
  return {
    dir: real,
    upFile: path.join(real, 'up.json'),
    lockFile: path.join(real, 'run', 'up.json'),
    portsFile: path.join(real, 'ports.json'),
    secretsFile: path.join(real, 'secrets.json'),
    replicaFile: path.join(real, 'replica.json'),
    guardRecord: path.join(real, 'run', 'guard.json'),
    log: (name) => path.join(real, 'logs', `${name}.log`),
    record: (name) => path.join(real, 'run', `${name}.json`),
    of(name) {
      const folder = path.join(real, name)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    },
  }
}

export class AlreadyRunning extends Error {
  constructor(
    readonly dir: string,
    readonly pid: number,
    /** Address of the API; null while it starts. */
    readonly url: string | null,
  ) {
    const where =
      url === null ? 'It is still starting.' : `Its API is at ${url}, and its keys are in ${dir}/up.json.`
    super(
      `Phonerack is already running on ${dir} (process ${pid}). ${where} Stop it with ./scripts/down --data ${dir}`,
    )
    this.name = 'AlreadyRunning'
  }
}

/**
 * Takes the lock for this process; returns its release function.
 * @throws AlreadyRunning
 */
export function lockFolder(folder: Folder): () => void {
  for (let tries = 0; tries < 20; tries++) {
    const own = `${folder.lockFile}.${process.pid}.part`
    writeFileSync(own, JSON.stringify(ownIdentity()) + '\n', { mode: 0o600 })
    try {
      // A link appears atomically, and does not overwrite the lock of another holder.
      linkSync(own, folder.lockFile)
      return () => rmSync(folder.lockFile, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    } finally {
      rmSync(own, { force: true })
    }
    const holder = lockHolder(folder)
    if (holder) throw new AlreadyRunning(folder.dir, holder.pid, servedUrl(folder))
    // When several processes see the same dead holder, one moves its lock away; the others retry.
    const aside = `${folder.lockFile}.${process.pid}`
    try {
      renameSync(folder.lockFile, aside)
      rmSync(aside, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  throw new Error(`cannot lock ${folder.lockFile}`)
}

/** The living `up` of this folder, or null. */
export function lockHolder(folder: Folder): ProcessIdentity | null {
  const identity = readJson(folder.lockFile) as ProcessIdentity | null
  return identity && isAlive(identity) ? identity : null
}

/** Reads the API's address from `up.json`. */
function servedUrl(folder: Folder): string | null {
  const up = readJson(folder.upFile) as { base_url?: unknown } | null
  return typeof up?.base_url === 'string' ? up.base_url : null
}

/** Null when the file is absent or incomplete. */
export function readJson(file: string): unknown {
  if (!existsSync(file)) return null
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Writes the file atomically, with mode 0600. */
export function writeJson(file: string, value: unknown): void {
  const part = `${file}.${process.pid}.part`
  writeFileSync(part, JSON.stringify(value, null, 2) + '\n', { mode: 0o600 })
  renameSync(part, file)
}
