/**
 * Keeps the last line of a program's output, which can arrive in several chunks. Used for the reason of the
 * program's end.
 */

/** The number of bytes that are kept. */
const kept = 4000

interface LastLine {
  readonly add: (chunk: Buffer) => void
  /** The last line that is not empty; '' without output. */
  readonly text: string
}

export function createLastLine(): LastLine {
  // Bytes are kept and not characters, since a chunk can end within a character.
  let output = Buffer.alloc(0)
  return {
    add(chunk) {
      output = Buffer.concat([output, chunk]).subarray(-kept)
    },
    get text() {
      return output.toString('utf8').trimEnd().split('\n').at(-1)?.trim() ?? ''
    },
  }
}
