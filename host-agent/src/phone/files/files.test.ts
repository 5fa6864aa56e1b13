/** Files of a virtual phone through the real adb server. */
import { ApiError, Progress } from '@phonerack/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AdbClient } from '../../adb/client.js'
import { AdbFileRefused } from '../../adb/errors.js'
import { command } from '../../adb/quote.js'
import type { TransportId } from '../../adb/target.js'
import type { Files } from '../../adb/device/device.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { until } from '../../testing/until.js'
import { transportTo } from '../../testing/transport.js'
import { createFiles } from './files.js'
import { realPath } from './paths.js'

let both: PluggedIn
let files: Files
beforeAll(async () => {
  both = await plugIn()
  files = createFiles(both.transport)
})
afterAll(() => both.stop())

const progress = () => Progress.for(20_000)
const shell = async (...args: string[]) =>
  (await both.transport.shell(command(...args), progress())).stdout.toString()
const errorOf = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`)
  return error
}

/** The sync service reports version 1, as on phones before Android 11. */
class OldClient extends AdbClient {
  override async features(device: TransportId, within: Progress): Promise<ReadonlySet<string>> {
    const known = new Set(await super.features(device, within))
    known.delete('stat_v2')
    known.delete('ls_v2')
    return known
  }
}

describe('a fault of the sync service', () => {
  it('names no file of a tenant, since it may reach a log', async () => {
    const path = '/sdcard/Download/tax 2025.pdf/below'
    const error: unknown = await both.transport
      .push('/sdcard/Download/tax 2025.pdf', Buffer.from('x'), 0o644, progress())
      .then(() => both.transport.push(path, Buffer.from('x'), 0o644, progress()))
      .catch((reason: unknown) => reason)
    if (!(error instanceof AdbFileRefused)) throw new Error(`no refusal: ${String(error)}`)
    expect(error.message).toMatch(/^push of \/sdcard\[redacted\]: ./)
    expect(error.message).not.toContain('tax')
    await shell('rm', '-f', '/sdcard/Download/tax 2025.pdf')
  })
})

describe('paths', () => {
  it('lead into shared storage or are refused [34.5]', () => {
    expect(realPath('/sdcard')).toBe('/storage/emulated/0')
    expect(realPath('/sdcard/a b/ü')).toBe('/storage/emulated/0/a b/ü')
    for (const bad of [
      '',
      '/',
      '/data',
      '/sdcardx',
      '/sdcard/..',
      '/sdcard/./a',
      '/sdcard//a',
      '/sdcard/a\0',
    ])
      expect(() => realPath(bad), bad).toThrow(ApiError)
    for (const longest of [`/sdcard/${'a'.repeat(1004)}`, `/sdcard/${'ü'.repeat(502)}`]) {
      expect(Buffer.byteLength(realPath(longest))).toBe(1024)
      expect(() => realPath(`${longest}a`)).toThrow(ApiError)
    }
  })
})

describe('files', () => {
  it('of an endless folder are refused once a listing would be too large, and reading stops [20.69]', async () => {
    let seen = 0
    const endless = createFiles({
      ...both.transport,
      list(_path, _progress, visit) {
        for (;;) {
          seen += 1
          const isWanted = visit({
            name: `${'long '.repeat(40)}${seen}`,
            mode: 0o100644,
            size: 1,
            modifiedAt: 0,
          })
          if (!isWanted) return Promise.resolve()
        }
      },
    })
    const error = await errorOf(endless.list('/sdcard', progress()))
    expect(error.code).toBe('payload_too_large')
    expect(error.next).toMatch(/by name/)
    expect(error.details).toMatchObject({ path: '/sdcard', limit_bytes: 4_000_000, entries_read: seen })
    expect(seen).toBeLessThan(4_000_000 / 200)
    // A write searches for leftover files only up to this limit.
    seen = 0
    await endless.write('/sdcard/beside-many.txt', Buffer.from('a'), progress())
    expect(seen).toBe(50_000)
  })

  it('are written with their folders, listed, read and deleted', async () => {
    const content = Buffer.from('Grüße 👋\n')
    expect(await files.write('/sdcard/Documents/a/b/note.txt', content, progress())).toBe(content.length)
    expect(await files.list('/sdcard/Documents/a', progress())).toMatchObject([
      { name: 'b', type: 'directory' },
    ])
    const [entry] = await files.list('/sdcard/Documents/a/b', progress())
    expect(entry).toMatchObject({ name: 'note.txt', type: 'file', size: content.length })
    expect(Math.abs((entry?.modifiedAt?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
    expect(Buffer.from(await files.read('/sdcard/Documents/a/b/note.txt', progress()))).toEqual(content)
    await files.delete('/sdcard/Documents/a/b/note.txt', progress())
    expect(await files.list('/sdcard/Documents/a/b', progress())).toEqual([])
    expect((await errorOf(files.delete('/sdcard/Documents/a/b/note.txt', progress()))).code).toBe(
      'file_not_found',
    )
  })

  it('have names of any kind', async () => {
    const part = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .map((text) => Buffer.from(text).toString().replace(/[/\0]/g, '_'))
      .filter((text) => text !== '.' && text !== '..' && Buffer.byteLength(text) < 200)
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          part,
          fc.constantFrom('-rf', "it's", 'a\nb', '$(id)', '`id`', '*', ' ', 'x;rm -rf y', '名前'),
        ),
        fc.uint8Array({ maxLength: 50 }),
        async (name, content) => {
          const path = `/sdcard/names/${name}`
          await files.write(path, content, progress())
          expect((await files.list('/sdcard/names', progress())).map((entry) => entry.name)).toEqual([name])
          expect([...(await files.read(path, progress()))]).toEqual([...content])
          await files.delete(path, progress())
        },
      ),
      { numRuns: 25 },
    )
  })

  it('are limited to four million bytes, up and down [34.17]', async () => {
    const most = Buffer.alloc(4_000_000, 7)
    expect(await files.write('/sdcard/most', most, progress())).toBe(4_000_000)
    expect((await files.read('/sdcard/most', progress())).length).toBe(4_000_000)
    await shell('sh', '-c', 'echo >> /sdcard/most')
    const error = await errorOf(files.read('/sdcard/most', progress()))
    expect(error).toMatchObject({ code: 'payload_too_large', details: { size: 4_000_001 } })
    await files.delete('/sdcard/most', progress())
  })

  it('are distinguished from directories', async () => {
    await files.write('/sdcard/dir/file', Buffer.from('x'), progress())
    const asFolder = await errorOf(files.list('/sdcard/dir/file', progress()))
    expect(asFolder).toMatchObject({ code: 'validation_failed', details: { names: 'file' } })
    for (const work of [
      () => files.read('/sdcard/dir', progress()),
      () => files.delete('/sdcard/dir', progress()),
      () => files.delete('/sdcard', progress()),
      () => files.write('/sdcard/dir', Buffer.from('x'), progress()),
    ]) {
      expect(await errorOf(work())).toMatchObject({
        code: 'validation_failed',
        details: { names: 'directory', issues: [{ path: ['path'] }] },
      })
    }
    expect((await errorOf(files.write('/sdcard/dir/file/x', Buffer.from('x'), progress()))).code).toBe(
      'validation_failed',
    )
    expect((await errorOf(files.list('/sdcard/nowhere', progress()))).code).toBe('file_not_found')
    expect((await errorOf(files.read('/sdcard/nowhere/x', progress()))).code).toBe('file_not_found')
  })

  it('are never reached through a symbolic link [34.26]', async () => {
    // Shared storage has no links, so another folder replaces it in this test.
    const tmp = '/data/local/tmp'
    const linked = createFiles(both.transport, `${tmp}/shared`)
    await shell('mkdir', '-p', `${tmp}/outside`, `${tmp}/shared`)
    await shell('sh', '-c', `echo secret > ${tmp}/outside/secret`)
    await shell('ln', '-s', `${tmp}/outside`, `${tmp}/shared/way`)
    await shell('ln', '-s', `${tmp}/outside/secret`, `${tmp}/shared/link`)
    expect(await shell('cat', `${tmp}/shared/way/secret`)).toBe('secret\n')
    for (const work of [
      () => linked.list('/sdcard/way', progress()),
      () => linked.read('/sdcard/way/secret', progress()),
      () => linked.read('/sdcard/link', progress()),
      () => linked.write('/sdcard/way/new', Buffer.from('x'), progress()),
      () => linked.write('/sdcard/link', Buffer.from('x'), progress()),
      () => linked.delete('/sdcard/way/secret', progress()),
      () => linked.delete('/sdcard/link', progress()),
    ])
      expect((await errorOf(work())).code).toBe('validation_failed')
    expect(await shell('cat', `${tmp}/outside/secret`)).toBe('secret\n')
    expect(await shell('ls', `${tmp}/outside`)).toBe('secret\n')
    const entries = await linked.list('/sdcard', progress())
    expect(entries.map(({ name, type }) => [name, type])).toEqual([
      ['link', 'other'],
      ['way', 'other'],
    ])
  })

  it('work on an older phone, whose sync service has only version 1', async () => {
    const { phone, client } = both
    const old = new OldClient(client.path)
    const transport = transportTo(old, phone.serial)
    const older = createFiles(transport)
    const content = Buffer.from('version 1 名前')
    expect(await older.write('/sdcard/v1/a b.txt', content, progress())).toBe(content.length)
    expect(await older.list('/sdcard/v1', progress())).toMatchObject([
      { name: 'a b.txt', type: 'file', size: content.length },
    ])
    expect(Buffer.from(await older.read('/sdcard/v1/a b.txt', progress()))).toEqual(content)
    expect(await older.list('/sdcard', progress())).toEqual(await files.list('/sdcard', progress()))
    await older.delete('/sdcard/v1/a b.txt', progress())
    expect((await errorOf(older.read('/sdcard/v1/a b.txt', progress()))).code).toBe('file_not_found')
  })

  it('stay complete when the phone is unplugged during a write, whose outcome is unknown', async () => {
    const { inside } = both.phone
    const { faults } = inside
    const isUp = async () => (await shell('echo', 'up').catch(() => '')) === 'up\n'
    await files.write('/sdcard/cut/kept', Buffer.from('old'), progress())
    for (const bytes of [4_000_000, 1_000_000]) {
      const begun = Object.keys(inside.counters().pushes).length
      await faults.slowLink({ latencyMs: 0, bytesPerSecond: 2_000_000 })
      await until(isUp, 20_000, 'the phone')
      const writing = errorOf(files.write('/sdcard/cut/kept', Buffer.alloc(bytes, 1), Progress.for(100_000)))
      await until(
        () => Promise.resolve(Object.keys(inside.counters().pushes).length > begun),
        60_000,
        'the write to begin',
      )
      const startedAt = performance.now()
      await faults.unplug()
      expect((await writing).code).toBe('action_outcome_unknown')
      expect(performance.now() - startedAt).toBeLessThan(60_000)
      await faults.slowLink(null)
      await faults.replug()
      await until(isUp, 20_000, 'the phone')
      expect(Buffer.from(await files.read('/sdcard/cut/kept', progress())).toString()).toBe('old')
    }
    await files.write('/sdcard/cut/kept', Buffer.from('new'), progress())
    expect(await shell('ls', '-A', '/sdcard/cut')).toBe('kept\n')
  })

  it('leave no partial file when the storage is full or a write is interrupted', async () => {
    const { faults } = both.phone.inside
    await files.write('/sdcard/kept', Buffer.from('old'), progress())
    faults.fullStorage(true)
    const full = await errorOf(files.write('/sdcard/kept', Buffer.alloc(100_000), progress()))
    expect(full).toMatchObject({ code: 'provider_error', details: { reason: 'storage_full' } })
    faults.fullStorage(false)
    expect(Buffer.from(await files.read('/sdcard/kept', progress())).toString()).toBe('old')
    expect(await shell('sh', '-c', 'ls -A /sdcard | grep part')).toBe('')
    await shell('sh', '-c', 'echo half > /sdcard/.phonerack-0123456789abcdef.part')
    expect((await files.list('/sdcard', progress())).map(({ name }) => name)).not.toContain(
      '.phonerack-0123456789abcdef.part',
    )
    await files.write('/sdcard/kept', Buffer.from('new'), progress())
    expect(await shell('sh', '-c', 'ls -A /sdcard | grep part')).toBe('')
  })
})
