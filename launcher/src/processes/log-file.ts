/** Bounded log files that the programs themselves append to. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs'

const maxBytes = 10 << 20

/** The file is opened for appending, so that it can be truncated while the program writes. */
export const openLog = (file: string): number => openSync(file, 'a', 0o600)

/** Moves the content to `FILE.1` when it exceeds 10 MB. Must be called periodically. */
export function boundLog(file: string): void {
  if (!existsSync(file) || statSync(file).size < maxBytes) return
  copyFileSync(file, `${file}.1`)
  truncateSync(file, 0)
}

/** Up to `count` last lines of a log, from its last 16 KB. */
export function tailLog(file: string, count = 20): string[] {
  if (!existsSync(file)) return []
  const descriptor = openSync(file, 'r')
  try {
    const size = fstatSync(descriptor).size
    const bytes = Buffer.alloc(Math.min(size, 16 << 10))
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8').trimEnd().split('\n').slice(-count)
  } finally {
    closeSync(descriptor)
  }
}
