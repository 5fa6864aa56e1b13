/** Files that root writes into the folder of another user, who may have put links there. */
import {
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeJson, writeJsonSynced } from '../base/atomic-file.js'
import { ownerOf, takeDataDir } from './data-dir.js'

let dir: string
let folder: string
let precious: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-links-'))
  folder = mkdtempSync(join(dir, 'state-'))
  precious = join(dir, 'precious')
  writeFileSync(precious, 'precious')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const linkAs = (name: string) => symlinkSync(precious, join(folder, name))
const intact = () => expect(readFileSync(precious, 'utf8')).toBe('precious')

describe('links in the folder', () => {
  it('are replaced by files, and their targets do not change', () => {
    for (const write of [writeJson, writeJsonSynced]) {
      for (const name of ['identity.json', 'identity.json.new']) {
        rmSync(join(folder, name), { force: true })
        linkAs(name)
      }
      write(join(folder, 'identity.json'), { is: 'written' })
      intact()
      expect(readFileSync(join(folder, 'identity.json'), 'utf8')).toBe('{"is":"written"}')
    }
    expect(readdirSync(folder).sort()).toEqual(['identity.json', 'identity.json.new'])
  })

  it('do not lead the lock of the folder elsewhere', () => {
    linkAs('agent.json')
    const unlock = takeDataDir(folder)
    intact()
    unlock()
    intact()
    expect(readdirSync(folder)).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)('do not get the owner of the written file', () => {
    chownSync(folder, 12_345, 12_346)
    for (const name of ['identity.json', 'identity.json.new']) linkAs(name)
    writeJson(join(folder, 'identity.json'), {}, ownerOf(folder))
    expect(statSync(join(folder, 'identity.json'))).toMatchObject({ uid: 12_345, gid: 12_346 })
    expect(statSync(join(folder, 'identity.json')).mode & 0o777).toBe(0o600)
    expect(statSync(precious)).toMatchObject({ uid: 0, gid: 0 })
    const unlock = takeDataDir(folder)
    expect(statSync(join(folder, 'agent.json'))).toMatchObject({ uid: 12_345, gid: 12_346 })
    unlock()
  })
})

it('leaves no draft of a write that failed', () => {
  expect(() => writeJson(join(folder, 'big.json'), 1n)).toThrow(TypeError)
  expect(readdirSync(folder)).toEqual([])
})
