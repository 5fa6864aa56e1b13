/**
 * Chapter "Files" of the specification through `/v1`, on phones that offer the fast way and on a phone that
 * does not.
 */
import { randomBytes } from 'node:crypto'
import { limits } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { errorOf } from '../system/api.js'
import { eventually } from '../system/tenant.js'
import { bodyOf, refusal, rent, within, type Rented } from './rented.js'

const listSchema = z.strictObject({
  path: z.string(),
  data: z.array(
    z.strictObject({
      name: z.string(),
      type: z.enum(['file', 'directory', 'other']),
      size: z.int(),
      modified_at: z.iso.datetime().nullable(),
    }),
  ),
})

describe.each([
  ['with the fast way', () => inject('system')],
  ['without it', () => inject('bare')],
])('files of a phone %s', (_name, system) => {
  let phone: Rented
  beforeAll(async () => {
    phone = await rent(system())
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))
  const at = (path: string, part = 'files') => `${phone.path}/${part}?path=${encodeURIComponent(path)}`
  const upload = (path: string, bytes: Uint8Array) =>
    phone.api.put(at(path), bytes, { headers: { 'content-type': 'application/octet-stream' } })
  const download = (path: string) => phone.api.get(at(path, 'files/content'))
  const folder = (name: string): unknown => expect.objectContaining({ name, type: 'directory' })

  it('are uploaded, listed, downloaded and deleted [1.8, 23.16, 34.2, 34.6, 34.7, 34.9, 34.10, 34.15, 34.20, 34.22]', async () => {
    const bytes = randomBytes(100_000)
    const path = '/sdcard/Documents/tax 2026/größe.bin'
    expect(bodyOf(await upload('/storage/emulated/0/Documents/tax 2026/größe.bin', bytes), 201)).toEqual({
      path,
      size: 100_000,
    })
    const listing = listSchema.parse(bodyOf(await phone.api.get(at('/sdcard/Documents/tax 2026'))))
    expect(listing).toMatchObject({
      path: '/sdcard/Documents/tax 2026',
      data: [{ name: 'größe.bin', type: 'file', size: 100_000 }],
    })
    expect(Date.parse(listing.data[0]?.modified_at ?? '')).toBeGreaterThan(Date.now() - 600_000)
    const given = await download(path)
    expect(given.bytes.equals(bytes)).toBe(true)
    expect(given.headers.get('content-type')).toBe('application/octet-stream')
    expect(given.headers.get('content-disposition')).toContain("filename*=UTF-8''gr%C3%B6%C3%9Fe.bin")
    // Without a path, the root is listed.
    expect(await phone.api.get(`${phone.path}/files`)).toMatchObject({
      status: 200,
      body: { path: '/sdcard', data: expect.arrayContaining([folder('Documents')]) as unknown },
    })
    expect(bodyOf(await phone.api.delete(at(path)))).toEqual({ path, deleted: true })
    expect(errorOf(await phone.api.delete(at(path)))).toMatchObject({
      code: 'file_not_found',
      details: { path },
    })
    for (const answer of [await download(path), await phone.api.get(at('/sdcard/none'))])
      expect(refusal(answer)).toEqual([404, 'file_not_found'])
    expect(errorOf(await phone.api.get(at('/sdcard/none'))).details).toEqual({ path: '/sdcard/none' })
    expect(errorOf(await download(path)).details).toEqual({ path })
  })

  it('have at most 4,000,000 bytes [34.11]', async () => {
    for (const size of [limits.fileBytes - 1, limits.fileBytes]) {
      const bytes = randomBytes(size)
      expect(bodyOf(await upload('/sdcard/most', bytes), 201)).toEqual({ path: '/sdcard/most', size })
      expect((await download('/sdcard/most')).bytes.equals(bytes)).toBe(true)
    }
    const more = await upload('/sdcard/more', randomBytes(limits.fileBytes + 1))
    expect(refusal(more)).toEqual([413, 'payload_too_large'])
    expect(refusal(await download('/sdcard/more'))).toEqual([404, 'file_not_found'])
    await phone.api.delete(at('/sdcard/most'))
  })

  it('are distinguished from directories, with the matching request [34.8, 34.19, 34.21]', async () => {
    await upload('/sdcard/box/a', Buffer.from('a'))
    expect(errorOf(await phone.api.get(at('/sdcard/box/a')))).toMatchObject({
      code: 'validation_failed',
      next: `GET ${phone.path}/files/content?path=%2Fsdcard%2Fbox%2Fa`,
      details: { issues: [{ path: ['path'] }] },
    })
    expect(errorOf(await download('/sdcard/box'))).toMatchObject({
      code: 'validation_failed',
      next: `GET ${phone.path}/files?path=%2Fsdcard%2Fbox`,
    })
    for (const path of ['/sdcard/box', '/sdcard'])
      expect(refusal(await phone.api.delete(at(path)))).toEqual([400, 'validation_failed'])
    expect((await download('/sdcard/box/a')).bytes.toString()).toBe('a')
  })

  it('have paths inside shared storage, of at most 1024 characters [34.3, 34.12]', async () => {
    // The phone counts in bytes, with the longer path that `/sdcard` has there.
    const longest = limits.pathLength - '/storage/emulated/0'.length + '/sdcard'.length
    const path = (length: number) => `/sdcard/${`${'d'.repeat(200)}/`.repeat(4)}`.padEnd(length, 'f')
    for (const length of [longest - 1, longest]) {
      expect(bodyOf(await upload(path(length), Buffer.from('far')), 201)).toEqual({
        path: path(length),
        size: 3,
      })
      expect((await download(path(length))).bytes.toString()).toBe('far')
    }
    for (const wrong of [
      path(longest + 1),
      path(limits.pathLength),
      path(limits.pathLength + 1),
      '/etc/hosts',
      '/sdcard/../etc/hosts',
      '/sdcard/./a',
      '/sdcardx',
      '',
    ])
      for (const answer of [
        await phone.api.get(at(wrong)),
        await upload(wrong, Buffer.from('x')),
        await download(wrong),
        await phone.api.delete(at(wrong)),
      ]) {
        expect({ wrong, refusal: refusal(answer) }).toEqual({ wrong, refusal: [400, 'validation_failed'] })
        expect(errorOf(answer).details).toMatchObject({ issues: [{ path: ['path'] }] })
      }
    for (const nameless of ['/sdcard', '/sdcard/box/'])
      expect(refusal(await upload(nameless, Buffer.from('x')))).toEqual([400, 'validation_failed'])
  })

  it('stay complete when the phone is unplugged during a write, which is sent once and whose outcome is unknown [34.13, 39.6]', async () => {
    await upload('/sdcard/cut/kept', Buffer.from('old'))
    const isBack = async () => (await phone.api.get(at('/sdcard/cut'))).status === 200
    // Setting the pace opens a new connection.
    await phone.faults.slowLink({ latencyMs: 0, bytesPerSecond: 1_000_000 })
    await eventually('the phone on its slow link', 150_000, isBack)
    const known = new Set(Object.keys((await phone.faults.counters()).pushes))
    const begun = async () =>
      Object.entries((await phone.faults.counters()).pushes).filter(([name]) => !known.has(name))
    const writing = upload('/sdcard/cut/kept', randomBytes(limits.fileBytes))
    await expect.poll(begun, { timeout: 150_000, interval: 20 }).toHaveLength(1)
    await phone.faults.unplug()
    const answer = await within(30_000, writing)
    expect(refusal(answer)).toEqual([502, 'action_outcome_unknown'])
    expect(errorOf(answer)).toMatchObject({
      retryable: false,
      next: `GET ${phone.path}/files?path=%2Fsdcard%2Fcut`,
    })
    await phone.faults.slowLink(null)
    await phone.faults.replug()
    await eventually('the phone to be back', 150_000, isBack)
    await eventually('the old file', 150_000, async () => {
      const given = await download('/sdcard/cut/kept')
      if (given.status === 200) expect(given.bytes.toString()).toBe('old')
      return given.status === 200
    })
    expect((await begun()).map(([, count]) => count)).toEqual([1])
  }, 150_000)

  it('are complete or absent when the storage is full [34.14, 39.15]', async () => {
    await upload('/sdcard/kept', Buffer.from('old'))
    await phone.faults.fullStorage(true)
    try {
      expect(errorOf(await upload('/sdcard/kept', randomBytes(200_000)))).toMatchObject({
        code: 'provider_error',
        details: { reason: 'storage_full' },
      })
    } finally {
      await phone.faults.fullStorage(false)
    }
    expect((await download('/sdcard/kept')).bytes.toString()).toBe('old')
    const { pushes } = await phone.faults.counters()
    const parts = Object.entries(pushes).filter(([path]) => path.endsWith('.part'))
    expect(parts.length).toBeGreaterThan(0)
    expect(parts.filter(([, count]) => count > 1)).toEqual([])
  })
})
