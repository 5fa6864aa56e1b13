/** Apps of a virtual phone through the real adb server: listed, installed by a session, uninstalled. */
import { writeFileSync } from 'node:fs'
import { ApiError, createLogger, Progress } from '@phonerack/shared'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../adb/quote.js'
import {
  InstallFileBroken,
  InstallRefused,
  type InstallFile,
  type Packages,
} from '../../adb/device/device.js'
import { installPart } from '../../adb/parts/install.js'
import { settingsApp } from '../../adb/parts/parts.js'
import { readJar } from '../../capture/scrcpy/jar.js'
import { createScrcpyKeeper } from '../../capture/scrcpy/keeper.js'
import { makeApks, shop, type Apks } from '../../testing/apks.js'
import { jarPath } from '../../testing/jar.js'
import { plugIn, type PluggedIn } from '../../testing/plugged-in.js'
import { createUiServerKeeper, UiServerUnavailable } from '../ui-server/keeper.js'
import { createLabels, type ReadLabels } from './labels.js'
import { createPackages } from './packages.js'

let both: PluggedIn
let apks: Apks
let packages: Packages
/** Number of label reads. */
let asked = 0
const log = createLogger('test')
log.level = 'silent'
const progress = (ms = 20_000) => Progress.for(ms)

beforeAll(async () => {
  ;[both, apks] = await Promise.all([plugIn(), makeApks()])
  const scrcpy = createScrcpyKeeper(both.transport, await readJar(await jarPath()), log)
  const uiServer = { use: () => Promise.reject(new UiServerUnavailable('not here')) }
  const labels = createLabels({ uiServer, scrcpy, log })
  packages = createPackages(both.transport, (within) => {
    asked += 1
    return labels(within)
  })
})
afterAll(async () => {
  apks.remove()
  await both.stop()
})
afterEach(() => both.transport.shell(command('pm', 'uninstall', shop), progress()))

const shell = async (...args: string[]) =>
  (await both.transport.shell(command(...args), progress())).stdout.toString()
const counts = () => both.phone.inside.counters()
const steps = () => {
  const seen = { session: 0, committed: false }
  return {
    seen,
    onSession: (id: number) => void (seen.session = id),
    onCommit: () => void (seen.committed = true),
  }
}
const install = (...files: InstallFile[]) => packages.install(shop, files, steps(), progress())
const errorOf = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`)
  return error
}
const listed = async (name: string) => (await packages.list(progress())).find((app) => app.package === name)

describe('the list of apps', () => {
  it('has labels, versions and the system flag, and excludes the apps of the agent', async () => {
    await installPart(both.transport, settingsApp, progress())
    await install(apks.make({ label: 'Ünique  2.5 Shop', activity: '.Main', versionName: '5.0 β' }))
    expect(await shell('pm', 'path', settingsApp.package)).toContain('package:')
    const apps = await packages.list(progress())
    expect(apps.find(({ package: name }) => name === shop)).toEqual({
      package: shop,
      label: 'Ünique  2.5 Shop',
      versionName: '5.0 β',
      versionCode: 5,
      system: false,
    })
    expect(apps.find(({ package: name }) => name === 'com.android.settings')).toMatchObject({
      label: 'Settings',
      system: true,
    })
    // The app has no icon, so its label is unknown.
    expect(apps.find(({ package: name }) => name === 'com.android.shell')).toMatchObject({
      label: 'com.android.shell',
      versionName: '14',
    })
    expect(apps.some(({ package: name }) => name.startsWith('io.appium'))).toBe(false)
    expect(apps.map(({ package: name }) => name)).toEqual(apps.map(({ package: name }) => name).toSorted())
  })

  it('reads labels and versions only for new apps, or after a change of language [38.2]', async () => {
    await packages.list(progress())
    const before = { asked, dumps: counts().commands['dumpsys package'] }
    await packages.list(progress())
    expect({ asked, dumps: counts().commands['dumpsys package'] }).toEqual(before)
    await install(apks.make({ label: 'One', activity: '.Main' }))
    expect((await listed(shop))?.label).toBe('One')
    // Another build has the same version.
    await install(apks.make({ label: 'Two', activity: '.Main', versionName: 'other' }))
    expect(await listed(shop)).toMatchObject({ label: 'Two', versionName: 'other' })
    expect(asked).toBe(before.asked + 2)
    await shell('settings', 'put', 'system', 'system_locales', 'de-DE')
    await packages.list(progress())
    expect(asked).toBe(before.asked + 3)
    await shell('settings', 'put', 'system', 'system_locales', 'en-US')
  })

  it('uses the UI server where it runs, and has no labels without a source', async () => {
    const { transport } = both
    const uiServer = createUiServerKeeper({ transport, isolated: true, log })
    try {
      await uiServer.start(progress(30_000))
      const scrcpy = { listApps: () => Promise.reject(new ApiError('provider_error')) }
      const byServer = createPackages(transport, createLabels({ uiServer, scrcpy, log }))
      const settings = async () =>
        (await byServer.list(progress())).find((app) => app.package === 'com.android.settings')
      expect((await settings())?.label).toBe('Settings')
      uiServer.stop()
      let tries = 0
      const nobody: ReadLabels = (within) => {
        tries += 1
        return createLabels({ uiServer, scrcpy, log })(within)
      }
      const bare = createPackages(transport, nobody)
      for (let time = 0; time < 3; time += 1)
        expect((await bare.list(progress())).map((app) => app.label)).toContain('com.android.settings')
      expect(tries).toBe(1)
    } finally {
      uiServer.stop()
    }
  })
})

describe('an app', () => {
  it('is found with the data that distinguishes its install from the next', async () => {
    expect(await packages.find(shop, progress())).toBeNull()
    await install(apks.make())
    const first = await packages.find(shop, progress())
    expect(first).toMatchObject({ versionCode: 5, system: false })
    await install(apks.make())
    expect((await packages.find(shop, progress()))?.path).not.toBe(first?.path)
    // Names that are a part of other names, and invalid names.
    expect(await packages.find('org.example', progress())).toBeNull()
    expect(await packages.find('--help', progress())).toBeNull()
    expect(await packages.find('android', progress())).toMatchObject({ system: true })
  })

  it('is uninstalled once, and confirmed to be gone', async () => {
    await install(apks.make())
    const before = counts().uninstalls
    await packages.uninstall(shop, progress())
    expect(await packages.find(shop, progress())).toBeNull()
    expect(counts().uninstalls - before).toBe(1)
    expect(await errorOf(packages.uninstall(shop, progress()))).toMatchObject({
      code: 'app_not_found',
      details: { package: shop },
    })
    expect(counts().uninstalls - before).toBe(1)
  })

  it('of the system or the agent stays, and no command is sent', async () => {
    await installPart(both.transport, settingsApp, progress())
    const before = counts().commands['pm uninstall']
    for (const name of ['com.android.settings', 'android', settingsApp.package, 'none', '--user', "a.b';id"])
      expect((await errorOf(packages.uninstall(name, progress()))).code, name).toBe('app_not_found')
    expect(counts().commands['pm uninstall']).toBe(before)
    expect(await shell('pm', 'path', settingsApp.package)).toContain('package:')
  })

  it('whose uninstall hangs has an unknown outcome, and the command is sent once', async () => {
    await install(apks.make())
    const before = counts().uninstalls
    both.phone.inside.faults.hangEvery(1, 'pm uninstall')
    expect((await errorOf(packages.uninstall(shop, progress(1500)))).code).toBe('action_outcome_unknown')
    both.phone.inside.faults.hangEvery(0)
    expect(counts().uninstalls - before).toBeLessThanOrEqual(1)
  })
})

describe('an install session', () => {
  it('accepts a base with its splits', async () => {
    const base = apks.make({ splitRequired: true })
    const english = apks.make({ split: 'config.en' })
    const { seen, ...hooks } = steps()
    await packages.install(shop, [base, english], hooks, progress())
    expect(seen).toEqual({ session: expect.any(Number) as number, committed: true })
    expect((await shell('pm', 'path', shop)).trim().split('\n')).toHaveLength(2)
  })

  it("is refused with the phone's error text", async () => {
    const reason = async (...files: InstallFile[]) => {
      const error: unknown = await install(...files).catch((caught: unknown) => caught)
      if (!(error instanceof InstallRefused)) throw error
      return error.reason
    }
    expect(await reason(apks.make({ minSdk: 99 }))).toMatch(/^INSTALL_FAILED_OLDER_SDK: Requires newer/)
    expect(await reason(apks.make({ splitRequired: true }))).toMatch(/^INSTALL_FAILED_MISSING_SPLIT/)
    // A file of another package than the announced package.
    expect(await reason(apks.make({ package: settingsApp.package }))).toMatch(/^INSTALL_FAILED_INVALID_APK/)
    await install(apks.make())
    expect(await reason(apks.make({ versionCode: 4 }))).toMatch(/^INSTALL_FAILED_VERSION_DOWNGRADE/)
    expect(await reason(apks.make({}, 'stranger'))).toMatch(/^INSTALL_FAILED_UPDATE_INCOMPATIBLE/)
    both.phone.inside.faults.fullStorage(true)
    expect(await reason(apks.make({ versionCode: 6 }))).toMatch(/^INSTALL_FAILED_INSUFFICIENT_STORAGE/)
    both.phone.inside.faults.fullStorage(false)
    expect((await packages.find(shop, progress()))?.versionCode).toBe(5)
  })

  it('never accepts a file that changed on disk', async () => {
    const broken = apks.make()
    writeFileSync(broken.path, Buffer.alloc(broken.size, 1))
    const { seen, ...hooks } = steps()
    await expect(packages.install(shop, [broken], hooks, progress())).rejects.toThrow(InstallFileBroken)
    expect(seen.committed).toBe(false)
    await packages.abandon(seen.session, progress())
    await packages.abandon(seen.session, progress())
    expect(await packages.find(shop, progress())).toBeNull()
  })
})
