import { createLogger, Progress } from '@phonerack/shared'
import { expect, it } from 'vitest'
import type { Transport } from '../../adb/transport.js'
import type { ShellRecord } from '../../custody/records.js'
import { environment } from '../../service/config.js'
import { kindOf } from './kinds.js'
import { ShellUse } from './shell-use.js'

it.each([
  ['phonerack', 'virtual'],
  ['ranchu', 'avd'],
  ['goldfish', 'avd'],
  ['redroid', 'redroid'],
  ['qcom', 'handset'],
  ['', 'handset'],
  [null, 'handset'],
  ['constructor', 'handset'],
])('a phone with the hardware %s is of the kind %s', (hardware, kind) => {
  expect(kindOf(hardware)).toBe(kind)
})

it.each([
  [undefined, ['virtual']],
  ['off', []],
  ['handset, virtual', ['handset', 'virtual']],
  ['phones', null],
  ['off,virtual', null],
])('PHONERACK_SHELL=%s allows %j', (text, kinds) => {
  expect(environment.shape.PHONERACK_SHELL.safeParse(text).data ?? null).toEqual(kinds)
})

it('refuses shell commands on a kind that is not allowed, and asks the phone nothing [44.7]', async () => {
  let record: ShellRecord | null = null
  const known = { booted: true, hardwareSerial: null, maker: null, model: null, sdk: 34, hardware: 'qcom' }
  const use = new ShellUse({
    kinds: ['virtual'],
    known: () => known,
    tie: { restoreMark: () => Promise.resolve() },
    record: { get: () => record, set: (changed) => void (record = changed) },
    log: createLogger('test'),
  })
  const shell = use.guarded({} as Transport, { run: () => Promise.reject(new Error('ran')) })
  await expect(shell.admit(Progress.for(1000))).rejects.toMatchObject({
    code: 'shell_not_allowed',
    details: { kind: 'handset' },
  })
  expect(record).toBeNull()
})
