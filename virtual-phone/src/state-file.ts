/**
 * A JSON file of the phone's data folder. It is read at start, and written a moment after a change,
 * completely or not at all (a new file replaces the old file). Used by `phone.ts`.
 */
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'

/** Milliseconds for which changes are collected before they are written. */
const debounceMs = 200

export class StateFile<T> {
  private timer: NodeJS.Timeout | null = null
  private writing: Promise<void> = Promise.resolve()

  constructor(
    private readonly path: string,
    private readonly collect: () => T,
    private readonly onFault: (error: unknown) => void,
  ) {}

  /**
   * Null when the file does not exist yet.
   * @throws when the file cannot be read: it is then not overwritten
   */
  static read(path: string): unknown {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as unknown
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw error
    }
  }

  /** Must be called after a change. */
  touch(): void {
    if (this.timer !== null) return
    this.timer = setTimeout(() => {
      this.timer = null
      this.write().catch(this.onFault)
    }, debounceMs)
  }

  /** Writes pending changes, and waits for the write. */
  async flush(): Promise<void> {
    if (this.timer !== null) {
      clearTimeout(this.timer)
      this.timer = null
      await this.write()
    }
    await this.writing
  }

  private write(): Promise<void> {
    const written = this.writing.then(async () => {
      const temporary = `${this.path}.new`
      await writeFile(temporary, JSON.stringify(this.collect()))
      await rename(temporary, this.path)
    })
    this.writing = written.catch(() => undefined)
    return written
  }
}
