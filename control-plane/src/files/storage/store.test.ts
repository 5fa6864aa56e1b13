/** The file store over a folder and over S3 (s3rver, a real HTTP server): the same guarantees. */
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { newId } from '@phonerack/shared'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { DiskStore } from './disk-store.js'
import { isFull, StorageFull, StoredFileMissing, type FileStore } from './file-store.js'
import { openFileStore } from './open.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-store-'))
let s3: S3rver
let endpoint = ''
beforeAll(async () => {
  s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: path.join(dir, 'buckets'),
    configureBuckets: [{ name: 'apks', configs: [] }],
  })
  const { address, port } = await s3.run()
  endpoint = `http://${address}:${port}`
})
afterAll(async () => {
  await s3.close()
  rmSync(dir, { recursive: true, force: true })
})

const minFreeBytes = 0
const kinds: Record<string, () => Promise<FileStore>> = {
  fs: () => openFileStore({ kind: 'fs', dir: path.join(dir, 'fs'), minFreeBytes, s3: null }),
  s3: () =>
    openFileStore({
      kind: 's3',
      dir: path.join(dir, 's3'),
      minFreeBytes,
      s3: {
        bucket: 'apks',
        region: 'us-east-1',
        endpoint,
        credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      },
    }),
}

describe.each(Object.keys(kinds))('a store over %s', (kind) => {
  let store: FileStore
  beforeAll(async () => {
    const open = kinds[kind]
    if (!open) throw new Error('no such kind')
    store = await open()
  })
  const bytesOf = async (file: Readable): Promise<Buffer> => {
    const chunks: Buffer[] = []
    for await (const chunk of file) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }
  const work = () => readdirSync(path.join(dir, kind, 'work'))

  it.each([0, 1, 300_000])('returns %d bytes unchanged, until they are deleted', async (size) => {
    const id = newId('file')
    const bytes = Buffer.alloc(size, 'a file')
    await store.put(id, Readable.from([bytes.subarray(0, 100), bytes.subarray(100)], { objectMode: false }))
    expect(await store.has(id)).toBe(true)
    expect((await bytesOf(await store.read(id))).equals(bytes)).toBe(true)
    const seen = await store.withLocalFile(id, (file) => readFile(file))
    expect(seen.equals(bytes)).toBe(true)
    await store.delete(id)
    await store.delete(id)
    expect(await store.has(id)).toBe(false)
    expect(work()).toEqual([])
  })

  it('keeps nothing of a source that fails, and reports why', async () => {
    const id = newId('file')
    const source = Readable.from(
      (async function* () {
        yield Buffer.alloc(100_000)
        await Promise.resolve()
        throw new Error('the sender went away')
      })(),
    )
    const error = await store.put(id, source).then(
      () => null,
      (reason: unknown) => reason,
    )
    const causes: string[] = []
    for (let each = error; each instanceof Error; each = each.cause) causes.push(each.message)
    expect(causes).toContain('the sender went away')
    expect(isFull(error)).toBe(false)
    expect(await store.has(id)).toBe(false)
    expect(work()).toEqual([])
  })

  it('reports a missing file', async () => {
    const id = newId('file')
    await expect(store.read(id)).rejects.toBeInstanceOf(StoredFileMissing)
    await expect(store.withLocalFile(id, () => Promise.resolve())).rejects.toBeInstanceOf(StoredFileMissing)
  })

  it('removes partial files of a killed process, but not those being written', async () => {
    const [old, fresh] = ['old', 'fresh'].map((name) => path.join(dir, kind, 'work', name))
    for (const file of [old, fresh]) writeFileSync(file ?? '', 'x')
    utimesSync(old ?? '', new Date(0), new Date(0))
    await store.sweep()
    expect(work()).toEqual(['fresh'])
    rmSync(fresh ?? '')
  })

  it('knows the reserved free space', async () => {
    expect(await store.hasRoomFor(1)).toBe(true)
    expect(await store.hasRoomFor(2 ** 60)).toBe(false)
  })
})

it('stops a file once the disk reaches its reserved free space', async () => {
  const room = { dir, minFreeBytes: 0 }
  const files = mkdtempSync(path.join(dir, 'watched-'))
  const store = new DiskStore({
    disk: new Disk(new FSDriver({ location: files, visibility: 'private' })),
    localDir: files,
    work: files,
    room,
  })
  let sent = 0
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      // Another process fills the disk in the meantime.
      if (sent >= 20_000_000) room.minFreeBytes = Number.MAX_SAFE_INTEGER
      sent += 1_000_000
      yield await Promise.resolve(Buffer.alloc(1_000_000))
    }
  }
  await expect(store.put(newId('file'), Readable.from(endless(), { objectMode: false }))).rejects.toThrow(
    StorageFull,
  )
  expect(sent).toBeLessThan(60_000_000)
  expect(readdirSync(files)).toEqual([])
})
