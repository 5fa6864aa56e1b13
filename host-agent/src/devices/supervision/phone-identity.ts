/**
 * The identity of a phone: a private key in a file that only the phone's shell user can read. It shows the control plane that
 * a phone at another host or serial is the same phone. A data wipe removes it. Used by `phone-tie.ts`. docs/decisions/0223
 */
import { Readable } from 'node:stream'
import { ApiError, seedPattern, type Progress } from '@phonerack/shared'
import { command, into, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { phoneFolder } from '../../adb/device/phone-folder.js'
import { outputOf } from '../../adb/device/run.js'

export const identityFile = `${phoneFolder}/identity`
const draft = `${identityFile}.new`

/**
 * Returns the private key; null when the phone has no identity.
 * @throws ApiError provider_error when the phone does not answer. The error does not contain the output, which may
 * include the key
 */
export async function readSeed(transport: Transport, progress: Progress): Promise<string | null> {
  const result = await transport.shell(command('cat', identityFile), progress)
  const text = result.stdout.toString('utf8').trim()
  if (result.exitCode === 0) return seedPattern.test(text) ? text : null
  if (outputOf(result).includes('No such file')) return null
  throw new ApiError('provider_error', {
    message: `The identity of the phone could not be read (exit code ${result.exitCode}).`,
  })
}

/**
 * Replaces the private key, which is sent as input, so that no list of processes and no log of the phone shows it. @throws
 * ApiError provider_error when the phone did not store it
 */
export async function writeSeed(transport: Transport, seed: string, progress: Progress): Promise<void> {
  const write = sequence(
    command('rm', '-f', draft),
    command('touch', draft),
    // The mode is set before the file contains the key, because a phone's shell lets apps read new files by default.
    command('chmod', '600', draft),
    into(draft, command('cat')),
    command('mv', '-f', draft, identityFile),
    command('ls', '-l', identityFile),
  )
  const { exitCode, stdout } = await transport.feed(write, Readable.from([Buffer.from(seed)]), progress)
  const isPrivate = stdout.toString('utf8').startsWith('-rw------- ')
  if (exitCode === 0 && isPrivate && (await readSeed(transport, progress)) === seed) return
  throw new ApiError('provider_error', {
    message: `The phone did not store its new identity (exit code ${exitCode}, ${isPrivate ? 'private' : 'not private'}).`,
  })
}
