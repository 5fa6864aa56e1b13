/** Collects the output of a shell command within the limits of the API. Used by `tenant-shell.ts`. */
import { limits } from '@phonerack/shared'
import { GrowingBuffer } from '../../adb/growing-buffer.js'

export type Stream = 'stdout' | 'stderr'

export interface Output {
  add(stream: Stream, data: Buffer): void
  /** Bytes that the command printed on both streams. */
  readonly printed: number
  /** The process ID of the command, which is the first line of stdout; null when it did not arrive. */
  readonly pid: number | null
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

  /** Returns the bytes after the line of the process ID. */
  const withoutPid = (data: Buffer): Buffer => {
    if (pid !== null) return data
    first = Buffer.concat([first, data])
    const end = first.indexOf('\n')
    if (end < 0 && first.length <= longestPid) return Buffer.alloc(0)
    // NaN when the phone prints something else.
    pid = Number(first.subarray(0, Math.max(0, end)).toString('latin1').trim() || NaN)
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
    texts(most) {
      const isCut = printed > limits.shell.output
      const [stdout, stderr] = [decode('stdout', isCut), decode('stderr', isCut)]
      const [out, err] = [cutTo(stdout, most), cutTo(stderr, Math.max(0, most - jsonBytes(stdout)))]
      return { stdout: out, stderr: err, truncated: isCut || out !== stdout || err !== stderr }
    },
  }
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

function cutTo(text: string, most: number): string {
  // An empty text has two quotes in JSON.
  let kept = most <= 2 ? '' : text
  for (let size = jsonBytes(kept); size > most && kept !== ''; size = jsonBytes(kept))
    kept = kept.slice(0, Math.min(kept.length - 1, Math.floor((kept.length * most) / size)))
  // The cut may have divided a character.
  return kept.replace(/[\uD800-\uDBFF]$/, '')
}
