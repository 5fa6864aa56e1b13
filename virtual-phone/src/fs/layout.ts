/** The system image: the folders and files of a new phone. Used by `android/android.ts`. */
import { aid, root } from './access.js'
import { FileSystem } from './file-system.js'
import type { DirectoryNode, Inode } from './inode.js'
import type { Volume } from './volume.js'

/** The saved folders, in the order in which they are saved. */
const keptFolders = ['/data', '/storage/emulated'] as const

interface ImageParts {
  /** Names of the commands in `/system/bin`. */
  commands: readonly string[]
  /** Content by path, generated when the file is read. */
  generated: Readonly<Record<string, () => Buffer>>
}

/** Builds a phone's tree; `kept` contains folders from an earlier run, null for a new phone. */
export function buildImage(volume: Volume, parts: ImageParts, kept: DirectoryNode[] | null): void {
  const fs = new FileSystem(volume, root)
  for (const [path, mode, uid, gid] of folders) {
    fs.mkdir(path, mode)
    own(volume, path, uid, gid, mode)
  }
  for (const [path, target] of links) fs.symlink(target, path)
  for (const name of parts.commands) addGenerated(volume, `/system/bin/${name}`, 0o755, () => elfMark)
  for (const [path, content] of Object.entries(parts.generated)) addGenerated(volume, path, 0o444, content)
  const devices: [string, () => Buffer | null][] = [
    ['null', () => null],
    ['zero', () => Buffer.alloc(4096)],
    ['urandom', () => randomBytes4k()],
  ]
  for (const [name, read] of devices) {
    const base = { ino: volume.newIno(), mode: 0o666, uid: 0, gid: 0, mtimeMs: Date.now() }
    volume.add(directory(volume, '/dev'), name, { ...base, kind: 'device', read })
  }
  if (kept === null) newUserData(volume)
  else keptFolders.forEach((path, index) => replace(volume, path, kept[index]))
}

export function keptTrees(volume: Volume): DirectoryNode[] {
  return keptFolders.map((path) => directory(volume, path))
}

/** Sets `/data` and the shared storage to their state after a wipe. */
function newUserData(volume: Volume): void {
  const fs = new FileSystem(volume, root)
  for (const [path, mode, uid, gid] of dataFolders) {
    fs.mkdir(path, mode)
    own(volume, path, uid, gid, mode)
  }
  fs.mkdir('/storage/emulated/0', 0o2770)
  const shared = own(volume, '/storage/emulated/0', aid.mediaProvider, aid.mediaRw, 0o2770)
  shared.shared = true
  for (const name of sharedFolders) fs.mkdir(`/storage/emulated/0/${name}`)
}

/** Replaces `/data` and the shared storage by empty folders. */
export async function wipeUserData(volume: Volume): Promise<void> {
  for (const path of keptFolders) {
    const folder = directory(volume, path)
    for (const name of [...folder.entries.keys()]) await volume.remove(folder, name)
  }
  newUserData(volume)
}

function own(volume: Volume, path: string, uid: number, gid: number, mode: number): DirectoryNode {
  const node = directory(volume, path)
  Object.assign(node, { uid, gid, mode })
  return node
}

function directory(volume: Volume, path: string): DirectoryNode {
  let at = volume.root
  for (const name of path.split('/').filter((part) => part !== '')) {
    const next = at.entries.get(name)
    if (next?.kind !== 'directory') throw new Error(`the system image has no folder ${path}`)
    at = next
  }
  return at
}

function replace(volume: Volume, path: string, node: Inode | undefined): void {
  const at = path.lastIndexOf('/')
  if (node !== undefined) directory(volume, path.slice(0, at)).entries.set(path.slice(at + 1), node)
}

function addGenerated(volume: Volume, path: string, mode: number, content: () => Buffer): void {
  const at = path.lastIndexOf('/')
  const base = { ino: volume.newIno(), mode, uid: 0, gid: path.startsWith('/system/bin/') ? aid.shell : 0 }
  volume.add(directory(volume, path.slice(0, at)), path.slice(at + 1), {
    ...base,
    mtimeMs: imageTimeMs,
    kind: 'generated',
    content,
  })
}

/** The commands are not machine code, so each file contains only this text. */
const elfMark = Buffer.from('\x7fELF', 'latin1')
/** 2009-01-01, the date of every file in a system image. */
const imageTimeMs = Date.UTC(2009, 0, 1)

function randomBytes4k(): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(4096)))
}

const folders: readonly [string, number, number, number][] = [
  ['/acct', 0o755, 0, 0],
  ['/apex', 0o755, 0, 0],
  ['/cache', 0o770, 1000, 2001],
  ['/data', 0o771, 1000, 1000],
  ['/dev', 0o755, 0, 0],
  ['/mnt', 0o755, 0, 1000],
  ['/proc', 0o555, 0, 0],
  ['/proc/net', 0o555, 0, 0],
  ['/proc/sys', 0o555, 0, 0],
  ['/proc/sys/kernel', 0o555, 0, 0],
  ['/proc/sys/kernel/random', 0o555, 0, 0],
  ['/product', 0o755, 0, 0],
  ['/storage', 0o755, 0, 1015],
  ['/storage/emulated', 0o711, 0, 1015],
  ['/storage/self', 0o755, 0, 0],
  ['/sys', 0o755, 0, 0],
  ['/system', 0o755, 0, 0],
  ['/system/app', 0o755, 0, 0],
  ['/system/bin', 0o751, 0, 2000],
  ['/system/etc', 0o755, 0, 0],
  ['/system/fonts', 0o755, 0, 0],
  ['/system/framework', 0o755, 0, 0],
  ['/system/lib64', 0o755, 0, 0],
  ['/system/priv-app', 0o755, 0, 0],
  ['/vendor', 0o755, 0, 2000],
]

const links: readonly [string, string][] = [
  ['/bin', '/system/bin'],
  ['/etc', '/system/etc'],
  ['/sdcard', '/storage/self/primary'],
  ['/storage/self/primary', '/storage/emulated/0'],
  ['/system/vendor', '/vendor'],
]

const dataFolders: readonly [string, number, number, number][] = [
  ['/data/adb', 0o700, 0, 0],
  ['/data/anr', 0o775, 1000, 1000],
  ['/data/app', 0o771, 1000, 1000],
  ['/data/data', 0o771, 1000, 1000],
  ['/data/local', 0o751, 0, 0],
  ['/data/local/tmp', 0o771, 2000, 2000],
  ['/data/local/traces', 0o777, 2000, 2000],
  ['/data/misc', 0o1771, 1000, 9998],
  ['/data/system', 0o775, 1000, 1000],
  ['/data/user', 0o711, 1000, 1000],
]

const sharedFolders: readonly string[] = [
  'Alarms',
  'Android',
  'Android/data',
  'Android/media',
  'Android/obb',
  'Audiobooks',
  'DCIM',
  'Documents',
  'Download',
  'Movies',
  'Music',
  'Notifications',
  'Pictures',
  'Podcasts',
  'Recordings',
  'Ringtones',
]
