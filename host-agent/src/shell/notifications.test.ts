/** Notifications: the forms of Android, and a virtual phone through the real adb server. */
import { Progress } from '@phonerack/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../adb/quote.js'
import { plugIn, type PluggedIn } from '../testing/plugged-in.js'
import { createNotifications, parseRecord } from './notifications.js'

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
      ...{ key: '0|com.example.shop|7|order|10212', package: 'com.example.shop' },
      ...{ title: 'Order 7', text: 'Is on\nits way', dismissible: true },
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

  it('is not found in another form', () => {
    for (const text of [
      '',
      'No active or snoozed notification found for key: x\n',
      'NotificationRecord(0x1: ',
    ])
      expect(parseRecord(text)).toBeNull()
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

  it('lists its notifications with their texts', async () => {
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
