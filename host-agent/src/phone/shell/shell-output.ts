/** Collects the output of a shell command within the limits of the API. Used by `tenant-shell.ts`. */
import { limits } from '@phonerack/shared'
import { GrowingBuffer } from '../../adb/growing-buffer.js'
import { later } from '../../base/later.js'

export type Stream = 'stdout' | 'stderr'

export interface Output {
  add(stream: Stream, data: Buffer): void
  /** Bytes that the command printed on both streams. */
  readonly printed: number
  /** The process ID of the command, which is the first line of stdout; null when it did not arrive. */
  readonly pid: number | null
  /** Resolves when the first line of stdout has arrived. */
  readonly begun: Promise<null>
  /** @param most bytes of both texts as JSON */
  texts(most: number): { stdout: string; stderr: string; truncated: boolean }
}

/** Digits of a process ID, and the end of its line. */
const longestPid = 12

export function createOutput(): Output {
  const kept: Record<Stream, GrowingBuffer> = { stdout: new GrowingBuffer(), stderr: new GrowingBuffer() }
  let printed = 0
  let first = Buffer.alloc(0)
  let pid: number | null = null
  const begun = later<null>()

  /** Returns the bytes after the line of the process ID. */
  const withoutPid = (data: Buffer): Buffer => {
    if (pid !== null) return data
    first = Buffer.concat([first, data])
    const end = first.indexOf('\n')
    if (end < 0 && first.length <= longestPid) return Buffer.alloc(0)
    // NaN when the phone prints something else.
    pid = Number(first.subarray(0, Math.max(0, end)).toString('latin1').trim() || NaN)
    begun.resolve(null)
    return first.subarray(end + 1)
  }

  const decode = (stream: Stream, isCut: boolean): string =>
    // The end of a cut text may be a part of a character.
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept[stream].whole(), { stream: isCut })

  return {
    add(stream, data) {
      const bytes = stream === 'stdout' ? withoutPid(data) : data
      const room = Math.max(0, limits.shell.output - printed)
      kept[stream].add(bytes.subarray(0, room))
      printed += bytes.length
    },
    get printed() {
      return printed
    },
    get pid() {
      return pid !== null && Number.isSafeInteger(pid) && pid > 1 ? pid : null
    },
    begun: begun.promise,
    texts(most) {
      const isCut = printed > limits.shell.output
      const [stdout, stderr] = [decode('stdout', isCut), decode('stderr', isCut)]
      const [out, err] = [cutTo(stdout, most), cutTo(stderr, Math.max(0, most - jsonBytes(stdout)))]
      return { stdout: out, stderr: err, truncated: isCut || out !== stdout || err !== stderr }
    },
  }
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** Cuts the text to the longest start that fits. Reads each character at most twice, since a tenant chooses the text. */
function cutTo(text: string, most: number): string {
  if (jsonBytes(text) <= most) return text
  // An empty text has two quotes in JSON.
  let bytes = 2
  let end = 0
  for (const character of text) {
    bytes += jsonBytesOf(character)
    if (bytes > most) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Returns the bytes of a character in JSON as UTF-8. Source: `QuoteJSONString` of ECMAScript. */
function jsonBytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return '\b\t\n\f\r'.includes(character) ? 2 : 6
  if (code < 0x80) return character === '"' || character === '\\' ? 2 : 1
  if (code < 0x800) return 2
  if (code >= 0xd800 && code <= 0xdfff) return 6
  return code < 0x10000 ? 3 : 4
}
