/**
 * A file that says which process serves a data directory and who started it,
 * so that after a killed parent the next start ends exactly that process.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { identify, isAlive, ownIdentity, type ProcessIdentity } from './identity.js'
import { stopProcess, type StopStep } from './stop.js'

export interface ProcessRecord extends ProcessIdentity {
  owner: ProcessIdentity
}

/** Names the living process `pid` as started by this one. Null when it has already ended. */
export function writeRecord(file: string, pid: number): ProcessRecord | null {
  const identity = identify(pid)
  if (!identity) return null
  const record = { ...identity, owner: ownIdentity() }
  const part = `${file}.${process.pid}.part`
  writeFileSync(part, JSON.stringify(record) + '\n', { mode: 0o600 })
  renameSync(part, file)
  return record
}

/** Null when there is none, or when it was cut off while being written. */
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
 * Ends the recorded process when whoever started it is gone.
 * @throws InUse when its owner lives and is another process.
 */
export async function reapRecord(file: string, steps?: readonly StopStep[]): Promise<void> {
  const record = readRecord(file)
  if (!record) return
  if (isAlive(record)) {
    if (record.owner.pid !== process.pid && isAlive(record.owner)) throw new InUse(file, record.owner.pid)
    await stopProcess(record, steps)
  }
  // Unless the next owner has written its own meanwhile.
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
