/**
 * Ends the parts that a program of this folder starts, such as a system or a browser, even after an error or
 * Ctrl-C.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { startSystem, stopSystem, type StartOptions, type System } from './system.js'

export class Parts {
  private readonly ends: (() => Promise<unknown>)[] = []
  private ending: Promise<void> | null = null
  private readonly stopping = new AbortController()

  /** @param end runs once, after the ends that were added later */
  add(end: () => Promise<unknown>): void {
    this.ends.push(end)
  }

  /** @param starting a part that is ended even if the program ends while the part still starts */
  start<T extends object>(starting: Promise<T>, end: (part: T) => Promise<unknown>): Promise<T> {
    this.add(async () => {
      const part = await starting.catch(() => null)
      if (part !== null) await end(part)
    })
    return starting
  }

  /** A system that is also stopped when its start fails or is interrupted. */
  startSystem(options: Omit<StartOptions, 'dir' | 'signal'>): Promise<System> {
    const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-e2e-'))
    const starting = startSystem({ ...options, dir, signal: this.stopping.signal })
    this.add(async () => {
      await starting.catch(() => undefined)
      await stopSystem({ dir })
    })
    return starting
  }

  /**
   * Ends all parts, each even when another part fails to end.
   * @throws AggregateError
   */
  endAll(): Promise<void> {
    return (this.ending ??= this.end())
  }

  private async end(): Promise<void> {
    this.stopping.abort()
    const errors: unknown[] = []
    for (const end of this.ends.toReversed()) await end().catch((error: unknown) => errors.push(error))
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} parts could not be ended`)
  }
}

/** Runs a program and then ends its parts, even after Ctrl-C and SIGTERM. */
export async function withParts<T>(run: (parts: Parts) => Promise<T>): Promise<T> {
  const parts = new Parts()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void parts.endAll().finally(() => process.exit(130)))
  try {
    return await run(parts)
  } finally {
    await parts.endAll()
  }
}
