/** Reads the memory of another process during some work from /proc. Linux only. Used by benches. */
import { readFile } from 'node:fs/promises'

const everyMs = 20

/** Resident bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))
  if (!match) throw new Error(`the memory of process ${pid} is unknown`)
  return Number(match[1]) * 1024
}

export interface Memory {
  before: number
  /** The highest value. */
  peak: number
  samples: number
}

/** Takes a sample every 20 ms, from before `work` until it has ended. */
export async function memoryDuring<T>(pid: number, work: () => Promise<T>): Promise<[T, Memory]> {
  const before = await residentBytes(pid)
  const memory: Memory = { before, peak: before, samples: 0 }
  const ended = new AbortController()
  const sampling = (async () => {
    while (!ended.signal.aborted) {
      memory.peak = Math.max(memory.peak, await residentBytes(pid))
      memory.samples += 1
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  })()
  try {
    return [await work(), memory]
  } finally {
    ended.abort()
    await sampling
  }
}
