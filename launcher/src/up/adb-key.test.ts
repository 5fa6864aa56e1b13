import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ensureAdbKey } from './adb-key.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-adb-key-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('creates the key once, readable by its owner only', async () => {
  const file = await ensureAdbKey('adb', dir)
  const first = readFileSync(file, 'utf8')
  expect(first.length).toBeGreaterThan(600)
  const key = file.slice(0, -'.pub'.length)
  expect(existsSync(key)).toBe(true)
  expect(statSync(key).mode & 0o077).toBe(0)
  expect(statSync(path.dirname(key)).mode & 0o077).toBe(0)
  expect(await ensureAdbKey('adb', dir)).toBe(file)
  expect(readFileSync(file, 'utf8')).toBe(first)
})
