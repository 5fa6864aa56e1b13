/** Rights, links and persistence of the phone's file system. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { root, shellUser } from './access.js'
import { Blobs } from './blobs.js'
import { FileSystem } from './file-system.js'
import { buildImage, keptTrees, wipeUserData } from './layout.js'
import { type SavedVolume, Volume } from './volume.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-fs-'))
afterAll(() => rmSync(folder, { recursive: true }))
let next = 0

function newVolume(blobFolder: string, saved: SavedVolume | null): FileSystem {
  const volume = new Volume(new Blobs(blobFolder), () => undefined)
  buildImage(volume, { commands: ['ls'], generated: {} }, saved === null ? null : volume.load(saved))
  return new FileSystem(volume, shellUser)
}

const fresh = () => newVolume(join(folder, String(next++)), null)

describe('the file system', () => {
  it('lets the shell write only where a phone permits it', async () => {
    const fs = fresh()
    await fs.writeFile('/data/local/tmp/a', Buffer.from('1'))
    await fs.writeFile('/sdcard/a', Buffer.from('1'))
    for (const path of ['/a', '/system/a', '/data/a', '/data/data/a', '/data/app/a']) {
      await expect(fs.writeFile(path, Buffer.from('1'))).rejects.toMatchObject({ code: 'EACCES' })
    }
    expect(() => fs.readdir('/data/data')).toThrow('Permission denied')
    expect(() => fs.stat('/data/adb/x')).toThrow('Permission denied')
    await expect(fs.unlink('/system/bin/ls')).rejects.toMatchObject({ code: 'EACCES' })
    await expect(fs.writeFile('/system/bin/ls', Buffer.from('1'))).rejects.toMatchObject({ code: 'EACCES' })
  })

  it('gives shared storage one owner and mode, and refuses links there', async () => {
    const fs = fresh()
    await fs.writeFile('/sdcard/a', Buffer.from('1'), 0o777)
    fs.chmod('/sdcard/a', 0o600)
    expect(fs.stat('/sdcard/a')).toMatchObject({ mode: 0o100660, uid: 10185, gid: 1023 })
    expect(fs.realpath('/sdcard/a')).toBe('/storage/emulated/0/a')
    expect(() => fs.symlink('/x', '/sdcard/l')).toThrow('Operation not permitted')
  })

  it('follows links, and detects loops', async () => {
    const fs = fresh()
    fs.symlink('b', '/data/local/tmp/a')
    fs.symlink('a', '/data/local/tmp/b')
    expect(() => fs.stat('/data/local/tmp/a')).toThrow('Too many symbolic links')
    fs.symlink('../../../sdcard', '/data/local/tmp/s')
    await fs.writeFile('/data/local/tmp/s/f', Buffer.from('x'))
    expect((await fs.readFile('/storage/emulated/0/f')).toString()).toBe('x')
    expect(() => fs.stat('/data/local/tmp/s/f/g')).toThrow('Not a directory')
  })

  it('keeps files across a restart, and removes them in a wipe', async () => {
    const blobFolder = join(folder, String(next++))
    const fs = newVolume(blobFolder, null)
    await fs.writeFile('/sdcard/\xc3\xbc', Buffer.from('kept'))
    fs.mkdir('/data/local/tmp/d', 0o700)
    const saved = JSON.parse(JSON.stringify(fs.volume.save(keptTrees(fs.volume)))) as SavedVolume
    const again = newVolume(blobFolder, saved)
    expect((await again.readFile('/sdcard/\xc3\xbc')).toString()).toBe('kept')
    expect(again.stat('/data/local/tmp/d').mode).toBe(0o40700)
    expect(again.volume.used).toBe(4)
    await wipeUserData(again.volume)
    expect(readdirSync(blobFolder)).toEqual([])
    expect(again.volume.used).toBe(0)
    expect(again.readdir('/sdcard')).toContain('Download')
  })

  it('resolves every path within the phone', () => {
    const fs = fresh().as(root)
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'etc',
      'sdcard',
      'data',
      'system',
      'home',
      'proc',
      'self',
      'root',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const path = `/${parts.join('/')}`
        const stat = fs.tryStat(path)
        if (stat === null) return
        const real = fs.realpath(path)
        expect(real.startsWith('/')).toBe(true)
        expect(real.split('/')).not.toContain('..')
        expect(fs.stat(real).ino).toBe(stat.ino)
        expect(real).not.toMatch(/^\/(home|root)/)
      }),
    )
  })
})
