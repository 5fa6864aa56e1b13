import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { rotateBrokerKeys, writeBrokerConfig } from './broker/index.js'
import { createPrivate, makePrivateFolder, readPrivate, replacePrivate } from './private-file.js'

const isRoot = process.getuid?.() === 0
const [uid, gid] = [4321, 4322]

let dir: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-private-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const at = (name: string): string => path.join(dir, name)
const facts = (file: string): number[] => {
  const found = statSync(file)
  return [found.uid, found.gid, found.mode & 0o777]
}

it('creates a file once, and leaves no draft', () => {
  expect(createPrivate(at('key'), 'first')).toBe('first')
  expect(createPrivate(at('key'), 'second')).toBe('first')
  expect(statSync(at('key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dir)).toEqual(['key'])
})

it('leaves no draft when it cannot finish', () => {
  mkdirSync(at('key'))
  expect(() => replacePrivate(at('key'), 'text')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(readdirSync(dir)).toEqual(['key'])
})

it('keeps the mode of a file that it replaces, and follows no symbolic link', () => {
  writeFileSync(at('read by a group'), 'before')
  chmodSync(at('read by a group'), 0o640)
  replacePrivate(at('read by a group'), 'after')
  expect(statSync(at('read by a group')).mode & 0o777).toBe(0o640)
  writeFileSync(at('foreign'), 'foreign')
  symlinkSync(at('foreign'), at('link'))
  expect(() => readPrivate(at('link'))).toThrow(/is a symbolic link/)
  replacePrivate(at('link'), 'after')
  expect([readFileSync(at('foreign'), 'utf8'), readPrivate(at('link'))]).toEqual(['foreign', 'after'])
  expect(statSync(at('link')).mode & 0o777).toBe(0o600)
})

it.skipIf(!isRoot)('gives new folders and files of root to the owner of the folder above', () => {
  chownSync(dir, uid, gid)
  makePrivateFolder(at('a/b'))
  createPrivate(at('a/b/key'), 'text')
  for (const name of ['a', 'a/b']) expect(facts(at(name)), name).toEqual([uid, gid, 0o700])
  expect(facts(at('a/b/key'))).toEqual([uid, gid, 0o600])
  chownSync(at('a/b/key'), 0, gid)
  chmodSync(at('a/b/key'), 0o640)
  createPrivate(at('a/b/key.next'), 'text', at('a/b/key'))
  expect(facts(at('a/b/key.next'))).toEqual([0, gid, 0o640])
})

it.skipIf(!isRoot)('keeps the owners of the files of a broker when root writes or rotates them', async () => {
  const options = { dir, host: '127.0.0.1', port: 4222, tls: null, storeDir: at('store') }
  await writeBrokerConfig(options)
  const names = ['nats.conf', 'account.jwt', 'control-plane.creds', 'system.creds', 'operator-signing.seed']
  for (const name of names) {
    chownSync(at(name), uid, gid)
    chmodSync(at(name), 0o640)
  }
  const text = (): string[] => names.map((name) => readFileSync(at(name), 'utf8'))
  const before = text()
  await writeBrokerConfig(options)
  // The configuration contains claims that are signed at each write.
  expect(text().slice(1)).toEqual(before.slice(1))
  await rotateBrokerKeys(dir)
  for (const [index, name] of names.entries()) {
    expect(facts(at(name)), name).toEqual([uid, gid, 0o640])
    expect(text()[index], name).not.toBe(before[index])
  }
})

it.skipIf(!isRoot)('writes through no symbolic link in a folder of the broker', async () => {
  const options = { dir, host: '127.0.0.1', port: 4222, tls: null, storeDir: at('store') }
  await writeBrokerConfig(options)
  for (const name of ['replaced-users.json.part', `nats.conf.${process.pid}.part`])
    symlinkSync(at('created by root'), at(name))
  await rotateBrokerKeys(dir)
  expect(existsSync(at('created by root'))).toBe(false)
})
