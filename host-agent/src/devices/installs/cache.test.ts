/** The cache of package files on a real disk. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, Progress } from '@phonerack/shared'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPackageCache, type FileHeader } from './cache.js'

let dir: string
let clock = 0
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-cache-'))
  clock = 1_000_000
  disk = null
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** A disk of `total` bytes, of which other files use `others`, and `keep` bytes must stay free. */
let disk: { total: number; others: number; keep: number } | null
const free = () => {
  if (disk === null) return Promise.resolve(null)
  const used = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
  return Promise.resolve(disk.total - disk.others - used)
}
const open = (limit = 1000) =>
  openPackageCache(dir, limit, { keep: disk?.keep ?? 0, free }, () => (clock += 1000))
const progress = () => Progress.for(10_000)
const file = (size: number): FileHeader & { content: Buffer } => {
  const content = randomBytes(size)
  return { content, size, sha256: createHash('sha256').update(content).digest('hex') }
}
// eslint-disable-next-line @typescript-eslint/require-await -- a stream of chunks that are already there
async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 64) yield content.subarray(at, at + 64)
}
const refusal = async (work: Promise<unknown>) => {
  const error: unknown = await work.catch((caught: unknown) => caught)
  return error instanceof ApiError ? error.code : error
}

describe('cache of package files', () => {
  it('stores complete and correct files, for the owner only, and keeps them across restarts', async () => {
    const one = file(300)
    const cache = await open()
    expect(cache.pathOf(one)).toBeNull()
    await cache.put(one, chunksOf(one.content), progress())
    const path = cache.pathOf(one) ?? ''
    expect(readFileSync(path).equals(one.content)).toBe(true)
    expect(statSync(path).mode & 0o077).toBe(0)
    expect(statSync(path).mtimeMs).toBe(clock)
    expect((await open()).pathOf(one)).toBe(path)
    expect((await open()).pathOf({ ...one, size: 299 })).toBeNull()
  })

  it('stores no file that is short, long, wrong, cut off or too slow', async () => {
    const cache = await open()
    const one = file(300)
    const put = (header: FileHeader, content: Buffer) =>
      refusal(cache.put(header, chunksOf(content), progress()))
    expect(await put(one, one.content.subarray(0, 299))).toBe('validation_failed')
    expect(await put(one, Buffer.concat([one.content, Buffer.alloc(1)]))).toBe('validation_failed')
    expect(await put(one, file(300).content)).toBe('validation_failed')
    expect(await put({ sha256: '../x', size: 1 }, one.content)).toBe('validation_failed')
    expect(await put({ ...one, size: 0 }, Buffer.alloc(0))).toBe('validation_failed')
    async function* brokenOff() {
      yield one.content.subarray(0, 64)
      await Promise.reject(new Error('cut off'))
    }
    await expect(cache.put(one, brokenOff(), progress())).rejects.toThrow('cut off')
    async function* silent(): AsyncGenerator<Uint8Array> {
      await new Promise(() => undefined)
      yield one.content
    }
    await expect(cache.put(one, silent(), Progress.for(50))).rejects.toThrow('took too long')
    expect(readdirSync(dir)).toEqual([])
    expect(cache.isReceiving(one.sha256)).toBe(false)
    // The reservations of the failed transfers are released.
    const most = file(1000)
    await cache.put(most, chunksOf(most.content), progress())
  })

  it('evicts the least recently used files, and never files in use', async () => {
    const cache = await open()
    const [a, b, c, d] = [file(400), file(400), file(400), file(400)]
    await cache.put(a, chunksOf(a.content), progress())
    await cache.put(b, chunksOf(b.content), progress())
    // File `a` was used again, so `b` is now the oldest.
    await cache.put(a, chunksOf(Buffer.alloc(0)), progress())
    await cache.put(c, chunksOf(c.content), progress())
    expect([a, b, c].map((each) => cache.pathOf(each) !== null)).toEqual([true, false, true])
    const release = cache.hold([a, c, d])
    expect(await refusal(cache.put(d, chunksOf(d.content), progress()))).toBe('storage_full')
    expect([a, c].every((each) => cache.pathOf(each) !== null)).toBe(true)
    release()
    release()
    await cache.put(d, chunksOf(d.content), progress())
    expect([a, c, d].map((each) => cache.pathOf(each) !== null)).toEqual([false, true, true])
    expect(await refusal(cache.put(file(1001), chunksOf(Buffer.alloc(1001)), progress()))).toBe(
      'storage_full',
    )
    // The order of use is stored on disk.
    const again = await open()
    await again.put(b, chunksOf(b.content), progress())
    expect([b, c, d].map((each) => again.pathOf(each) !== null)).toEqual([true, false, true])
  })

  it('keeps the space free that the host needs, although its limit allows more', async () => {
    disk = { total: 1000, others: 0, keep: 300 }
    const cache = await open()
    const [a, b, c] = [file(400), file(300), file(300)]
    await cache.put(a, chunksOf(a.content), progress())
    await cache.put(b, chunksOf(b.content), progress())
    expect(await free()).toBe(300)
    await cache.put(c, chunksOf(c.content), progress())
    expect([a, b, c].map((each) => cache.pathOf(each) !== null)).toEqual([false, true, true])
    cache.hold([b, c])
    const d = file(200)
    expect(await refusal(cache.put(d, chunksOf(d.content), progress()))).toBe('storage_full')
    expect(await free()).toBe(400)
  })

  it('evicts files while the disk is full, oldest first, but no files in use', async () => {
    disk = { total: 2000, others: 0, keep: 300 }
    const cache = await open(2000)
    const all = [file(200), file(200), file(200), file(200)]
    for (const each of all) await cache.put(each, chunksOf(each.content), progress())
    const present = () => all.map((each) => cache.pathOf(each) !== null)
    const release = cache.hold(all.slice(0, 1))
    disk.others = 1200
    await cache.makeRoom()
    expect(present()).toEqual([true, false, false, true])
    // The disk is full by its number of files, or by a quota.
    disk.others = 0
    await cache.makeRoom()
    expect(present()).toEqual([true, false, false, false])
    await cache.makeRoom()
    release()
    expect(present()).toEqual([true, false, false, false])
    await cache.makeRoom()
    expect(readdirSync(dir)).toEqual([])
  })

  it('accepts one file from several callers concurrently, within its limit', async () => {
    const cache = await open()
    const one = file(300)
    await Promise.all(Array.from({ length: 3 }, () => cache.put(one, chunksOf(one.content), progress())))
    expect(readdirSync(dir)).toEqual([one.sha256])
  })

  it('removes partial files of a crash, and leaves other files alone', async () => {
    writeFileSync(join(dir, '.part-0011223344556677'), 'half')
    writeFileSync(join(dir, 'README'), 'x')
    await open()
    expect(readdirSync(dir)).toEqual(['README'])
  })
})
