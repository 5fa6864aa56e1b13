/**
 * Reads the few entries of an APK that are needed. Entry names are compared and never used as paths, and all sizes are
 * limited.
 */
import { open as openFile } from 'node:fs/promises'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { InvalidApk } from './facts.js'

const maxEntries = 200_000
const maxAbis = 20
/** Limits of unpacked bytes. */
const maxBytes = { manifest: 8_000_000, resources: 64_000_000, signature: 1_000_000 }
type EntryKind = keyof typeof maxBytes

export interface Apk {
  /** ABIs of the app's native code, such as `arm64-v8a`. */
  abis: readonly string[]
  /** Returns null if the APK has no such entry. @throws InvalidApk */
  read(kind: EntryKind): Promise<Buffer | null>
  close(): void
}

function kindOf(name: string): EntryKind | null {
  if (name === 'AndroidManifest.xml') return 'manifest'
  if (name === 'resources.arsc') return 'resources'
  return /^META-INF\/[^/]+\.(RSA|DSA|EC)$/.test(name) ? 'signature' : null
}

/** @throws InvalidApk */
export async function openApk(path: string): Promise<Apk> {
  const zip = await open(path)
  try {
    if (zip.entryCount > maxEntries) throw new InvalidApk(`The APK has more than ${maxEntries} entries.`)
    const { entries, abis } = await findEntries(zip)
    return { abis, read: (kind) => readEntry(zip, kind, entries.get(kind)), close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function open(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false })
  } catch (error) {
    // An I/O error of this machine is not a fault of the file.
    if (error instanceof Error && 'syscall' in error) throw error
    throw new InvalidApk(
      (await beginsAsZip(path))
        ? 'The file is truncated: it begins as an APK, but its end is missing. Upload the whole file again.'
        : 'The file is not a ZIP archive. Upload the .apk file itself.',
      { cause: error },
    )
  }
}

async function beginsAsZip(path: string): Promise<boolean> {
  const file = await openFile(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.toString('latin1') === 'PK\x03\x04'
  } finally {
    await file.close()
  }
}

interface Found {
  entries: Map<EntryKind, Entry>
  abis: readonly string[]
}

async function findEntries(zip: ZipFile): Promise<Found> {
  const found = new Map<EntryKind, Entry>()
  const abis = new Set<string>()
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileNameRaw.toString('latin1')
      const abi = /^lib\/([A-Za-z0-9_-]{1,20})\/[^/]+\.so$/.exec(name)?.[1]
      if (abi !== undefined && abis.size < maxAbis) abis.add(abi)
      const kind = kindOf(name)
      // A phone might use the other manifest.
      if (kind === 'manifest' && found.has(kind)) throw new InvalidApk('The APK has two manifests.')
      if (kind !== null && !found.has(kind)) found.set(kind, entry)
    }
    return { entries: found, abis: [...abis].toSorted() }
  } catch (error) {
    if (error instanceof InvalidApk) throw error
    throw new InvalidApk('The ZIP directory of the APK is damaged. Upload the file again.', { cause: error })
  }
}

async function readEntry(zip: ZipFile, kind: EntryKind, entry: Entry | undefined): Promise<Buffer | null> {
  if (!entry) return null
  if (entry.uncompressedSize > maxBytes[kind])
    throw new InvalidApk(`The ${kind} of the APK is larger than ${maxBytes[kind]} bytes.`)
  try {
    const chunks: Buffer[] = []
    // yauzl fails when an entry unpacks to more than it declares.
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  } catch (error) {
    throw new InvalidApk(`The ${kind} of the APK cannot be unpacked. Upload the file again.`, {
      cause: error,
    })
  }
}
