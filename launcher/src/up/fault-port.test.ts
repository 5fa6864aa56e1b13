/** Environment variables with which tests configure the virtual phones. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { testArguments } from './fault-port.js'

const folder = mkdtempSync(path.join(tmpdir(), 'launcher-fault-port-'))
const token = path.join(folder, 'fault-token')
afterEach(() => rmSync(token, { force: true }))

it('adds no arguments without its variables', () => {
  expect(testArguments({}, folder, [6001])).toEqual([])
  expect(testArguments({ PHONERACK_TEST_MAKERS: 'samsung,xiaomi' }, folder, [6001])).toEqual([
    ...['--maker', 'samsung,xiaomi'],
  ])
  expect(
    testArguments({ PHONERACK_TEST_FAULT_PORT: '', PHONERACK_TEST_WITHOUT: '' }, folder, [6001]),
  ).toEqual([])
})

it('keeps one token, readable by its owner only', () => {
  const args = testArguments({ PHONERACK_TEST_FAULT_PORT: '7000' }, folder, [6001])
  expect(args).toEqual(['--fault-port', '7000', '--fault-token-file', token])
  expect(statSync(token).mode & 0o777).toBe(0o600)
  const first = readFileSync(token, 'utf8')
  expect(first.length).toBeGreaterThan(40)
  testArguments({ PHONERACK_TEST_FAULT_PORT: '7000' }, folder, [6001])
  expect(readFileSync(token, 'utf8')).toBe(first)
})

it('names phones by their position', () => {
  const without = 'scrcpy,2:ui-server,1:locale'
  expect(testArguments({ PHONERACK_TEST_WITHOUT: without }, folder, [6001, 6002])).toEqual([
    '--without',
    'scrcpy,6002:ui-server,6001:locale',
  ])
  expect(() => testArguments({ PHONERACK_TEST_WITHOUT: '3:scrcpy' }, folder, [6001, 6002])).toThrow(
    'phone 3 does not exist',
  )
})
