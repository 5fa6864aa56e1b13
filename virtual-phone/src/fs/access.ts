/** File access rights of users on nodes of the phone's file system. */
import { type DirectoryNode, type Inode } from './inode.js'

export interface Credentials {
  uid: number
  gid: number
  groups: readonly number[]
}

/** Android's user IDs (AOSP `android_filesystem_config.h`). */
export const aid = {
  root: 0,
  system: 1000,
  sdcardRw: 1015,
  mediaRw: 1023,
  shell: 2000,
  /** `u0_a185`, the media provider, which owns shared storage. */
  mediaProvider: 10185,
} as const

export const root: Credentials = { uid: aid.root, gid: aid.root, groups: [] }

/** The user of adbd's shell. The mount of `/storage` grants it access as a member of `media_rw`. */
export const shellUser: Credentials = {
  uid: aid.shell,
  gid: aid.shell,
  groups: [
    1004,
    1007,
    1011,
    aid.sdcardRw,
    aid.mediaRw,
    1028,
    1078,
    1079,
    3001,
    3002,
    3003,
    3006,
    3009,
    3011,
    3012,
  ],
}

export const may = { read: 4, write: 2, execute: 1 } as const

export function allowed(who: Credentials, node: Inode, want: number): boolean {
  if (who.uid === aid.root) return true
  if (node.uid === who.uid) return ((node.mode >> 6) & want) === want
  if (node.gid === who.gid || who.groups.includes(node.gid)) return ((node.mode >> 3) & want) === want
  return (node.mode & want) === want
}

/**
 * Removing or renaming an entry requires the right to write to the directory, and respects its sticky bit.
 */
export function mayRemove(who: Credentials, directory: DirectoryNode, entry: Inode): boolean {
  if (!allowed(who, directory, may.write | may.execute)) return false
  const sticky = (directory.mode & 0o1000) !== 0
  return !sticky || who.uid === aid.root || who.uid === entry.uid || who.uid === directory.uid
}

const names: Readonly<Record<number, string>> = {
  0: 'root',
  1000: 'system',
  1004: 'input',
  1007: 'log',
  1011: 'adb',
  1015: 'sdcard_rw',
  1023: 'media_rw',
  1028: 'sdcard_r',
  1078: 'ext_data_rw',
  1079: 'ext_obb_rw',
  2000: 'shell',
  3001: 'net_bt_admin',
  3002: 'net_bt',
  3003: 'inet',
  3006: 'net_bw_stats',
  3009: 'readproc',
  3011: 'uhid',
  3012: 'readtracefs',
  9997: 'everybody',
}

/** Returns the name of a user or group ID; apps are `u0_a<n>`. */
export function nameOf(id: number): string {
  if (id >= 10000 && id < 20000) return `u0_a${id - 10000}`
  return names[id] ?? String(id)
}
