/**
 * Install sessions of Android's package manager: made, written, committed, or given up. Forms: AOSP
 * `PackageManagerShellCommand` (`pm install-create`, `-write`, `-commit`, `-abandon`). Used by `packages.ts`.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Progress } from '@phonerack/shared'
import { command } from '../adb/quote.js'
import type { Transport } from '../adb/transport.js'
import { InstallFileBroken, InstallRefused, type InstallFile } from '../device/device.js'
import { commandFailed, outputOf } from '../device/run.js'
import { refusalOf } from './parse.js'

/** Bytes that are read from the disk and sent at once. */
const chunkSize = 256 * 1024

/**
 * A session that takes nothing but the package. `totalBytes`: of all its files. Returns the session's number.
 * @throws InstallRefused
 */
export async function createSession(
  transport: Transport,
  packageName: string,
  totalBytes: number,
  progress: Progress,
): Promise<number> {
  // -r: over an installed one. -t: also builds marked for tests, which a client's own often are. Never -d: a downgrade.
  const words = ['install-create', '--user', '0', '-r', '-t', '--pkg', packageName]
  const output = outputOf(await transport.shell(command('pm', ...words, '-S', String(totalBytes)), progress))
  const [, id] = /^Success: created install session \[(\d{1,10})\]/m.exec(output) ?? []
  if (id === undefined) throw new InstallRefused(refusalOf(output) ?? 'the phone did not return a session')
  return Number(id)
}

/** Gives a session up with what was written to it; one that is over is no error. */
export async function abandonSession(
  transport: Transport,
  session: number,
  progress: Progress,
): Promise<void> {
  await transport.shell(command('pm', 'install-abandon', String(session)), progress)
}

/**
 * Streams one file into the session under a name that is its own there. Its content is proven on the way.
 * @throws InstallRefused, InstallFileBroken
 */
export async function writeToSession(
  transport: Transport,
  session: number,
  name: string,
  file: InstallFile,
  progress: Progress,
): Promise<void> {
  const words = ['install-write', '-S', String(file.size), String(session), name, '-']
  const proven = proving(file)
  const output = outputOf(await transport.feed(command('pm', ...words), proven.chunks(), progress))
  const refusal = refusalOf(output)
  if (refusal !== null) throw new InstallRefused(refusal)
  if (!proven.isRight()) throw new InstallFileBroken(file.sha256)
}

function proving(file: InstallFile): { chunks: () => AsyncIterable<Uint8Array>; isRight: () => boolean } {
  const hash = createHash('sha256')
  let right = false
  return {
    async *chunks() {
      // At most what the header says: the phone counts too.
      const stream = createReadStream(file.path, { highWaterMark: chunkSize, end: file.size - 1 })
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        hash.update(chunk)
        yield chunk
      }
      right = hash.digest('hex') === file.sha256
    },
    isRight: () => right,
  }
}

/** Installs what was written. @throws InstallRefused; ApiError provider_error when the phone said neither yes nor no */
export async function commitSession(
  transport: Transport,
  session: number,
  progress: Progress,
): Promise<void> {
  const commit = command('pm', 'install-commit', String(session))
  const result = await transport.shell(commit, progress)
  const output = outputOf(result)
  const refusal = refusalOf(output)
  if (refusal === null) return
  if (/Failure \[|Exception occurred/.test(output)) throw new InstallRefused(refusal)
  throw commandFailed(commit, result)
}
