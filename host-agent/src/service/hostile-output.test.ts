/**
 * Long output of a hostile phone. Parsing takes time in proportion to the size: with a quadratic step each
 * output would take minutes or hours, and the agent's other phones would wait.
 */
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { Transport } from '../adb/transport.js'
import { Progress } from '@phonerack/shared'
import { parseDeviceList } from '../adb/device-list.js'
import { parseReport } from '../phone/logs/dropbox.js'
import { EventLines } from '../phone/logs/event-line.js'
import { parsePermissions } from '../phone/packages/permissions.js'
import { parseXml, readXml } from '../screen/xml.js'
import { parseRecord } from '../phone/shell/notifications.js'
import { extractXml } from '../phone/shell/ui.js'
import { iconOf } from '../phone/shell/apps.js'
import { parseSize } from '../phone/shell/screen.js'
import { parseWindows } from '../phone/shell/windows.js'
import { parseCondition } from '../devices/supervision/condition.js'
import { identify } from '../devices/supervision/identify.js'
import { accountTypesOf } from '../custody/wiping/order.js'
import { traces } from '../custody/wiping/traces.js'

const bytes = 2 << 20
/** The limit in milliseconds. A linear parser needs a small part of it; a quadratic step needs more. */
const limitMs = 20_000
const filledWith = (piece: string, before = ''): string =>
  before + piece.repeat(Math.floor((bytes - before.length) / piece.length))
const nothing = { onOpen: () => undefined, onClose: () => undefined }

/** Interrupts `work` at the limit: a parser that blocks the thread would block the timer of a test's own deadline. */
const bounded = (work: () => void) => () => void runInNewContext('work()', { work }, { timeout: limitMs })

describe('the time for hostile output grows with its size', () => {
  it(
    'for windows',
    bounded(() => {
      const shown = '  mInputShown=false\n  Display: mDisplayId=0\n  mCurrentFocus=null\n'
      const of = (piece: string) => parseWindows(filledWith(piece, shown))
      of('mCurrentFocus=Window{a b')
      of('mFocusedApp=AppWindowToken{')
      of('Display: mDisplayId=1\n')
      of('Display: mDisplayId=1\nmCurrentFocus=Window{a ')
      of('mFocusedApp=AppWindowToken{ActivityRecord{a u0 ')
      expect(of('\n').package).toBe('')
      for (const piece of ['a=b ', '\n', 'a/b ', ' a='])
        expect(() => parseWindows(filledWith(piece))).toThrow()
      for (const piece of [' cur=1x', '\n', ' '])
        expect(parseSize(filledWith(piece, '  Display: mDisplayId=0\n    init='))).toBeNull()
    }),
  )

  it(
    "for an app's icon",
    bounded(() => {
      for (const piece of ['\n', ' ', 'a/', 'a'])
        expect(iconOf(filledWith(piece, 'a'), 'org.example')).toBeNull()
    }),
  )

  it(
    'for the condition',
    bounded(() => {
      const of = (part: string) => parseCondition(filledWith('\n', `== phonerack ${part}\n`))
      for (const part of ['boot', 'battery', 'storage', 'lock', 'packages']) of(part)
      expect(parseCondition(filledWith(' 1', '== phonerack storage\n')).storage_free_bytes).toBeNull()
    }),
  )

  it(
    'for notifications',
    bounded(() => {
      const head = '  NotificationRecord('
      expect(parseRecord(filledWith(' pkg=a key=1|', head))).toBeNull()
      expect(parseRecord(filledWith(' key=1|a|1', head))).toBeNull()
      parseRecord(filledWith('\n', `${head} pkg=a key=0|a|1|null|1: x\n`))
    }),
  )

  it(
    'for events',
    bounded(() => {
      const line = '1.000000001 system 1 1 I notification_enqueue: [1,1,a,1,x'
      expect(new EventLines().read(filledWith(',1,Notification(', line))).toBeNull()
      expect(new EventLines().read(`${filledWith(',1,', line)},0]`)).toBeNull()
    }),
  )

  it(
    'for the screen',
    bounded(() => {
      expect(extractXml(filledWith('<hierarchy '))).not.toBe('')
      expect(() => readXml(filledWith('<?xml '), nothing as never)).toThrow()
      expect(() => parseXml(filledWith('<?xml a '), nothing as never)).toThrow()
    }),
  )

  it(
    'for accounts, administrators, permissions, reports and the list of devices',
    bounded(() => {
      expect(accountTypesOf(filledWith('Account {name='))).toEqual([])
      for (const { find } of traces) {
        find(filledWith('\n', 'Device Policy Manager'))
        find(filledWith(' a/b:', 'Device Policy Manager\n'))
      }
      parsePermissions(
        `Packages:\n  Package [a] (x):\n    requested permissions:\n${filledWith(' ', '      b:')}\u2028`,
        'a',
      )
      parseReport('crash', `Process: ${filledWith(':')}\r`)
      expect(parseDeviceList(filledWith(' a:b:c', 'serial device'), 0)).toEqual([])
    }),
  )
})

it('reports at most 200 characters of a property, since it is in every heartbeat', async () => {
  const stdout = Buffer.from(`1\nserial\n${'m'.repeat(2_000_000)}\nmodel\n34\n`)
  const shell: Transport['shell'] = () => Promise.resolve({ exitCode: 0, stdout, stderr: Buffer.alloc(0) })
  const found = await identify({ shell } as Transport, Progress.for(1000))
  expect(found).toMatchObject({ booted: true, hardwareSerial: 'serial', maker: 'm'.repeat(200), sdk: 34 })
})
