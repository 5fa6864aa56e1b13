/** The few entries of an APK that we read. Names are compared and never used as paths; all sizes are capped. */
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { InvalidApk } from './facts.js'

const maxEntries = 200_000
/** Bytes, unpacked. */
const maxBytes = { manifest: 8_000_000, resources: 64_000_000, signature: 1_000_000 }
export type EntryKind = keyof typeof maxBytes

export interface Apk {
  /** Null when there is none. @throws InvalidApk */
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
    if (zip.entryCount > maxEntries) throw new InvalidApk(`It has more than ${maxEntries} entries.`)
    const entries = await findEntries(zip)
    return { read: (kind) => readEntry(zip, kind, entries.get(kind)), close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function open(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false })
  } catch (error) {
    // The machine's own trouble with the file.
    if (error instanceof Error && 'syscall' in error) throw error
    throw new InvalidApk('It is not a ZIP archive. Upload the .apk file itself.', { cause: error })
  }
}

async function findEntries(zip: ZipFile): Promise<Map<EntryKind, Entry>> {
  const found = new Map<EntryKind, Entry>()
  try {
    for await (const entry of zip.eachEntry()) {
      const kind = kindOf(entry.fileNameRaw.toString('latin1'))
      // Of two manifests a phone may take the other one.
      if (kind === 'manifest' && found.has(kind)) throw new InvalidApk('It has two manifests.')
      if (kind !== null && !found.has(kind)) found.set(kind, entry)
    }
    return found
  } catch (error) {
    if (error instanceof InvalidApk) throw error
    throw new InvalidApk('Its list of entries is broken. Upload the file again.', { cause: error })
  }
}

async function readEntry(zip: ZipFile, kind: EntryKind, entry: Entry | undefined): Promise<Buffer | null> {
  if (!entry) return null
  if (entry.uncompressedSize > maxBytes[kind])
    throw new InvalidApk(`Its ${kind} has more than ${maxBytes[kind]} bytes.`)
  try {
    const chunks: Buffer[] = []
    // yauzl ends with an error when more comes out than the entry declares.
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  } catch (error) {
    throw new InvalidApk(`Its ${kind} cannot be unpacked. Upload the file again.`, { cause: error })
  }
}
