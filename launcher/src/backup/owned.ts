/** Opens files of users that a backup does not trust: once, without following links or waiting for a pipe. */
import { closeSync } from 'node:fs'
import { openRegular } from '../postgres/regular.js'
import { Refusal } from './refusal.js'

/**
 * A descriptor that the caller closes; null: the file does not exist. @param uid the file's owner; another
 * owner means that the path led elsewhere
 * @throws Refusal
 */
export function openOwned(file: string, uid: number): number | null {
  const opened = openRegular(file)
  if (opened === 'absent') return null
  if (opened === 'irregular')
    throw new Refusal(`${file} is a link, a pipe or a device, which cannot be copied: remove it`)
  if (opened.uid === uid) return opened.fd
  closeSync(opened.fd)
  throw new Refusal(
    `${file} belongs to the user ${opened.uid}, not to ${uid} as its cluster: remove it, or change its owner`,
  )
}
