/** Prints like the scrcpy server (`Ln`): info and lower levels to stdout, warnings and errors to stderr. */
import { type ByteSink } from '../android/streams.js'
import { LOG_LEVELS, type LogLevel } from './options.js'

export class ServerLog {
  private tail: Promise<void> = Promise.resolve()
  private failed: unknown = null

  constructor(
    private readonly stdout: ByteSink,
    private readonly stderr: ByteSink,
    public threshold: LogLevel = 'info',
  ) {}

  print(level: LogLevel, text: string): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.threshold)) return
    const sink = level === 'warn' || level === 'error' ? this.stderr : this.stdout
    const line = Buffer.from(`[server] ${level.toUpperCase()}: ${text}\n`, 'utf8')
    // A server whose output is not read continues; `flushed` returns the failure.
    this.tail = this.tail
      .then(() => sink.write(line))
      .catch((error: unknown) => {
        this.failed = error
      })
  }

  /** Resolves when everything was printed, with the error that prevented a line, or null. */
  async flushed(): Promise<unknown> {
    await this.tail
    return this.failed
  }
}
