/**
 * The line discipline of a terminal (`adb shell` with a PTY): echoes input and delivers it by line; a newline
 * on output becomes CR LF. Used by `shell-service.ts`.
 */
import { type ByteSink, type ByteSource } from '../android/streams.js'

const erase = 0x7f
const backspace = 0x08
const interrupt = 0x03
const endOfFile = 0x04
/** The largest number of lines that wait for a reader. */
const mostLines = 4096

export class Terminal {
  /** The input of the program on the terminal. */
  readonly input: ByteSource & { end(): void }
  /** The output of the program. */
  readonly output: ByteSink
  private readonly lines = new LineInput()
  private line: number[] = []

  constructor(
    private readonly screen: ByteSink,
    private readonly onInterrupt: () => void,
  ) {
    this.input = this.lines
    this.output = { write: (chunk) => screen.write(newlinesToCrLf(chunk)) }
  }

  /** Handles keys that the person types. */
  async type(chunk: Buffer): Promise<void> {
    for (const byte of chunk) await this.typeByte(byte)
  }

  private async typeByte(byte: number): Promise<void> {
    if (byte === interrupt) {
      this.line = []
      await this.screen.write(Buffer.from('^C\r\n'))
      this.onInterrupt()
    } else if (byte === endOfFile) {
      if (this.line.length === 0) this.lines.endOfFile()
      else this.giveLine()
    } else if (byte === erase || byte === backspace) {
      if (this.line.pop() !== undefined) await this.screen.write(Buffer.from('\b \b'))
    } else if (byte === 13 || byte === 10) {
      await this.screen.write(Buffer.from('\r\n'))
      this.line.push(10)
      this.giveLine()
    } else {
      this.line.push(byte)
      await this.screen.write(Buffer.from([byte]))
    }
  }

  private giveLine(): void {
    const line = Buffer.from(this.line)
    this.line = []
    this.lines.give(line)
  }
}

/**
 * Lines for the terminal's reader. ^D on an empty line ends one read (`cat` stops), and the next reader gets
 * the next line. Only `end` is final, which runs when the host disconnects.
 */
class LineInput implements ByteSource {
  private readonly waiting: (Buffer | null)[] = []
  private ended = false
  private wake: (() => void) | null = null

  give(line: Buffer): void {
    if (line.length > 0) this.add(line)
  }

  endOfFile(): void {
    this.add(null)
  }

  end(): void {
    this.ended = true
    this.wake?.()
  }

  async read(): Promise<Buffer | null> {
    for (;;) {
      const next = this.waiting.shift()
      if (next !== undefined) return next
      if (this.ended) return null
      await new Promise<void>((resolve) => (this.wake = resolve))
      this.wake = null
    }
  }

  private add(line: Buffer | null): void {
    // Unread input, which a terminal handles in this way.
    if (this.waiting.length >= mostLines) return
    this.waiting.push(line)
    this.wake?.()
  }
}

function newlinesToCrLf(chunk: Buffer): Buffer {
  return Buffer.from(chunk.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')
}
