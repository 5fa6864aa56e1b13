/** io.appium.settings through the shell, as Appium's client calls it: its effects and its refusals. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { appiumApks } from '../testing/appium-apks.js'
import { installApk } from '../testing/uia2-client.js'
import { testAndroid } from '../testing/test-android.js'
import { launch, tap, textOf } from '../testing/ui-tree.js'

const phone = testAndroid()
const { world } = phone.android
afterAll(() => phone.close())

const out = async (script: string) => (await phone.run(script)).out
const open = 'am start-activity -n io.appium.settings/.Settings -a android.intent.action.MAIN'
const broadcast = async (args: string) =>
  /result=(-?\d+)(?:, data="(.*)")?/.exec(await out(`am broadcast ${args}`))?.slice(1)

it('is missing until its APK is installed', async () => {
  expect(await broadcast('-a io.appium.settings.locale --es lang ja --es country JP')).toEqual([
    '0',
    undefined,
  ])
  const service = await phone.run('am start-foreground-service -n io.appium.settings/.LocationService')
  expect([service.code, service.err]).toEqual([255, 'Error: Not found; no service started.\n'])
  expect((await phone.run('ime enable io.appium.settings/.UnicodeIME')).code).toBe(255)
  expect((await phone.run(open)).code).toBe(1)
})

describe('once installed', () => {
  beforeEach(async () => {
    await phone.run('pm uninstall io.appium.settings')
    await installApk(phone, appiumApks.settings)
  })

  it('starts a foreground service by its activity, which does not change the screen', async () => {
    launch(world, 'com.phonerack.notes')
    const services = 'dumpsys activity services io.appium.settings'
    expect(await out(services)).not.toContain('isForeground=true')
    expect((await phone.run(open)).code).toBe(0)
    expect(world.focused.package).toBe('com.phonerack.notes')
    expect(await out(services)).toContain('isForeground=true')
    expect(await out('ps -A -o NAME')).toContain('io.appium.settings')
    await phone.run('am force-stop io.appium.settings')
    expect(await out(services)).not.toContain('isForeground=true')
    expect(await out('ps -A -o NAME')).not.toContain('io.appium.settings')
  })

  it('receives actions only while it runs, and explicit broadcasts always', async () => {
    const locale = '-a io.appium.settings.locale --es lang de --es country DE'
    expect(await broadcast(locale)).toEqual(['0', undefined])
    const byName = `-n io.appium.settings/.receivers.LocaleSettingReceiver ${locale}`
    expect(await broadcast(byName)).toEqual(['-1', 'de_DE'])
    expect(world.configuration.locale).toBe('de-DE')
    expect((await out('getprop persist.sys.locale')).trim()).toBe('de-DE')
    await phone.run(open)
    expect(await broadcast(locale.replace('de', 'ja').replace('DE', 'JP'))).toEqual(['-1', 'ja_JP'])
    expect(await broadcast('-a io.appium.settings.locale --es lang xx --es country YY')).toEqual([
      '0',
      'The locale xx_YY is not known',
    ])
    await phone.run('pm revoke io.appium.settings android.permission.CHANGE_CONFIGURATION')
    const [code, data] = (await broadcast(locale)) ?? []
    expect([code, data]).toEqual(['0', expect.stringContaining('does not have enough permissions')])
    expect(world.configuration.locale).toBe('ja-JP')
    await phone.run('settings put system system_locales en-US')
  })

  it('mocks the location while the app op allows it, until it is stopped', async () => {
    const start =
      'am start-foreground-service --user 0 -n io.appium.settings/.LocationService --es longitude 13.4 --es latitude 52.5'
    const location = '-n io.appium.settings/.receivers.LocationInfoReceiver -a io.appium.settings.location'
    const real = world.location
    expect((await phone.run(start)).code).toBe(0)
    expect(world.location).toEqual(real)
    await phone.run('appops set io.appium.settings android:mock_location allow')
    await phone.run(start)
    expect(world.location).toEqual({ latitude: 52.5, longitude: 13.4 })
    expect(await broadcast(location)).toEqual(['-1', '52.5000000 13.4000000 0.0000000'])
    expect(await out('am stopservice io.appium.settings/.LocationService')).toContain('Service stopped')
    expect(world.location).toEqual(real)
    expect(await out('am stopservice io.appium.settings/.LocationService')).toContain('was not running')
    world.setLocation(null)
    expect(await broadcast(location)).toEqual(['0', ''])
    await phone.run('appops reset')
  })

  it('reads the clipboard only as the default keyboard', async () => {
    world.setClipboard('kopiert ✓')
    const clipboard = '-n io.appium.settings/.receivers.ClipboardReceiver -a io.appium.settings.clipboard.get'
    expect(await broadcast(clipboard)).toEqual(['-1', ''])
    await phone.run('ime enable io.appium.settings/.UnicodeIME; ime set io.appium.settings/.UnicodeIME')
    const [, data = ''] = (await broadcast(clipboard)) ?? []
    expect(Buffer.from(data, 'base64').toString()).toBe('kopiert ✓')
    expect(await out('ime reset; settings get secure default_input_method')).toContain('LatinIME\n')
  })

  it('types any character through its keyboard, in modified UTF-7', async () => {
    world.forceStop('com.phonerack.notes')
    launch(world, 'com.phonerack.notes')
    tap(world, 'New note')
    tap(world, 'title')
    const type = (text: string) => phone.run(`input text '${text}'`)
    expect((await phone.run('ime set io.appium.settings/.UnicodeIME')).code).toBe(255)
    expect(await out('ime enable io.appium.settings/.UnicodeIME; ime list -s')).toBe(
      'Input method io.appium.settings/.UnicodeIME: now enabled for user #0\ncom.android.inputmethod.latin/.LatinIME\nio.appium.settings/.UnicodeIME\n',
    )
    expect(world.inputMethod.shown).toBe(true)
    await phone.run('ime set io.appium.settings/.UnicodeIME')
    expect(world.inputMethod).toMatchObject({ shown: false, served: true })
    // 漢字 R&D 🙂
    await type('&byJbVw- R&-D &2D3eQg-')
    expect(textOf(world, 'title')).toBe('漢字 R&D 🙂')
    await phone.run('ime set com.android.inputmethod.latin/.LatinIME')
    await type(' &-')
    expect(textOf(world, 'title')).toBe('漢字 R&D 🙂 &-')
    await phone.run('ime set io.appium.settings/.UnicodeIME; pm uninstall io.appium.settings')
    expect(await out('settings get secure default_input_method')).toBe(
      'com.android.inputmethod.latin/.LatinIME\n',
    )
    expect(world.inputMethod.shown).toBe(true)
  })
})
