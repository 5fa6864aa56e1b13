/** Lines of the event log: forms of Android 10 to 16, and lines that apps forge. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EventLines } from './event-line.js'

const line = (tag: string, message: string, { user = ' 1000', ns = '123456789', tid = '1450' } = {}) =>
  `         1769862896.${ns} ${user}  1422  ${tid} I ${tag}: ${message}`
const read = (text: string) => new EventLines().read(text)

it('reads a crash', () => {
  const message =
    '[5120,0,com.example.shop,952680005,java.lang.IllegalStateException,The cart, is [empty],Cart.kt,88,0]'
  expect(read(line('am_crash', message))).toMatchObject({
    kind: 'crash',
    crash: 'crash',
    package: 'com.example.shop',
    pid: 5120,
    exception: 'java.lang.IllegalStateException',
    at: new Date(1_769_862_896_123),
    id: expect.stringMatching(/^[\w-]{22}$/) as string,
  })
})

it('reads a fault in native code, a hang, and a crash of another process of an app', () => {
  expect(read(line('am_crash', '[5120,0,com.a,0,Native crash,Segmentation fault,unknown,0]'))).toMatchObject({
    crash: 'native_crash',
    exception: null,
  })
  expect(read(line('am_anr  ', '[0,5120,com.a,0,Input dispatching timed out (a, b)]'))).toMatchObject({
    crash: 'anr',
    exception: null,
    package: 'com.a',
  })
  expect(read(line('am_crash', '[5120,10,com.a:remote,-1,x.Y,,F.java,1]'))).toMatchObject({
    package: 'com.a',
  })
})

it('reads a new notification with the key of the notification service', () => {
  const posted = (values: string) => read(line('notification_enqueue', values))
  expect(posted('[10212,1422,com.a,7,order,0,Notification(channel=a vis=PRIVATE),0]')).toMatchObject({
    kind: 'notification',
    package: 'com.a',
    key: '0|com.a|7|order|10212',
  })
  expect(posted('[10212,1422,com.a,-7,NULL,0,Notification(x),0]')).toMatchObject({
    key: '0|com.a|-7|null|10212',
  })
  expect(posted('[10212,1422,com.a,7,a,b|世,0,Notification(x),0]')).toMatchObject({
    key: '0|com.a|7|a,b|世|10212',
  })
  // An update, and a notification that Android ignored.
  expect(posted('[10212,1422,com.a,7,order,0,Notification(x),1]')).toBeNull()
  expect(posted('[10212,1422,com.a,7,order,0,Notification(x),2]')).toBeNull()
})

it('skips events that an app wrote under its own user [42.47]', () => {
  const message = '[1,0,com.bank,0,x.Y,forged,F,1]'
  for (const user of ['10212', 'shell', ' 2000', 'u0_a1'])
    expect(read(line('am_crash', message, { user }))).toBeNull()
  expect(read(line('am_crash', message, { user: 'system' }))).not.toBeNull()
})

// Forms: the camera of an AOSP emulator and the settings of a phone with Android 9: the PID comes first, unlike in am_anr.
it('reads the PID of a crash and of a hang', () => {
  expect(
    read(line('am_crash', '[5094,0,com.a,819706949,java.lang.X,length=1; index=1,A.java,176,0]')),
  ).toMatchObject({ pid: 5094 })
  expect(read(line('am_anr', '[0,5094,com.a,1,reason]'))).toMatchObject({ pid: 5094 })
})

// Form: WhatsApp, Android 12; logcat begins each line of a message with its time and thread.
it('reads a notification whose tag has line feeds, once', () => {
  const lines = new EventLines()
  expect(lines.read(line('notification_enqueue', '[10342,900,com.chat,1,b4/='))).toBeNull()
  expect(lines.read(line('notification_enqueue', ',0,Notification(channel=a),0]'))).toMatchObject({
    package: 'com.chat',
    key: '0|com.chat|1|b4/=\n|10342',
  })
  expect(lines.read(line('notification_enqueue', '[10001,1,com.bank,1,x,0,Notification(y),0]'))).toBeNull()
  expect(lines.read(line('notification_enqueue', '[10342,900,com.chat,1,x', { ns: '123456790' }))).toBeNull()
  const forged = line('notification_enqueue', '[10001,1,com.bank,1,x,0,Notification(y),0]', {
    ns: '123456790',
  })
  expect(lines.read(forged)).toMatchObject({ package: 'com.chat' })
})

it('skips further lines of a message', () => {
  const lines = new EventLines()
  expect(lines.read(line('am_crash', '[5120,0,com.a,0,x.Y,first'))).toMatchObject({ package: 'com.a' })
  expect(lines.read(line('am_crash', '[1,0,com.bank,0,x.Y,forged,F,1]'))).toBeNull()
  expect(lines.read(line('am_crash', '[1,0,com.b,0,x.Y,,F,1]', { ns: '123456790' }))).toMatchObject({
    package: 'com.b',
  })
})

it('gives a line the same name each time', () => {
  const text = line('am_anr', '[0,5120,com.a,0,reason]')
  expect(read(text)?.id).toBe(read(text)?.id)
  expect(read(text)?.id).not.toBe(read(line('am_anr', '[0,5121,com.a,0,reason]'))?.id)
})

it('never fails, and takes linear time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      for (const tag of ['am_crash', 'am_anr', 'notification_enqueue']) read(line(tag, text))
      read(text)
    }),
  )
  const long = line('notification_enqueue', `[1,1,com.a,7,${',0,Notification('.repeat(1000)}`)
  const startedAt = performance.now()
  read(long)
  expect(performance.now() - startedAt).toBeLessThan(2000)
})
