/** Free space, checked before anything is written. */
import { lstatSync, readdirSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { Refusal } from './refusal.js'

/** The bytes that must stay free. */
const reserve = 64_000_000

/** @throws Refusal */
export function checkRoom(dir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dir)
  const free = bavail * bsize
  if (free >= bytes + reserve) return
  throw new Refusal(
    `${dir} has ${megabytes(free)} MB free, and ${megabytes(bytes + reserve)} MB are needed: choose another folder, or free space`,
  )
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6)

/** The bytes of all files below a folder. Files that disappear during the count are 0. */
export function sizeOf(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).reduce((sum, entry) => {
    if (!entry.isFile()) return sum
    return sum + (lstatSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0)
  }, 0)
}
