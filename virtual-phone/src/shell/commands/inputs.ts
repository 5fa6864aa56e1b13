/** Reads a command's input files, or its stdin. */
import type { ByteSource } from '../../android/streams.js'
import { FsError } from '../../fs/errors.js'
import type { CommandIo } from '../command.js'
import { LineSource } from '../line-source.js'

/**
 * Passes each operand's bytes to `use`; without operands, or for `-`, the bytes of stdin. An unreadable file
 * is reported and makes the result 1.
 */
export async function eachInput(
  io: CommandIo,
  operands: readonly string[],
  use: (source: ByteSource, name: string) => Promise<void>,
): Promise<number> {
  let status = 0
  for (const name of operands.length === 0 ? ['-'] : operands) {
    if (name === '-') {
      await use(io.stdin, '-')
      continue
    }
    try {
      const reader = await io.fs.openRead(io.path(name))
      try {
        await use(reader, name)
      } finally {
        await reader.close()
      }
    } catch (error) {
      if (!(error instanceof FsError)) throw error
      await io.err(`${io.name}: ${name}: ${error.message}\n`)
      status = 1
    }
  }
  return status
}

/** Yields the lines of a source without their newlines. */
export async function* linesOf(source: ByteSource): AsyncGenerator<string> {
  const lines = new LineSource(source)
  for (let line = await lines.readLine(); line !== null; line = await lines.readLine()) {
    yield line.toString('latin1').replace(/\n$/, '')
  }
}
