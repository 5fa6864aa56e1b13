/** Phones that lack parts: the command-line option, and the responses of such a phone. */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { type Part, parts } from '../android/missing.js'
import { appiumApks } from '../testing/appium-apks.js'
import { scrcpyJar } from '../testing/scrcpy-jar.js'
import { testAndroid, type TestAndroid } from '../testing/test-android.js'
import { instrumentation } from '../testing/uia2-client.js'
import { readWithout } from './without.js'

describe('--without', () => {
  it('names parts of all phones, or of the phone at one port', () => {
    const without = readWithout('scrcpy,6001:ui-server,6001:locale,6002:clipboard')
    expect(without?.(6001)).toEqual(['scrcpy', 'ui-server', 'locale'])
    expect(without?.(6002)).toEqual(['scrcpy', 'clipboard'])
    expect(without?.(6003)).toEqual(['scrcpy'])
    expect(readWithout('')?.(6001)).toEqual([])
  })

  it('is refused for an unknown part', () => {
    for (const wrong of ['screen', '6001:', 'x:scrcpy', 'scrcpy:6001']) expect(readWithout(wrong)).toBeNull()
  })
})

describe('a phone without', () => {
  const phones: TestAndroid[] = []
  afterEach(() => {
    for (const phone of phones.splice(0)) phone.close()
  })

  /** One phone that lacks this part, and one phone that lacks all the other parts. */
  function both(part: Part): { lacking: TestAndroid; having: TestAndroid } {
    const lacking = testAndroid([part])
    const having = testAndroid(parts.filter((each) => each !== part))
    phones.push(lacking, having)
    return { lacking, having }
  }
  const install = (phone: TestAndroid, path: string) => {
    const apk = readFileSync(path)
    return phone.run(`pm install -t -g -S ${apk.length}`, apk)
  }

  it('scrcpy', async () => {
    const { lacking, having } = both('scrcpy')
    const start =
      'cat > /data/local/tmp/s.jar; CLASSPATH=/data/local/tmp/s.jar app_process / com.genymobile.scrcpy.Server 3.3.3 list_displays=true'
    expect(await having.run(start, scrcpyJar())).toMatchObject({ code: 0 })
    const refused = await lacking.run(start, scrcpyJar())
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('InvocationTargetException')
  })

  it('the UI server', async () => {
    const { lacking } = both('ui-server')
    await install(lacking, appiumApks.server)
    await install(lacking, appiumApks.serverTest)
    expect((await lacking.run(`am instrument -w ${instrumentation}`)).out).toContain(
      'shortMsg=Process crashed.',
    )
    expect(lacking.android.running.isRunning('io.appium.uiautomator2.server')).toBe(false)
  })

  it("Appium's settings app, and with one that cannot set the locale", async () => {
    const { lacking } = both('settings-app')
    expect(await install(lacking, appiumApks.settings)).toMatchObject({
      code: 1,
      out: 'Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]\n',
    })
    const other = both('locale')
    expect(await install(other.lacking, appiumApks.settings)).toMatchObject({ code: 0 })
    const set =
      'am broadcast -a io.appium.settings.locale -n io.appium.settings/.receivers.LocaleSettingReceiver --es lang ja --es country JP'
    expect((await other.lacking.run(set)).out).toMatch(/result=0, data="java.lang.NoSuchMethodException/)
    expect((await other.lacking.run('getprop persist.sys.locale')).out).toBe('en-US\n')
  })

  it('a persistent data partition', async () => {
    const { lacking, having } = both('testharness')
    expect(await lacking.run('cmd testharness enable')).toEqual({
      code: 1,
      out: '',
      err: 'Failed to enable Test Harness Mode\n',
    })
    expect(lacking.restarts).toEqual([])
    await having.run('cmd testharness enable')
    expect(having.restarts).toEqual([true])
  })

  it('a clipboard, after any write', () => {
    const { lacking, having } = both('clipboard')
    for (const { android } of [lacking, having]) android.world.setClipboard('text')
    expect([lacking, having].map(({ android }) => android.world.clipboard)).toEqual(['', 'text'])
  })
})
