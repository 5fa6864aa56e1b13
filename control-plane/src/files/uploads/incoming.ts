/** Receives a file: counts and hashes its bytes, limits its size and time, and never holds the file in memory. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ApiError, DeadlineExceeded, type Progress } from '@phonerack/shared'

/** An oversized file is read up to this multiple of the limit, so that the sender can receive the response. */
const patience = 2

export interface Arrival {
  sizeBytes: number
  /** Null for an oversized file. */
  sha256: string | null
}

/** The sender disconnected before the end of the file. Nothing was stored. */
class CutOff extends Error {}

class TooLarge extends Error {}

/**
 * Reads `source` to its end and passes it to `keep`. Keeps nothing of a file over `limit`. @throws CutOff,
 * DeadlineExceeded; any error of `keep`
 */
export async function takeIn(
  source: Readable,
  limit: number,
  progress: Progress,
  keep: (file: Readable) => Promise<void>,
): Promise<Arrival> {
  const chunks = chunksOf(source, progress)
  const hash = createHash('sha256')
  let sizeBytes = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length
      if (sizeBytes > limit) throw new TooLarge()
      hash.update(chunk)
      yield chunk
    }
  }
  try {
    await keep(Readable.from(counted(), { objectMode: false }))
    return { sizeBytes, sha256: hash.digest('hex') }
  } catch (error) {
    const reason = deepest(error)
    if (reason instanceof TooLarge)
      return { sizeBytes: sizeBytes + (await discard(chunks, limit)), sha256: null }
    throw reason instanceof CutOff || reason instanceof DeadlineExceeded ? reason : error
  }
}

/** The `keep` of a file that must not be stored. */
export async function throwAway(file: Readable): Promise<void> {
  await finished(file.resume())
}

/**
 * Iterates over a stream's chunks. The wait for each chunk ends with `progress`. Ending the iteration leaves the stream
 * open.
 */
function chunksOf(source: Readable, progress: Progress): AsyncIterableIterator<Buffer> {
  const inner = source.iterator({ destroyOnReturn: false })
  return {
    async next() {
      try {
        return (await progress.race('the file', () => inner.next())) as IteratorResult<Buffer>
      } catch (error) {
        throw error instanceof DeadlineExceeded
          ? error
          : new CutOff('the file was truncated', { cause: error })
      }
    },
    // A later iteration continues where this iteration ended.
    return: () => Promise.resolve({ done: true, value: undefined }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Reads and discards the rest of the file. Returns the number of its bytes. */
async function discard(chunks: AsyncIterableIterator<Buffer>, limit: number): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > (patience - 1) * limit) break
  }
  return bytes
}

/** Finds the original error, which flydrive wraps. */
function deepest(error: unknown): unknown {
  let each = error
  while (each instanceof Error && each.cause instanceof Error && !(each instanceof CutOff)) each = each.cause
  return each
}

const refusedFile = (message: string, code: string): ApiError =>
  new ApiError('validation_failed', {
    message: `The file was rejected: ${message}.`,
    next: 'Send the whole file to the same URL again.',
    details: { validation_stage: 'body', issues: [{ path: [], message, code }] },
  })

/** Converts an error that the sender caused; other errors pass unchanged. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof CutOff)
    return refusedFile('the connection ended before the whole file arrived', 'cut_off')
  if (error instanceof DeadlineExceeded)
    return refusedFile('the whole file did not arrive within 2 minutes', 'timeout')
  return error
}
