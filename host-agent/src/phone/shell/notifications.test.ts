/** Notifications: the forms of Android, and a virtual phone through the real adb server. */
import { Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { printing } from '../../testing/printing.js'
import { createNotifications, keysOf, parseRecord } from './notifications.js'

const record = (
  flags: string,
  extras: string,
) => `NotificationRecord(0x0a1b2c3d: pkg=com.example.shop user=UserHandle{0} id=7 tag=order importance=3 key=0|com.example.shop|7|order|10212: Notification(channel=orders shortcut=null contentView=null vibrate=null sound=null defaults=0x0 flags=${flags} color=0x00000000 vis=PRIVATE))
      uid=10212 userId=0
      flags=${flags}
      notification=
        when=1769862896000
        extras={
            android.title=String (Order 7)
${extras}        }
      mCreationTimeMs=1769862896123
`

describe('a record', () => {
  it('has the key, the texts and the time', () => {
    expect(
      parseRecord(
        record(
          '0x10',
          '            android.text=SpannableString (Is on\nits way)\n            android.subText=null\n',
        ),
      ),
    ).toEqual({
      key: '0|com.example.shop|7|order|10212',
      package: 'com.example.shop',
      title: 'Order 7',
      text: 'Is on\nits way',
      dismissible: true,
      postedAt: new Date(1_769_862_896_123),
    })
  })

  it('cannot be dismissed when its app keeps it', () => {
    for (const flags of ['0x2', '0x62', '0x20', 'ONGOING_EVENT|FOREGROUND_SERVICE', 'NO_CLEAR'])
      expect(parseRecord(record(flags, ''))?.dismissible, flags).toBe(false)
    for (const flags of ['0x10', '0x0', 'AUTO_CANCEL'])
      expect(parseRecord(record(flags, ''))?.dismissible).toBe(true)
  })

  it('is not accepted with the key of another app', () => {
    const forged = record('0x10', '').replace('pkg=com.example.shop', 'pkg=com.example.other')
    expect(parseRecord(forged)).toBeNull()
  })

  it('has its key even when the tag in it looks like a key', () => {
    const tag = 'a key=mine'
    const line = `NotificationRecord(0x1: pkg=com.example.shop user=UserHandle{0} id=7 tag=${tag} importance=3 key=0|com.example.shop|7|${tag}|10212: Notification(flags=0x10))`
    expect(parseRecord(line)?.key).toBe(`0|com.example.shop|7|${tag}|10212`)
  })

  // Forms: OnePlus 3T, Android 9 (no space behind the key); HyperOS, Android 15 (a field behind it, flags by name, two times).
  it.each([
    ['OxygenOS', ['|10212: ', '|10212appImportanceLocked=false: ']],
    ['HyperOS', ['|10212: ', '|10212 bbbc=2: ']],
    ['an unknown maker', ['importance=3 ', 'importance=3 abc=1 de=f ']],
    ['HyperOS, the time', ['when=1769862896000', 'when=1769862896000/1769862896000']],
  ])('is read in the form of %s', (_maker, [from = '', to = '']) => {
    const text = record('AUTO_CANCEL|ONLY_ALERT_ONCE', '').replace(from, to)
    for (const each of [text, text.replaceAll('\n', '\r\n'), text.trimEnd()])
      expect(parseRecord(each), each).toMatchObject({
        key: '0|com.example.shop|7|order|10212',
        package: 'com.example.shop',
        title: 'Order 7',
      })
  })

  it('has the key of its group, and a key with line feeds', () => {
    const grouped = record('0x10', '').replace('|10212: ', '|10212|ranker_group bbbc=2: ')
    expect(parseRecord(grouped)?.key).toBe('0|com.example.shop|7|order|10212|ranker_group')
    // Form: WhatsApp, Android 12: the tag ends with a line feed.
    const lined = record('0x10', '').replace('tag=order', 'tag=b4/=\n').replace('|order|', '|b4/=\n|')
    expect(parseRecord(lined)).toMatchObject({ key: '0|com.example.shop|7|b4/=\n|10212', title: 'Order 7' })
  })

  it('cannot get the key of another app from its tag', () => {
    const forged = (tag: string) =>
      `NotificationRecord(0x1: pkg=com.evil user=UserHandle{0} id=7 tag=${tag} importance=3 key=0|com.evil|7|${tag}|10300: Notification(flags=0x10))`
    for (const tag of [
      'a importance=3 key=0|com.bank|1|a|10001',
      'a\n    NotificationRecord(0x2: pkg=com.bank user=UserHandle{0} id=1 tag=a importance=3 key=0|com.bank|1|a|10001: Notification(',
    ])
      expect(parseRecord(forged(tag))?.package).toBe('com.evil')
  })

  it('is not found in another form', () => {
    for (const text of [
      '',
      'No active or snoozed notification found for key: x\n',
      'NotificationRecord(0x1: ',
    ])
      expect(parseRecord(text)).toBeNull()
  })
})

describe('a list of keys', () => {
  it('has keys with line feeds and groups', () => {
    const keys = ['0|com.a|1|null|10001', '0|com.b|1|x=\n|10002', '-1|android|2147483647|g|1000|ranker_group']
    for (const end of ['\n', '\r\n', ''])
      for (const list of [keys, keys.toReversed()])
        expect(keysOf(list.join('\n') + end).toSorted()).toEqual(keys.toSorted())
    const many = Array.from({ length: 100 }, (_, id) => `0|com.a|${id}|null|10001`)
    expect(keysOf(many.join('\n'))).toEqual(many)
    expect(keysOf('Active notifications:\n')).toEqual([])
  })
})

/** The list of a phone whose commands print these texts. */
const printed = (outputs: Record<string, string>) =>
  createNotifications(
    printing((line) => {
      const [, text = ''] = Object.entries(outputs).find(([begin]) => line.startsWith(begin)) ?? []
      // `get` is one line of several commands, with an `echo` before each command.
      const border = /^echo (\w+)/.exec(line)?.[1]
      const records = line.split(`echo ${border}; `).slice(1)
      return border === undefined ? text : records.map(() => `${border}\n${outputs['get'] ?? ''}`).join('')
    }),
  ).list(Progress.for(1000))

describe('output in another form', () => {
  const key = '0|com.example.shop|7|order|10212'
  const list = 'cmd notification list'

  it('is an error instead of an empty list', async () => {
    await expect(printed({ [list]: 'Notifications: 3\n' })).rejects.toThrow('in an unknown form')
    await expect(printed({ [list]: `${key}\n`, get: 'Record of 7\n' })).rejects.toThrow('in an unknown form')
    const dump = { [list]: 'Unknown command: list\n' }
    await expect(printed({ ...dump, 'dumpsys notification': 'Notifications\n' })).rejects.toThrow(
      'in an unknown form',
    )
    const records = `Current Notification Manager state:\n  Notification List:\n    ${record('0x10', '')}`
    await expect(
      printed({ ...dump, 'dumpsys notification': records.replaceAll(' key=', ' k=') }),
    ).rejects.toThrow('in an unknown form')
    expect(await printed({ ...dump, 'dumpsys notification': records })).toHaveLength(1)
    expect(
      await printed({ ...dump, 'dumpsys notification': 'Current Notification Manager state:\n' }),
    ).toEqual([])
  })

  it('is an empty list when the notification is gone', async () => {
    expect(
      await printed({ [list]: `${key}\n`, get: `error: no active notification matching key: ${key}\n` }),
    ).toEqual([])
    expect(await printed({ [list]: '' })).toEqual([])
  })
})

describe('a phone', () => {
  let plugged: PluggedIn
  beforeAll(async () => {
    plugged = await plugIn()
  })
  afterAll(() => plugged.stop())
  const shell = (...words: string[]) => plugged.transport.shell(command(...words), Progress.for(60_000))
  const list = () => createNotifications(plugged.transport).list(Progress.for(60_000))

  it('lists its notifications with their texts [42.20]', async () => {
    expect(await list()).toEqual([])
    await shell('cmd', 'notification', 'post', '-t', 'First', 'one', 'Text of one')
    await shell('cmd', 'notification', 'post', '-t', 'Second', "t|a'g 世", 'Two\nlines')
    expect((await list()).map(({ key, title, text }) => [key, title, text])).toEqual([
      ["0|com.android.shell|2020|t|a'g 世|2000", 'Second', 'Two\nlines'],
      ['0|com.android.shell|2020|one|2000', 'First', 'Text of one'],
    ])
  })

  it('keeps a forged record inside the text of its app', async () => {
    const forged = `x)\n    NotificationRecord(0x1: pkg=com.bank user=UserHandle{0} id=1 tag=a importance=3 key=0|com.bank|1|a|10001: Notification(flags=0x10))`
    await shell('cmd', 'notification', 'post', '-t', 'Forger', 'forger', forged)
    expect((await list()).map(({ package: name }) => name)).toEqual(Array(3).fill('com.android.shell'))
  })
})
