/**
 * A file that records which process serves a data directory and who started it, so that the next start after
 * a killed parent stops exactly that process.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { identify, isAlive, ownIdentity, type ProcessIdentity } from './identity.js'
import { stopProcess, type StopStep } from './stop.js'

interface ProcessRecord extends ProcessIdentity {
  owner: ProcessIdentity
}

/**
 * Records that this process started the living process `pid`. Returns null when that process has already
 * ended.
 */
export function writeRecord(file: string, pid: number): ProcessRecord | null {
  const identity = identify(pid)
  if (!identity) return null
  const record = { ...identity, owner: ownIdentity() }
  const part = `${file}.${process.pid}.part`
  writeFileSync(part, JSON.stringify(record) + '\n', { mode: 0o600 })
  renameSync(part, file)
  return record
}

/** Null when the file is absent or incomplete. */
export function readRecord(file: string): ProcessRecord | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const parsed: unknown = JSON.parse(text)
  if (!isIdentity(parsed) || !('owner' in parsed) || !isIdentity(parsed.owner))
    throw new Error(`${file} is not a process record; if no process of this folder is running, remove it`)
  return { pid: parsed.pid, started: parsed.started, owner: parsed.owner }
}

export function removeRecord(file: string): void {
  rmSync(file, { force: true })
}

/**
 * Stops the recorded process if its owner has ended.
 * @throws InUse when its owner is another living process.
 */
export async function reapRecord(file: string, steps?: readonly StopStep[]): Promise<void> {
  const record = readRecord(file)
  if (!record) return
  if (isAlive(record)) {
    if (record.owner.pid !== process.pid && isAlive(record.owner)) throw new InUse(file, record.owner.pid)
    await stopProcess(record, steps)
  }
  // The next owner may have written its record in the meantime.
  if (readRecord(file)?.started === record.started) removeRecord(file)
}

export class InUse extends Error {
  constructor(
    file: string,
    readonly ownerPid: number,
  ) {
    super(`in use by process ${ownerPid} (see ${file})`)
    this.name = 'InUse'
  }
}

const isIdentity = (value: unknown): value is ProcessIdentity =>
  typeof value === 'object' &&
  value !== null &&
  'pid' in value &&
  typeof value.pid === 'number' &&
  'started' in value &&
  typeof value.started === 'string'
