/** The last line of a program's output, which can arrive in several chunks. Used for the reason of its end. */

/** Characters that are kept. */
const kept = 4000

export interface LastLine {
  readonly add: (chunk: Buffer) => void
  /** The last line that is not empty; '' without output. */
  readonly text: string
}

export function createLastLine(): LastLine {
  let output = ''
  return {
    add(chunk) {
      output = (output + chunk.toString('utf8')).slice(-kept)
    },
    get text() {
      return output.trimEnd().split('\n').at(-1)?.trim() ?? ''
    },
  }
}
