/** The parts of the process that commands use. Tests pass a replacement. */
import { once } from 'node:events'
import { homedir, hostname } from 'node:os'
import process from 'node:process'
import type { Readable } from 'node:stream'
import { isatty } from 'node:tty'
import { Cancelled } from './usage-error.js'

export interface Io {
  stdin: Readable
  /** `out` and `err` resolve when the stream has taken the text. */
  out: (chunk: string | Uint8Array) => Promise<void>
  err: (text: string) => Promise<void>
  isTerminal: { in: boolean; out: boolean; err: boolean }
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  home: string
  hostname: string
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  now: () => number
  /** Asks on the terminal. Set only in the prompt, which already reads from the terminal. */
  ask?: (question: string) => Promise<string>
}

export function processIo(): Io {
  const stop = new AbortController()
  process.on('SIGINT', () => {
    // A second Ctrl-C ends the process immediately.
    if (stop.signal.aborted) process.exit(130)
    stop.abort(new Cancelled('Interrupted.', true))
  })
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader has closed the pipe: `phonerack … | head -1`.
      if (error.code === 'EPIPE') process.exit(0)
      throw error
    })
  return {
    stdin: process.stdin,
    out: (chunk) => written(process.stdout, chunk),
    err: (text) => written(process.stderr, text),
    isTerminal: { in: isatty(0), out: isatty(1), err: isatty(2) },
    env: process.env,
    platform: process.platform,
    home: homedir(),
    hostname: hostname(),
    signal: stop.signal,
    now: Date.now,
  }
}

async function written(stream: NodeJS.WriteStream, chunk: string | Uint8Array): Promise<void> {
  if (!stream.write(chunk)) await once(stream, 'drain')
}
