/**
 * Decides whether this machine can take new work: enough free space, a data folder that can be written, running adb
 * servers. A host that cannot take work reports this in its heartbeats, and refuses calls that need the disk. The state
 * ends without an operator. docs/decisions/0217. Created by `agent.ts`.
 */
import { rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DeadlineExceeded, Progress, type HostRefusal, type Logger } from '@phonerack/shared'
import { ownFaultOf } from '../../base/own-fault.js'

/** The result of one check of the machine. */
export interface Reading {
  /** Bytes that the agent can use; null when unknown. */
  freeBytes: number | null
  /** Files that can be created; null when unlimited or unknown. */
  freeFiles: number | null
  /** The error of a small write to the data folder, or `DeadlineExceeded`; null when the write succeeded. */
  writeError: unknown
  /** The reason for which no adb server runs; null when a server runs. */
  adbTrouble: string | null
}

type DiskReading = Omit<Reading, 'adbTrouble'>

export interface Needs {
  dataDir: string
  /** Bytes. */
  minFree: number
}

/** Files that the agent needs. */
const minFiles = 200
/** A refusal ends when this factor of `minFree` is free, so that the host does not switch back and forth. */
const margin = 1.1

/** Returns the free bytes from which a host takes work again. */
export const enoughFree = (minFree: number): number => Math.ceil(minFree * margin)

/** Returns the bytes that this process can still write to the disk of `dir`; null when unknown. */
export async function freeBytesOf(dir: string): Promise<number | null> {
  const disk = await statfs(dir).catch(() => null)
  return disk === null ? null : disk.bavail * disk.bsize
}

/** Decides whether the host refuses work. Pure. `before`: the present refusal. */
export function judge(
  reading: Reading,
  { dataDir, minFree }: Needs,
  before: HostRefusal | null,
): HostRefusal | null {
  const { freeBytes, freeFiles, writeError, adbTrouble } = reading
  const wasFull = before?.kind === 'disk_full'
  const needed = wasFull ? enoughFree(minFree) : minFree
  const recovers = 'The host takes work again by itself.'
  if (freeBytes !== null && freeBytes < needed)
    return {
      kind: 'disk_full',
      reason: `The disk of ${dataDir} has ${megabytes(freeBytes)} free, and the agent needs ${megabytes(minFree)} (\`min_free_bytes\`). Delete files on this disk. ${recovers}`,
    }
  if (freeFiles !== null && freeFiles < minFiles)
    return {
      kind: 'disk_full',
      reason: `The disk of ${dataDir} has room for only ${freeFiles} more files. Delete files on this disk. ${recovers}`,
    }
  if (writeError instanceof DeadlineExceeded)
    return {
      kind: 'own_fault',
      reason: `The disk of ${dataDir} does not answer. Check the disk and its connection. ${recovers}`,
    }
  if (writeError !== null) {
    const code = codeOf(writeError)
    return ownFaultOf(writeError) === 'disk_full'
      ? {
          kind: 'disk_full',
          reason: `The agent cannot write to ${dataDir} (${code}): the disk or its quota is full. Delete files on this disk. ${recovers}`,
        }
      : {
          kind: 'own_fault',
          reason: `The agent cannot write to ${dataDir} (${code}). Check the rights of the folder, its disk and the limit of open files (\`LimitNOFILE\`). ${recovers}`,
        }
  }
  if (adbTrouble !== null)
    return {
      kind: 'own_fault',
      reason:
        `No adb server runs: ${adbTrouble}. Check \`adb_bin\`, or run \`phonerack-agent doctor\`. ${recovers}`.slice(
          0,
          2000,
        ),
    }
  return null
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1e6)} MB`

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'

export interface Fitness {
  /** Null when the host takes work. */
  readonly refusal: HostRefusal | null
  /** Checks the machine now. Must be called after a fault of the machine. */
  suspect(): void
  stop(): Promise<void>
}

interface FitnessParts extends Needs {
  adbTrouble: () => string | null
  /** Called after each check that finds the disk full, to free space. Must not throw. */
  onFull: () => void
  /** Called after each change of the refusal. */
  onChange: () => void
  log: Logger
  /** For tests. Milliseconds between two checks, and the check itself. */
  everyMs?: number
  look?: (dataDir: string) => Promise<DiskReading>
  /** Milliseconds for one check. */
  lookMs?: number
}

const everyMs = 5000
/** A disk that does not answer within this time counts as a fault of the machine. */
const lookMs = 5000
/** The number of checks without any adb server before the host refuses work, because servers restart within seconds. */
const adbLooks = 2

/** Checks the machine once before it returns. */
export async function watchFitness(parts: FitnessParts): Promise<Fitness> {
  const { dataDir, minFree, log, look = lookAtDisk } = parts
  let refusal: HostRefusal | null = null
  let withoutAdb = 0
  let running: Promise<void> | null = null
  const stopping = new AbortController()
  let looking: Promise<DiskReading> | null = null

  /** Never starts a second check while one hangs, because each check occupies a thread of Node.js. */
  async function lookInTime(): Promise<DiskReading> {
    const pending = (looking ??= look(dataDir).finally(() => (looking = null)))
    try {
      return await Progress.for(parts.lookMs ?? lookMs, stopping.signal).race('the disk', () => pending)
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error
      return { freeBytes: null, freeFiles: null, writeError: error }
    }
  }

  async function check(): Promise<void> {
    const disk = await lookInTime()
    if (stopping.signal.aborted) return
    const trouble = parts.adbTrouble()
    withoutAdb = trouble === null ? 0 : withoutAdb + 1
    const adbTrouble = withoutAdb >= adbLooks ? trouble : null
    const before = refusal
    refusal = judge({ ...disk, adbTrouble }, { dataDir, minFree }, before)
    if (refusal?.kind === 'disk_full') parts.onFull()
    if (refusal?.kind === before?.kind) return
    if (refusal === null) log.info('the host takes new work again')
    else log.error({ refusal }, 'the host takes no new work')
    parts.onChange()
  }
  const checkOnce = (): Promise<void> => (running ??= check().finally(() => (running = null)))
  await checkOnce()
  // `check` rejects only on a bug, which ends the agent.
  const timer = setInterval(() => void checkOnce(), parts.everyMs ?? everyMs)
  return {
    get refusal() {
      return refusal
    },
    suspect() {
      if (!stopping.signal.aborted) void checkOnce()
    },
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await running
    },
  }
}

/** The size of the file that each check writes: one block, so that a full disk refuses it. */
const probe = Buffer.alloc(4096)

async function lookAtDisk(dataDir: string): Promise<DiskReading> {
  const disk = await statfs(dataDir).catch(() => null)
  const writeError = await tryToWrite(join(dataDir, 'write-check'))
  return {
    freeBytes: disk === null ? null : disk.bavail * disk.bsize,
    // Some file systems have no limit, and report 0 of 0.
    freeFiles: disk === null || disk.files === 0 ? null : disk.ffree,
    writeError,
  }
}

/**
 * Returns the error of the write; null when the write succeeded. The earlier file stays until the new file is written,
 * so that other programs do not take its space on a full disk.
 */
async function tryToWrite(file: string): Promise<unknown> {
  const beside = `${file}.new`
  try {
    await writeFile(beside, probe, { mode: 0o600 })
    await rename(beside, file)
    return null
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined)
    return error
  }
}
