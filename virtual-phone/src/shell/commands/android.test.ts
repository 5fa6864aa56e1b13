/** The output of Android's commands that known programs parse. */
import { afterAll, describe, expect, it } from 'vitest'
import { testAndroid } from '../../testing/test-android.js'

const phone = testAndroid()
afterAll(() => phone.close())
const out = async (script: string) => (await phone.run(script)).out

describe("Android's commands", () => {
  it('settings', async () => {
    expect(
      await out(
        'settings get global nope; settings put global a "b c"; settings get global a; settings delete global a; settings get global a',
      ),
    ).toBe('null\nb c\nDeleted 1 rows\nnull\n')
    expect(await out('settings list system')).toMatch(/^accelerometer_rotation=0\n/)
  })

  it('properties: the shell may set some', async () => {
    expect(await out('getprop ro.build.version.sdk; getprop nope; getprop nope fallback')).toBe(
      '34\n\nfallback\n',
    )
    expect((await phone.run('setprop ro.product.model X')).code).toBe(1)
    expect(await out('setprop debug.x 1; getprop debug.x; getprop | grep debug.x')).toBe(
      '1\n[debug.x]: [1]\n',
    )
  })

  it('packages', async () => {
    expect(await out('pm path com.android.settings')).toBe(
      'package:/system/priv-app/com.android.settings/com.android.settings.apk\n',
    )
    expect((await phone.run('pm path no.such.app')).code).toBe(1)
    expect(await out('pm list packages -3')).toBe('')
    expect(await out('cmd package list packages -f -U --show-versioncode settings')).toMatch(
      /^package:\/system\/\S+\.apk=com\.android\.\S+ versionCode:\d+ uid:\d+$/m,
    )
    const resolved = await out(
      'cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER com.android.settings',
    )
    expect(resolved.trim().split('\n').at(-1)).toMatch(/^com\.android\.settings\//)
    expect((await phone.run('pm install x.apk')).code).toBe(255)
    expect(await out('dumpsys package com.android.settings')).toMatch(/versionName=.*\n[^]*firstInstallTime=/)
  })

  it('invalid intents end their command, but not the script', async () => {
    for (const wrong of [
      'am start -n nonsense',
      'am start --no-such-option',
      'am start',
      'am broadcast -a',
      'cmd package resolve-activity --brief -n nonsense',
      'pm query-activities --no-such-option',
    ]) {
      const { out: printed, err } = await phone.run(`${wrong}; echo "then $?"`)
      expect(printed, wrong).toBe('then 255\n')
      expect(err).toContain('java.lang.IllegalArgumentException')
    }
    expect(await out("am start -a android.intent.action.CALL -d 'tel:%zz'; echo then")).toMatch(/then\n$/)
  })

  it('apps have processes from their start until they are stopped', async () => {
    const notes = 'com.phonerack.notes'
    await out(`am start -n ${notes}/.MainActivity`)
    const pid = (await out(`pidof ${notes}`)).trim()
    expect(pid).toMatch(/^\d+$/)
    expect(await out(`pidof -s com.android.launcher3 no.such.app; echo $?`)).toMatch(/^\d+\n0\n$/)
    expect(await out(`ps -A -o PID,NAME | grep ${notes}`)).toBe(`${pid} ${notes}\n`)
    const processes = await out('dumpsys activity processes')
    expect(processes).toMatch(new RegExp(`fg +T/A/TOP .*${pid}:${notes}/u0a\\d+ \\(top-activity\\)`))
    await out('input keyevent HOME')
    expect((await out(`pidof ${notes}`)).trim()).toBe(pid)
    expect(await out('dumpsys activity processes')).toMatch(new RegExp(`prev .*${pid}:${notes}`))
    await out(`am force-stop ${notes}`)
    expect((await phone.run(`pidof ${notes}`)).code).toBe(1)
  })

  it('sockets and bars are listed', async () => {
    expect(await out('head -1 /proc/net/unix')).toMatch(/^Num +RefCount Protocol Flags +Type St Inode Path$/m)
    const stop = phone.android.sockets.listen('localabstract:scrcpy_1', () => undefined)
    expect(await out('grep @ /proc/net/unix')).toMatch(/^0{16}: .* @scrcpy_1\n$/)
    stop()
    expect(await out('cat /proc/net/unix')).not.toContain('@')
    const windows = await out('dumpsys window windows')
    for (const [name, frame] of [
      ['StatusBar', /\[0,0\]\[1080,\d+\]/],
      ['NavigationBar0', /\[0,\d+\]\[1080,2400\]/],
    ] as const) {
      const section = windows.split(/^ {2}Window #/m).find((each) => each.includes(` u0 ${name}}:`)) ?? ''
      expect(/ frame=(\S+)/.exec(section)?.[1]).toMatch(frame)
      expect(section).toContain('isVisible=true')
    }
  })

  it('activities start and finish', async () => {
    expect(await out('am start -W -a android.settings.SETTINGS')).toMatch(
      /^Starting: Intent \{ act=android\.settings\.SETTINGS \}\nStatus: ok\n[^]*Complete\n$/,
    )
    expect(await out('dumpsys window | grep mCurrentFocus')).toMatch(
      /mCurrentFocus=Window\{[0-9a-f]+ u0 com\.android\.settings\/com\.android\.settings\.Settings\}/,
    )
    expect(await out('dumpsys activity activities | grep mResumedActivity')).toMatch(
      /ActivityRecord\{[0-9a-f]+ u0 com\.android\.settings\/\.Settings t1\}/,
    )
    await phone.run('am force-stop com.android.settings')
    expect(await out('dumpsys window | grep mCurrentFocus')).toContain('launcher')
    const missing = await phone.run('am start -n no.such/.App')
    expect([missing.code, missing.err]).toEqual([
      1,
      'Error type 3\nError: Activity class {no.such/no.such.App} does not exist.\n',
    ])
    expect((await phone.run('am start -a no.such.ACTION')).err).toContain(
      'Activity not started, unable to resolve Intent { act=no.such.ACTION flg=0x10000000 }',
    )
  })

  it('monkey opens an app by its package, and turns on automatic rotation', async () => {
    const launch = (name: string, count = '1') =>
      phone.run(`monkey -p ${name} -c android.intent.category.LAUNCHER ${count}`)
    await out('input keyevent HOME; settings put system accelerometer_rotation 0')
    const opened = await launch('com.phonerack.notes')
    expect(opened.code).toBe(0)
    expect(opened.out).toMatch(
      /^ {2}bash arg: -p\n {2}bash arg: com\.phonerack\.notes\n[^]*^ {2}bash arg: 1\nEvents injected: 1\n## Network stats: /m,
    )
    const focus = 'dumpsys window | grep mCurrentFocus'
    expect(await out(focus)).toContain(' com.phonerack.notes/')
    expect(await out('settings get system accelerometer_rotation')).toBe('1\n')
    await out('settings put system accelerometer_rotation 0')
    // The launcher has only the category HOME, and the keyboard has no activity.
    for (const name of ['no.such.app', 'com.android.launcher3', 'com.android.inputmethod.latin'])
      expect(await launch(name)).toMatchObject({
        code: 252,
        out: expect.stringMatching(/\n\*\* No activities found to run, monkey aborted\.\n$/) as string,
      })
    for (const count of ['', 'many', '5'])
      expect(await launch('com.phonerack.notes', count)).toMatchObject({
        code: 255,
        err: expect.stringContaining('supports only -p PACKAGE') as string,
      })
    await out('input keyevent HOME')
  })

  it('the screen: tree, picture, size, power', async () => {
    expect(await out('uiautomator dump; grep -c "<hierarchy" /sdcard/window_dump.xml')).toBe(
      'UI hierchary dumped to: /sdcard/window_dump.xml\n1\n',
    )
    expect(await out('uiautomator dump /dev/tty')).toMatch(
      /<\/hierarchy>\s*UI hierchary dumped to: \/dev\/tty\n$/,
    )
    expect(await out('wm size; wm density')).toBe('Physical size: 1080x2400\nPhysical density: 420\n')
    expect(await out('screencap -p /sdcard/s.png; head -c 4 /sdcard/s.png')).toBe('\x89PNG')
    expect(await out('dumpsys window displays | grep -E "cur=[0-9]+x[0-9]+"')).toContain('cur=1080x2400')
    expect(await out('input keyevent SLEEP; dumpsys power | grep mWakefulness=')).toBe(
      '  mWakefulness=Asleep\n',
    )
    expect(await out('input keyevent 224; dumpsys power | grep mWakefulness=')).toBe('  mWakefulness=Awake\n')
    expect(
      await out(
        'settings put system user_rotation 1; dumpsys window displays | grep -o "cur=[0-9x]*"; wm size',
      ),
    ).toBe('cur=2400x1080\nPhysical size: 1080x2400\n')
    await phone.run('settings put system user_rotation 0')
  })

  it('taps and text reach the app', async () => {
    await phone.run('am start -a android.settings.SETTINGS')
    const tree = await out('uiautomator dump /dev/tty')
    const [, x1, y1, x2, y2] = /text="Display"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"/.exec(tree) ?? []
    await phone.run(`input tap ${(Number(x1) + Number(x2)) / 2} ${(Number(y1) + Number(y2)) / 2}`)
    expect(await out('uiautomator dump /dev/tty')).not.toContain('text="Network &amp; internet"')
    await phone.run('input keyevent KEYCODE_BACK')
    expect(await out('uiautomator dump /dev/tty')).toContain('text="Network &amp; internet"')
    const umlaut = await phone.run('input text "\xc3\xbc"')
    expect([umlaut.code, umlaut.err]).toEqual([
      255,
      expect.stringContaining('NullPointerException') as string,
    ])
  })

  it('services: with a shell command, without a shell command, and unknown', async () => {
    expect(await phone.run('cmd clipboard get')).toEqual({
      code: 0,
      out: '',
      err: 'No shell command implementation.\n',
    })
    expect(await phone.run('cmd nope')).toEqual({ code: 20, out: '', err: "cmd: Can't find service: nope\n" })
    expect(
      await out(
        'service check window; locksettings get-disabled; locksettings set-disabled true; locksettings get-disabled',
      ),
    ).toBe('Service window: found\nfalse\nLock screen disabled set to true\ntrue\n')
    expect(
      await out(
        'cmd alarm set-timezone Europe/Paris; getprop persist.sys.timezone; date -d @0 +%H:%M%z; cmd alarm set-timezone GMT',
      ),
    ).toBe('Europe/Paris\n01:00+0100\n')
    expect(await out('svc power stayon true; settings get global stay_on_while_plugged_in')).toBe('15\n')
    expect(await phone.run('bmgr enabled')).toMatchObject({ code: 127 })
  })

  it('location: test providers need the app op, set the location, and restore it when removed', async () => {
    const before = phone.android.world.location
    expect(await out('cmd location is-location-enabled')).toBe('true\n')
    const add = 'cmd location providers add-test-provider gps'
    expect(await phone.run(add)).toMatchObject({
      code: 255,
      err: expect.stringContaining('not allowed to perform MOCK_LOCATION') as string,
    })
    const set = 'cmd location providers set-test-provider-location gps --location 48.2,16.37'
    await out(`appops set com.android.shell android:mock_location allow`)
    expect((await phone.run(set)).err).toContain('gps provider is not a test provider')
    await out(`${add}; cmd location providers set-test-provider-enabled gps true; ${set}`)
    expect(phone.android.world.location).toEqual({ latitude: 48.2, longitude: 16.37 })
    expect((await phone.run(`${set.slice(0, -12)} 91,0`)).code).toBe(255)
    await out('cmd location providers remove-test-provider gps')
    expect(phone.android.world.location).toEqual(before)
    expect(await phone.run('cmd location nope')).toMatchObject({ code: 255, out: 'Unknown command: nope\n' })
  })

  it('test harness mode requests a wipe', async () => {
    expect((await phone.run('cmd testharness enable')).code).toBe(0)
    expect(phone.restarts).toEqual([true])
  })

  it('app_process refuses unknown programs', async () => {
    expect(
      (await phone.run('CLASSPATH=/data/local/tmp/none.jar app_process / com.genymobile.scrcpy.Server 3.3.3'))
        .err,
    ).toContain('ClassNotFoundException')
    const other = await phone.run(
      'echo x > /data/local/tmp/o.jar; CLASSPATH=/data/local/tmp/o.jar app_process / com.genymobile.scrcpy.Server 3.3.3',
    )
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('runs no Java') as string])
  })
})
