/** Installing, updating and removing apps by the shell. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../fs/access.js'
import { type ApkSettings, makeApk, newSigner, type Signer } from '../../apk-builder/index.js'
import { appiumApks } from '../../testing/appium-apks.js'
import { testAndroid } from '../../testing/test-android.js'

const phone = testAndroid()
let signer: Signer
let stranger: Signer
beforeAll(async () => {
  signer = await newSigner('one')
  stranger = await newSigner('two')
})
afterAll(() => phone.close())

const out = async (script: string, stdin?: Buffer) => {
  const { out: text, err } = await phone.run(script, stdin)
  return text + err
}
const app = (settings: Partial<ApkSettings> = {}, by: Signer | null = signer) =>
  makeApk({ package: 'org.example.shop', versionCode: 5, ...settings }, by)
const install = (apk: Buffer, options = '') => out(`pm install ${options} -S ${apk.length}`, apk)
const remove = () => out('pm uninstall org.example.shop')

describe('pm install', () => {
  it('installs an app, which then appears in every list of apps', async () => {
    const apk = app({
      label: 'Ünique Shop',
      activity: '.Main',
      debuggable: true,
      permissions: ['android.permission.CAMERA'],
    })
    expect(await install(apk, '-r -g')).toBe('Success\n')
    const path = (await out('pm path org.example.shop')).trim().replace('package:', '')
    expect(path).toMatch(/^\/data\/app\/~~[\w-]{22}==\/org\.example\.shop-[\w-]{22}==\/base\.apk$/)
    const { out: copy } = await phone.run(`cat ${path}`)
    expect(Buffer.from(copy, 'latin1').equals(apk)).toBe(true)
    expect(await out('pm list packages -3 -f -U --show-versioncode')).toBe(
      `package:${path}=org.example.shop versionCode:5 uid:10200\n`,
    )
    const dump = await out('dumpsys package org.example.shop')
    for (const text of [
      'versionCode=5 minSdk=26 targetSdk=34',
      'versionName=5.0',
      'userId=10200',
      'apkSigningVersion=2',
      'DEBUGGABLE',
      'android.permission.CAMERA: granted=true',
    ])
      expect(dump).toContain(text)
    expect(phone.android.world.launchableApps().map((each) => each.label)).toContain('Ünique Shop')
    expect(await out('am start -n org.example.shop/.Main; dumpsys window | grep mCurrentFocus')).toContain(
      'org.example.shop/org.example.shop.Main',
    )
    expect(await out('uiautomator dump /dev/tty')).toContain('Version 5.0')
    expect(await remove()).toBe('Success\n')
    expect(await out('pm list packages -3')).toBe('')
    expect((await phone.run(`ls ${path}`)).code).toBe(1)
    expect(await out('dumpsys window | grep mCurrentFocus')).toContain('launcher')
    expect(await remove()).toBe('Failure [DELETE_FAILED_INTERNAL_ERROR]\n')
    expect(await out('pm uninstall --user 0 org.example.shop')).toBe('Failure [not installed for 0]\n')
    expect(phone.android.fs.as(root).readdir('/data/app')).toEqual([])
  })

  it('updates with the same signer and keeps the user ID; refuses an older version and a different signer', async () => {
    await install(app())
    const uid = await out('pm list packages -U -3')
    expect(await install(app({ versionCode: 6 }))).toBe('Success\n')
    expect(await out('pm list packages -U -3')).toBe(uid)
    expect(await install(app())).toBe(
      'Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 5 is older than current 6]\n',
    )
    expect(await install(app(), '-d')).toContain('INSTALL_FAILED_VERSION_DOWNGRADE')
    expect(await install(app({ versionCode: 7 }, stranger))).toBe(
      'Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package org.example.shop signatures do not match newer version; ignoring!]\n',
    )
    expect(await install(app({ versionCode: 7 }), '-R')).toContain('INSTALL_FAILED_ALREADY_EXISTS')
    expect(await install(app({ package: 'com.android.settings' }))).toContain(
      'INSTALL_FAILED_UPDATE_INCOMPATIBLE',
    )
    await remove()
    await install(app({ versionCode: 6, debuggable: true }))
    expect(await install(app({ debuggable: true }), '-d')).toBe('Success\n')
    await remove()
  })

  it('refuses packages that Android 14 refuses', async () => {
    const codes: [Buffer, string, string][] = [
      [
        app({ minSdk: 99 }),
        '',
        'INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #99 (current version is #34)',
      ],
      [
        app({ minSdk: 7, targetSdk: 7 }),
        '',
        'INSTALL_FAILED_DEPRECATED_SDK_VERSION: App package must target at least SDK version 23, but found 7',
      ],
      [app({ testOnly: true }), '', 'INSTALL_FAILED_TEST_ONLY'],
      [app({ splitRequired: true }), '', 'INSTALL_FAILED_MISSING_SPLIT: Missing split for org.example.shop'],
      [
        app({ split: 'config.en' }),
        '',
        'INSTALL_FAILED_INVALID_APK: Full install must include a base package',
      ],
      [app({}, null), '', 'INSTALL_PARSE_FAILED_NO_CERTIFICATES'],
      [Buffer.from('x'), '', 'INSTALL_PARSE_FAILED_NOT_APK'],
      [app({ package: 'nodots' }), '', 'INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME'],
      [app({ split: '../../x' }), '', 'INSTALL_PARSE_FAILED_MANIFEST_MALFORMED'],
      [app({ files: { 'lib/armeabi/libx.so': Buffer.from('x') } }), '', 'INSTALL_FAILED_NO_MATCHING_ABIS'],
    ]
    for (const [apk, options, code] of codes)
      expect(await install(apk, options)).toContain(`Failure [${code}`)
    expect(await out('pm install -S 999999999999', app())).toBe(
      'Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location]\n',
    )
    expect(await out('pm install -S 10000', app().subarray(0, 50))).toContain(
      'Failure [INSTALL_FAILED_INTERNAL_ERROR',
    )
    expect(await install(app({ testOnly: true }), '-t')).toBe('Success\n')
    await remove()
    expect(await install(app({ minSdk: 7, targetSdk: 7 }), '--bypass-low-target-sdk-block')).toBe('Success\n')
    await remove()
    expect((await phone.run('pm install --nonsense x')).code).toBe(255)
    expect(phone.android.fs.as(root).readdir('/data/app')).toEqual([])
  })

  it('installs from a file of the phone, but not from shared storage', async () => {
    const apk = app()
    await phone.run('cat > /data/local/tmp/a.apk; cp /data/local/tmp/a.apk /sdcard/a.apk', apk)
    expect(await out('pm install /data/local/tmp/a.apk')).toBe('Success\n')
    expect(await out('pm install /sdcard/a.apk')).toContain('Error: Unable to open file: /sdcard/a.apk')
    const missing = await phone.run('pm install /data/local/tmp/none.apk')
    expect([missing.code, missing.err]).toEqual([255, expect.stringContaining("Can't open file") as string])
    await remove()
  })

  it('accepts splits in a session, adds splits to an app, and abandons a session', async () => {
    const base = app({ splitRequired: true })
    const english = app({ split: 'config.en' })
    const create = async (options = '') =>
      /^Success: created install session \[(\d+)\]\n$/.exec(await out(`pm install-create ${options}`))?.[1] ??
      ''
    const write = (id: string, name: string, apk: Buffer) =>
      out(`pm install-write -S ${apk.length} ${id} ${name} -`, apk)
    const first = await create('-r')
    expect(await write(first, 'b.apk', base)).toBe(`Success: streamed ${base.length} bytes\n`)
    expect(await write(first, 'base.apk', english)).toBe(`Success: streamed ${english.length} bytes\n`)
    expect(await out(`pm install-commit ${first}`)).toBe('Success\n')
    const paths = (await out('pm path org.example.shop')).trim().split('\n')
    expect(paths.map((path) => path.split('/').at(-1))).toEqual(['base.apk', 'split_config.en.apk'])
    const { out: copy } = await phone.run(`cat ${(paths[1] ?? '').replace('package:', '')}`)
    expect(Buffer.from(copy, 'latin1').equals(english)).toBe(true)
    const second = await create('-p org.example.shop')
    await write(second, 'de.apk', app({ split: 'config.de' }))
    expect(await out(`pm install-commit ${second}`)).toBe('Success\n')
    expect(await out('dumpsys package org.example.shop | grep splits')).toContain(
      'splits=[base, config.de, config.en]',
    )
    const odd = await create('-p org.example.shop')
    await write(odd, 'fr.apk', app({ split: 'config.fr', versionCode: 6 }))
    expect(await out(`pm install-commit ${odd}`)).toBe(
      'Failure [INSTALL_FAILED_INVALID_APK: split_config.fr.apk specified version code 6 inconsistent with 5]\n',
    )
    const twice = await create()
    await write(twice, 'a.apk', base)
    await write(twice, 'b.apk', base)
    expect(await out(`pm install-commit ${twice}`)).toContain('Split null was defined multiple times')
    const other = await create('--pkg org.example.other')
    await write(other, 'a.apk', base)
    expect(await out(`pm install-commit ${other}`)).toContain(
      'specified package org.example.other inconsistent with org.example.shop',
    )
    const dropped = await create()
    await write(dropped, 'a.apk', base)
    expect(await out(`pm install-abandon ${dropped}`)).toBe('Success\n')
    expect(await phone.run(`pm install-commit ${dropped}`)).toMatchObject({ code: 255 })
    expect((await phone.run(`pm install-write -S 1 ${await create()} ../x -`, Buffer.from('x'))).code).toBe(
      255,
    )
    await remove()
  })

  it("installs Appium's packages, grants their permissions, and clears them", async () => {
    for (const path of [appiumApks.settings, appiumApks.server, appiumApks.serverTest])
      expect(await install(readFileSync(path), '-g')).toBe('Success\n')
    expect(await out('pm list instrumentation')).toBe(
      'instrumentation:io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner (target=io.appium.uiautomator2.server)\n',
    )
    expect(await out('pm revoke io.appium.settings android.permission.RECORD_AUDIO')).toBe('')
    const granted = 'dumpsys package io.appium.settings | grep -c "RECORD_AUDIO: granted=true"'
    expect(await out(granted)).toBe('0\n')
    expect(await out(`pm grant io.appium.settings android.permission.RECORD_AUDIO; ${granted}`)).toBe('1\n')
    expect((await phone.run('pm grant io.appium.settings android.permission.NONE')).err).toContain(
      'has not requested permission',
    )
    expect(await out(`pm clear io.appium.settings; ${granted}`)).toBe('Success\n0\n')
    expect(await out('pm disable-user io.appium.settings; pm list packages -d; pm list packages -e -3')).toBe(
      'Package io.appium.settings new state: disabled-user\npackage:io.appium.settings\npackage:io.appium.uiautomator2.server\npackage:io.appium.uiautomator2.server.test\n',
    )
  })

  it('removes them in a wipe', async () => {
    phone.android.shutDown()
    await phone.android.boot(true)
    phone.android.markBooted()
    expect(await out('pm list packages -3')).toBe('')
    expect(phone.android.fs.as(root).readdir('/data/app')).toEqual([])
    expect(await install(app())).toBe('Success\n')
    expect(await out('pm list packages -3 -U')).toBe('package:org.example.shop uid:10200\n')
  })
})
