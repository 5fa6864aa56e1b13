/** Real APKs, and damaged ones. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { makeApk, newSigner } from '../../apk-builder/index.js'
import { appiumApks } from '../../testing/appium-apks.js'
import { readApk } from './apk.js'
import { InstallError } from './error.js'
import { pictureSize } from './icon.js'

const folder = mkdtempSync(join(tmpdir(), 'virtual-phone-apk-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function read(bytes: Buffer) {
  const path = join(folder, 'x.apk')
  writeFileSync(path, bytes)
  return readApk(path, 'x.apk')
}

async function refusal(bytes: Buffer): Promise<string> {
  try {
    await read(bytes)
    return 'taken'
  } catch (error) {
    if (error instanceof InstallError) return error.code
    throw error
  }
}

/** SHA-256 of the certificate of AOSP's public test key, with which Appium signs its server. */
const aospTestKey = 'a40da80a59d170caa950cf15c18c454d47a39b26989d8b640ecd745ba71bf5dc'

describe('reading APKs', () => {
  it("reads Appium's settings app: resources, binary XML, scheme v2", async () => {
    const apk = await readApk(appiumApks.settings, 'settings.apk')
    expect(apk).toMatchObject({
      package: 'io.appium.settings',
      label: 'Appium Settings',
      versionName: '8.0.10',
      minSdk: 26,
      debuggable: true,
      launcherActivity: 'io.appium.settings.Settings',
      split: null,
    })
    expect(apk.signature.version).toBe(2)
    expect(apk.permissions).toContain('android.permission.ACCESS_MOCK_LOCATION')
    expect(apk.services.map((service) => service.name)).toContain('io.appium.settings.UnicodeIME')
  })

  it("reads Appium's server: scheme v3, the known test key, its instrumentation", async () => {
    const server = await readApk(appiumApks.server, 'server.apk')
    expect(server).toMatchObject({
      package: 'io.appium.uiautomator2.server',
      versionName: '10.6.6',
      launcherActivity: null,
      signature: { version: 3, certificates: [aospTestKey] },
    })
    const test = await readApk(appiumApks.serverTest, 'test.apk')
    expect(test.signature.certificates).toEqual([aospTestKey])
    expect(test.instrumentations).toEqual([
      { name: 'androidx.test.runner.AndroidJUnitRunner', target: 'io.appium.uiautomator2.server' },
    ])
  })

  it('reads the bitmap icon for the density of the screen', async () => {
    const { icon } = await read(readFileSync(appiumApks.settings))
    expect(pictureSize(Buffer.from(icon ?? '', 'base64'))).toEqual([144, 144])
    expect((await read(readFileSync(appiumApks.server))).icon).toBeNull()
    expect((await read(makeApk({ package: 'a.b', versionCode: 1 }, await newSigner('a')))).icon).toBeNull()
  })

  it.each(['image/png', 'image/webp'] as const)(
    'knows the size of a picture without decoding it: %s',
    (type) => {
      const canvas = createCanvas(37, 91)
      const bytes = type === 'image/png' ? canvas.toBuffer(type) : canvas.toBuffer(type, 80)
      expect(pictureSize(bytes)).toEqual([37, 91])
      expect(pictureSize(Buffer.alloc(100))).toBeNull()
      expect(pictureSize(bytes.subarray(0, 20))).toBeNull()
    },
  )

  it('refuses unsigned APKs, and APKs changed after signing', async () => {
    const signer = await newSigner('a')
    const settings = { package: 'a.b', versionCode: 3, label: 'Ä' }
    const good = makeApk(settings, signer)
    // More than one chunk of the signed digest.
    const large = { ...settings, files: { 'assets/large': Buffer.alloc(3_000_000, 7) } }
    expect(await refusal(makeApk(large, signer))).toBe('taken')
    expect(await read(good)).toMatchObject({ label: 'Ä', versionCode: 3 })
    expect(await refusal(makeApk(settings, null))).toBe('INSTALL_PARSE_FAILED_NO_CERTIFICATES')
    const changed = Buffer.from(good)
    changed.writeUInt8(0x21, good.indexOf('AndroidManifest.xml') - 20)
    expect(await refusal(changed)).toBe('INSTALL_PARSE_FAILED_NO_CERTIFICATES')
    const real = readFileSync(appiumApks.serverTest)
    expect(await refusal(real)).toBe('taken')
    const at = real.indexOf('classes.dex') + 400
    real.writeUInt8(real.readUInt8(at) ^ 1, at)
    expect(await refusal(real)).toBe('INSTALL_PARSE_FAILED_NO_CERTIFICATES')
    expect(await refusal(Buffer.from('no archive'))).toBe('INSTALL_PARSE_FAILED_NOT_APK')
    expect(await refusal(good.subarray(0, good.length - 5))).toBe('INSTALL_PARSE_FAILED_NOT_APK')
  })

  it('refuses any damaged APK', async () => {
    const good = makeApk({ package: 'a.b', versionCode: 3, activity: '.Main' }, await newSigner('a'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 12 }),
        async (changes) => {
          const bytes = Buffer.from(good)
          for (const [at, value] of changes) bytes.writeUInt8(value, at)
          if (bytes.equals(good)) return
          expect(await refusal(bytes)).toMatch(/^INSTALL_PARSE_FAILED_/)
        },
      ),
      { numRuns: 300 },
    )
  })
})
