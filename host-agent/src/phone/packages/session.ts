/**
 * Install sessions of Android's package manager: create, write, commit, abandon.
 * Forms: AOSP `PackageManagerShellCommand` (`pm install-create`, `-write`,
 * `-commit`, `-abandon`). Used by `packages.ts`.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Progress } from '@phonerack/shared'
import { command } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { InstallFileBroken, InstallRefused, type InstallFile } from '../../adb/device/device.js'
import { commandFailed, outputOf } from '../../adb/device/run.js'
import { refusalOf } from './parse.js'

/** Bytes per read from the disk. */
const chunkSize = 256 * 1024

/**
 * Creates a session that accepts only this package. `totalBytes`: size of all its files
 * together. Returns the session's number.
 * @throws InstallRefused
 */
export async function createSession(
  transport: Transport,
  packageName: string,
  totalBytes: number,
  progress: Progress,
): Promise<number> {
  // -r: replaces an installed app. -t: accepts test builds, which clients often use. Never -d, which allows a
  // downgrade.
  const words = ['install-create', '--user', '0', '-r', '-t', '--pkg', packageName]
  const output = outputOf(await transport.shell(command('pm', ...words, '-S', String(totalBytes)), progress))
  const [, id] = /^Success: created install session \[(\d{1,10})\]/m.exec(output) ?? []
  if (id === undefined) throw new InstallRefused(refusalOf(output) ?? 'the phone did not return a session')
  return Number(id)
}

/** Abandons a session and deletes its files. A session that has ended is not an error. */
export async function abandonSession(
  transport: Transport,
  session: number,
  progress: Progress,
): Promise<void> {
  await transport.shell(command('pm', 'install-abandon', String(session)), progress)
}

/**
 * Streams one file into the session under a name that is unique there. Verifies its
 * content while sending.
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
  const content = verifying(file)
  const output = outputOf(await transport.feed(command('pm', ...words), content.chunks(), progress))
  const refusal = refusalOf(output)
  if (refusal !== null) throw new InstallRefused(refusal)
  if (!content.matches()) throw new InstallFileBroken(file.sha256)
}

function verifying(file: InstallFile): { chunks: () => AsyncIterable<Uint8Array>; matches: () => boolean } {
  const hash = createHash('sha256')
  let matched = false
  return {
    async *chunks() {
      // The stream ends at the declared size, after which the phone stops reading.
      const stream = createReadStream(file.path, { highWaterMark: chunkSize, end: file.size - 1 })
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        hash.update(chunk)
        yield chunk
      }
      matched = hash.digest('hex') === file.sha256
    },
    matches: () => matched,
  }
}

/**
 * Commits the session. @throws InstallRefused; ApiError provider_error when the phone
 * reported neither success nor failure
 */
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
