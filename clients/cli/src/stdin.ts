/** Input of a command: all of stdin, a file, or its lines. */
import { readFile } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Io } from './io.js'

type Input = Pick<Io, 'stdin' | 'signal'>

/** Ctrl-C ends the read. */
const inputOf = ({ stdin, signal }: Input): Readable => addAbortSignal(signal, stdin)

export async function readAll(io: Input): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of inputOf(io)) chunks.push(Buffer.from(chunk as Uint8Array | string))
  return Buffer.concat(chunks)
}

/** `-` is stdin, `@file` a file; all else is the text itself. */
export async function readGiven(given: string, io: Input): Promise<Buffer> {
  if (given === '-') return readAll(io)
  return given.startsWith('@') ? readFile(given.slice(1)) : Buffer.from(given, 'utf8')
}

/**
 * Yields each line as soon as it arrives. The `readline` of Node.js waits forever for a stream that closes without an
 * end.
 */
export async function* linesOf(io: Input): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  for await (const chunk of inputOf(io)) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk as Buffer)
    if (!text.includes('\n')) {
      rest += text
      continue
    }
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  rest += decoder.end()
  if (rest !== '') yield rest.replace(/\r$/, '')
}
