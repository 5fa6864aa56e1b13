/** Files on this machine, named after files of a phone. */
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { localName, requireFile, saveNew, timeName } from './save.js'

it('takes the last part of a path', () => {
  expect(localName('/sdcard/Download/list.txt')).toBe('list.txt')
  expect([localName('/'), localName('..'), localName('/sdcard/..')]).toEqual(['file', 'file', 'file'])
  expect(localName('/sdcard/a:b|c')).toBe('a_b_c')
})

it('never leaves the folder', () => {
  const part = fc.oneof(fc.constantFrom('..', '.', '/', '\\', '\u0000'), fc.string())
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const name = localName(parts.join('/'))
      expect(path.dirname(path.resolve('/here', name))).toBe('/here')
      expect(path.win32.dirname(path.win32.resolve('C:/here', name))).toBe('C:\\here')
    }),
  )
})

it('refuses what is not a file', async () => {
  await expect(requireFile('/no/such/file')).rejects.toThrow('There is no file /no/such/file.')
  await expect(requireFile('/')).rejects.toThrow('/ is not a file.')
})

it('numbers a file if a file or a link has its name', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'phonerack-cli-'))
  const file = path.join(folder, 'shot.png')
  await symlink(path.join(folder, 'target'), file)
  const saved = [await saveNew(file, Buffer.from('a')), await saveNew(file, Buffer.from('b'))]
  expect(saved.map((each) => path.basename(each))).toEqual(['shot-2.png', 'shot-3.png'])
  await expect(readFile(path.join(folder, 'target'))).rejects.toThrow('ENOENT')
  await rm(folder, { recursive: true })
})

it('names screenshots by their time', () => {
  expect(timeName(Date.parse('2026-11-24T14:17:36.120Z'))).toBe('20261124-141736')
})
