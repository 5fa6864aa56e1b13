import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Phone, startPhone } from '../phone.js'
import { type Adb, startAdb } from '../testing/adb.js'
import type { Witnessed } from './witness.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-witness-'))
let phone: Phone
let adb: Adb
let serial = ''
beforeAll(async () => {
  phone = await startPhone({ port: 0, dataDir: folder, pace: 'instant', witnessOf: 'trace-' })
  serial = `127.0.0.1:${phone.port}`
  adb = await startAdb(serial)
  await adb.run(['connect', serial])
})
afterAll(async () => {
  await adb.close()
  await phone.close()
  rmSync(folder, { recursive: true })
})

const read = (): Witnessed[] =>
  readFileSync(join(folder, 'witness.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Witnessed)

it('records the commands that contain the word, and the wipe between them', async () => {
  await adb.run(['shell', 'echo a > /sdcard/trace-1; mv -f /sdcard/trace-1 /sdcard/trace-2; ls /sdcard'])
  await adb.run(['shell', 'cmd testharness enable'])
  await expect.poll(() => read().some(({ what }) => what === 'wipe')).toBe(true)
  await expect
    .poll(
      async () => {
        await adb.run(['disconnect', serial])
        await adb.run(['connect', serial])
        return (await adb.run(['shell', 'echo trace-3'])).stdout.toString()
      },
      { timeout: 60_000 },
    )
    .toBe('trace-3\n')
  expect(read().map((line) => (line.what === 'wipe' ? 'wipe' : line.argv.join(' ')))).toEqual([
    'mv -f /sdcard/trace-1 /sdcard/trace-2',
    'wipe',
    'echo trace-3',
  ])
})
