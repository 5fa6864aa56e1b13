/**
 * The mark by which an agent recognises a phone: an empty file with a random name in
 * the agent's folder. A data wipe removes it. Used by `phone-tie.ts`.
 */
import { randomBytes } from 'node:crypto'
import type { Progress } from '@phonerack/shared'
import { command, sequence } from '../../adb/quote.js'
import type { Transport } from '../../adb/transport.js'
import { phoneFolder } from '../../adb/device/phone-folder.js'
import { run } from '../../adb/device/run.js'
import type { PhoneTraits } from './same-phone.js'

export const newMark = (): string => `phone-${randomBytes(16).toString('hex')}`

const parent = phoneFolder.slice(0, phoneFolder.lastIndexOf('/'))

/**
 * Lists the marks. The last command fails when the parent folder is unreadable, which distinguishes a failed read from
 * a phone without a mark.
 */
const readAll = sequence(
  command('cat', '/proc/sys/kernel/random/boot_id'),
  command('ls', '-A', phoneFolder),
  command('ls', '-A', parent),
)

/** @throws ApiError provider_error when the phone does not list its folders */
export async function readTraits(transport: Transport, progress: Progress): Promise<PhoneTraits> {
  const lines = (await run(transport, readAll, progress)).split(/\s+/)
  return {
    bootId: lines.find((line) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(line)) ?? null,
    marks: lines.filter((line) => /^phone-[\da-f]{32}$/.test(line)),
  }
}

/** Replaces existing marks. */
export async function writeMark(
  transport: Transport,
  mark: string,
  older: readonly string[],
  progress: Progress,
): Promise<void> {
  const path = (name: string) => `${phoneFolder}/${name}`
  await run(
    transport,
    sequence(
      command('mkdir', '-p', phoneFolder),
      command('rm', '-f', ...older.map(path), path('phone-old')),
      command('touch', path(mark)),
    ),
    progress,
  )
}
