/** The log of the phone as `logcat` prints it, and the entries that Android writes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testAndroid, type TestAndroid } from '../../testing/test-android.js'

let phone: TestAndroid
beforeEach(async () => {
  phone = testAndroid()
  await phone.run('logcat -b all -c')
})
afterEach(() => phone.close())
const out = async (script: string) => (await phone.run(script)).out
const trouble = 'com.phonerack.trouble'

describe('logcat', () => {
  it('prints lines of log in the forms of Android [42.51]', async () => {
    await phone.run('log -p w -t Tag "one line"')
    expect(await out('logcat -d')).toMatch(
      /^--------- beginning of main\n\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d+ +\d+ W Tag {5}: one line\n$/,
    )
    expect(await out('logcat -d -v epoch,nsec,uid')).toMatch(
      /\n {9}\d{10}\.\d{9} shell +\d+ +\d+ W Tag {5}: one line\n$/,
    )
    expect(await out('logcat -d -v brief')).toMatch(/\nW\/Tag {5}\( +\d+\): one line\n$/)
    expect(await out('logcat -d -v raw')).toBe('--------- beginning of main\none line\n')
    expect(await out('logcat -d -v long')).toMatch(/\n\[ .* W\/Tag {6}\]\none line\n\n$/)
  })

  it('repeats the prefix on each line of a message, so that a message cannot look like several', async () => {
    await phone.run("log -t Tag 'a\nb'")
    expect(await out('logcat -d -v tag')).toBe('--------- beginning of main\nI/Tag     : a\nI/Tag     : b\n')
  })

  it('filters by tag, level, process and user [42.52]', async () => {
    await phone.run('log -t A one; log -p e -t B two; log -p d -t B three')
    const raw = (options: string) => out(`logcat -d -v raw ${options} | tail -n +2`)
    expect(await raw('-s B')).toBe('two\nthree\n')
    expect(await raw('B:E *:S')).toBe('two\n')
    expect(await raw('*:E')).toBe('two\n')
    expect(await raw('--uid=2000')).toBe('one\ntwo\nthree\n')
    expect(await raw('--uid=1000')).toBe('')
    expect(await raw('--pid=999999')).toBe('')
    expect(await raw('-m 1')).toBe('one\n')
    expect(await raw('-t 2')).toBe('two\nthree\n')
  })

  it('begins at a time', async () => {
    await phone.run('log -t A one; log -t A two')
    const second = await out('logcat -d -v epoch,nsec | tail -n 1')
    const [, time] = /^ *(\d+\.\d{9})/.exec(second) ?? []
    expect(await out(`logcat -d -v raw -T ${time ?? ''} | tail -n 1`)).toBe('two\n')
    expect(await out(`logcat -d -v raw -T ${time ?? ''} | wc -l`)).toMatch(/^2\n$/)
  })

  it('is cleared, by buffer', async () => {
    await phone.run(`log one; am start -n ${trouble}/.MainActivity`)
    await phone.run('logcat -b main -c')
    expect(await out('logcat -d -b main')).toBe('')
    expect(await out('logcat -d -b system')).toContain('ActivityTaskManager: START')
    await phone.run('logcat -b all -c')
    expect(await out('logcat -d -b all')).toBe('')
  })

  it('prints the bytes of an entry', async () => {
    await phone.run("log -p e -t Tag 'a\nb'")
    const bytes = Buffer.from(await out('logcat -d -B'), 'latin1')
    expect(bytes.readUInt16LE(0)).toBe(bytes.length - 28)
    expect(bytes.readUInt16LE(2)).toBe(28)
    expect(bytes.readUInt32LE(20)).toBe(0)
    expect(bytes.readUInt32LE(24)).toBe(2000)
    expect(bytes.subarray(28).toString('latin1')).toBe('\x06Tag\0a\nb\0')
  })

  it('refuses options and buffers that it does not know', async () => {
    expect((await phone.run('logcat --no-such')).code).toBe(1)
    expect((await phone.run('logcat -b nothing -d')).code).toBe(1)
    expect((await phone.run('logcat -v nothing -d')).code).toBe(1)
  })

  it('is empty after a restart', async () => {
    await phone.run('log one')
    await phone.android.boot(false)
    expect(await out('logcat -d -b main')).toBe('')
    expect(await out('logcat -d -b system -v raw')).toContain('System now ready')
  })
})

describe('Android logs', () => {
  it('a crash: an event, the stack, and a report [42.49]', async () => {
    await phone.run(`am start -n ${trouble}/.MainActivity`)
    const pid = (await out(`pidof ${trouble}`)).trim()
    phone.android.world.showCrash(trouble)
    expect(await out('logcat -d -b events -v raw -s am_crash | tail -n 1')).toBe(
      `[${pid},0,${trouble},952680005,java.lang.IllegalStateException,Crashed on command,MainActivity.kt,42,0]\n`,
    )
    expect(await out('logcat -d -b crash -v tag')).toContain(
      `E/AndroidRuntime: Process: ${trouble}, PID: ${pid}\nE/AndroidRuntime: java.lang.IllegalStateException: Crashed on command\n`,
    )
    const report = await out('dumpsys dropbox --print system_app_crash')
    expect(report).toMatch(/^={40}\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d system_app_crash \(text, \d+ bytes\)$/m)
    expect(report).toContain(`Process: ${trouble}\nPID: ${pid}\nUID: 10110\n`)
    expect(report).toContain('\n\njava.lang.IllegalStateException: Crashed on command\n\tat ')
    expect(await out('dumpsys dropbox --file system_app_crash')).toMatch(
      /\n {4}\/data\/system\/dropbox\/system_app_crash@\d{13}\.txt\n$/,
    )
    expect(await out('dumpsys dropbox system_app_crash')).toContain(`    Process: ${trouble}/PID:`)
  })

  it('a hang: an event, the reason, and a report with stacks', async () => {
    await phone.run(`am start -n ${trouble}/.MainActivity`)
    phone.android.world.showNotResponding(trouble)
    expect(await out('logcat -d -b events -v raw -s am_anr')).toMatch(
      /\n\[0,\d+,com\.phonerack\.trouble,952680005,Input dispatching timed out \(.*\)\]\n$/,
    )
    expect(await out('dumpsys dropbox -p system_app_anr')).toMatch(
      /Subject: Input dispatching[^]*"main" prio=5/,
    )
  })

  it('a notification, with the key that the notification service lists', async () => {
    await phone.run("cmd notification post -t 'A title' tag 'Some text'")
    expect(await out('logcat -d -b events -v raw -s notification_enqueue | tail -n 1')).toMatch(
      /^\[2000,\d+,com\.android\.shell,2020,tag,0,Notification\(.*\),0\]\n$/,
    )
    const key = '0|com.android.shell|2020|tag|2000'
    expect(await out('cmd notification list')).toBe(`${key}\n`)
    const record = await out(`cmd notification get '${key}'`)
    expect(record).toMatch(
      /^NotificationRecord\(0x[0-9a-f]+: pkg=com\.android\.shell user=UserHandle\{0\} id=2020 tag=tag /,
    )
    expect(record).toContain('android.title=String (A title)\n')
    expect(record).toContain('android.text=String (Some text)\n')
    expect(await out('dumpsys notification')).toContain('android.text=String [length=9]\n')
    expect(await out('dumpsys notification --noredact')).toContain('android.text=String (Some text)\n')
    expect((await phone.run("cmd notification get 'no|such|key'")).code).toBe(255)
    await phone.run("cmd notification post tag 'Other text'")
    expect(await out('logcat -d -b events -v raw -s notification_enqueue | tail -n 1')).toMatch(/,1\]\n$/)
  })
})

it('changes permissions of built-in apps', async () => {
  const state = () => out(`dumpsys package ${trouble} | grep CAMERA:`)
  const camera = 'android.permission.CAMERA'
  expect(await state()).toContain('granted=false')
  expect((await phone.run(`pm grant --user 0 ${trouble} ${camera}`)).code).toBe(0)
  expect(await state()).toContain('granted=true')
  expect((await phone.run(`pm revoke --user 0 ${trouble} ${camera}`)).code).toBe(0)
  expect(await state()).toContain('granted=false')
  const other = await phone.run(`pm grant ${trouble} android.permission.READ_SMS`)
  expect(other.code).not.toBe(0)
  expect(await out('pm list permissions -d')).toContain(`permission:${camera}\n`)
})
