/** Writes one answer to stdout, and notes and progress to stderr. */
import { styleText } from 'node:util'
import type { Io } from './io.js'
import { isUtf8 } from 'node:buffer'
import { plain, plainJson, plainLines } from '@phonerack/shared/plain'
import { plainPainted } from './painted.js'
import { UsageError } from './usage-error.js'

export type Color = 'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold'

export class Output {
  constructor(
    private readonly io: Io,
    readonly json: boolean,
    readonly quiet: boolean,
  ) {}

  /**
   * The answer: the object of the API with `--json`, else the text.
   * @param quietText with `--quiet`, such as an id; the default is nothing
   */
  async answer(object: unknown, text: string, quietText = ''): Promise<void> {
    if (this.json) return this.io.out(`${plainJson(JSON.stringify(object))}\n`)
    // Ids and links come from the server, so they are made safe too.
    const shown = this.quiet ? plainLines(quietText) : plainPainted(text)
    if (shown !== '') await this.io.out(`${shown}\n`)
  }

  /** Prints a note for people on stderr. */
  async note(text: string): Promise<void> {
    if (!this.json && !this.quiet) await this.io.err(`${plainPainted(text)}\n`)
  }

  /** An important message, such as a code or a link; `--quiet` does not hide it. On stderr, as JSON with `--json`. */
  async notice(object: unknown, text: string): Promise<void> {
    await this.io.err(`${this.json ? plainJson(JSON.stringify(object)) : plainPainted(text)}\n`)
  }

  /**
   * Writes a file of a phone or the service unchanged to stdout. @throws UsageError on a terminal, unless it is text
   */
  async bytes(content: Uint8Array): Promise<void> {
    if (!this.io.isTerminal.out) return this.io.out(content)
    if (!isUtf8(content) || content.includes(0)) throw bytesError()
    await this.io.out(plainLines(Buffer.from(content).toString('utf8')))
  }

  /** Colors on stdout. */
  paint = (color: Color, text: string): string => this.painted(this.io.isTerminal.out, color, text)
  paintErr = (color: Color, text: string): string => this.painted(this.io.isTerminal.err, color, text)

  private painted(isTerminal: boolean, color: Color, text: string): string {
    const isOff = !isTerminal || (this.io.env['NO_COLOR'] ?? '') !== '' || this.io.env['TERM'] === 'dumb'
    return isOff ? text : styleText(color, text, { validateStream: false })
  }

  /** Shows a line while the work runs, on a terminal only. The work may change the label. */
  async during<T>(label: string, work: (progress: Progress) => Promise<T>): Promise<T> {
    const isShown = this.io.isTerminal.err && !this.json && !this.quiet
    const progress = new Progress(this.io, label, isShown)
    try {
      return await work(progress)
    } finally {
      await progress.end()
    }
  }
}

export const bytesError = (): UsageError =>
  new UsageError('The file is not text, and stdout is a terminal.', 'Write it to a file: > file')

/** Milliseconds between two draws. */
const drawMs = 250

export class Progress {
  private readonly since: number
  private timer: NodeJS.Timeout | undefined
  private fraction: number | null = null

  constructor(
    private readonly io: Io,
    private label: string,
    private readonly isShown: boolean,
  ) {
    this.since = io.now()
    if (isShown) this.timer = setInterval(() => this.draw(), drawMs)
  }

  update(label: string, fraction: number | null = null): void {
    ;[this.label, this.fraction] = [label, fraction]
    if (this.isShown) this.draw()
  }

  private draw(): void {
    const seconds = Math.floor((this.io.now() - this.since) / 1000)
    void this.io.err(`\r\u001b[K${plain(this.label)} ${barOf(this.fraction)}${seconds} s`)
  }

  async end(): Promise<void> {
    clearInterval(this.timer)
    this.timer = undefined
    if (this.isShown) await this.io.err('\r\u001b[K')
  }
}

/** `[######----]  60 % `; nothing without a fraction. */
function barOf(fraction: number | null): string {
  if (fraction === null) return ''
  const done = Math.round(Math.min(1, Math.max(0, fraction)) * 20)
  return `[${'#'.repeat(done)}${'-'.repeat(20 - done)}] ${String(done * 5).padStart(3)} % `
}
