/**
 * Installs through the agent's gRPC onto a virtual phone with the real adb: installs that run once, that are
 * refused, and that are interrupted.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger, Progress } from '@phonerack/shared'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AdbClient } from '../../adb/client.js'
import { adbSocketPath } from '../../adb/sockets.js'
import { command } from '../../adb/quote.js'
import { settingsApp } from '../../adb/parts/parts.js'
import type { AppNeeds } from '../../adb/device/device.js'
import { openJournal } from '../../custody/journal.js'
import { makeApks, shop, type Apks } from '../../testing/apks.js'
import { CallFailed, createClient } from '../../testing/client.js'
import { serverName } from '../../testing/agent.js'
import { session, startPhoneAndHost, untilLink, type PhoneAndHost } from '../../testing/phone.js'
import { until } from '../../testing/until.js'
import { transportTo } from '../../testing/transport.js'
import { openPackageCache } from './cache.js'
import { createInstalls, type Installs } from './installs.js'
import { installTimes } from './phone-installer.js'
import { openInstallRecords } from './records.js'

type File = ReturnType<Apks['make']>

let both: PhoneAndHost
let apks: Apks
let dir: string
let fencing = 2n
let count = 0
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'phonerack-install-'))
  ;[both, apks] = await Promise.all([startPhoneAndHost(), makeApks()])
  await until(() => both.host.agent.registry.statuses().length === 1)
  await both.host.control.enroll({ serial: both.phone.serial, fencingNumber: 1n }, 60_000)
  await at().start()
})
afterAll(async () => {
  await both.stop()
  apks.remove()
  rmSync(dir, { recursive: true, force: true })
})
afterEach(async () => {
  both.phone.inside.faults.hangEvery(0)
  both.phone.inside.faults.fullStorage(false)
  both.phone.proxy.restore()
  await untilLink(both.host, both.phone.serial, 'healthy')
  for (const name of [shop, `${shop}.two`, `${shop}.three`]) {
    const isGone = async () => !(await shell('pm', 'uninstall', name)).includes('Exception')
    // A new connection may be replaced once more.
    await until(() => isGone().catch(() => false))
  }
})

const control = () => both.host.control
const at = () => session(control(), both.phone.serial, fencing)
const shell = async (...args: string[]) => {
  const { serial } = both.phone
  const transport = transportTo(new AdbClient(adbSocketPath(both.host.config.dataDir, serial)), serial)
  return (await transport.shell(command(...args), Progress.for(10_000))).stdout.toString()
}
const counters = () => both.phone.inside.counters()
const sent = (name: string) => counters().commands[`pm ${name}`] ?? 0
const newInstallId = () => `ins_${String((count += 1)).padStart(12, 'a')}`

const header = ({ sha256, size }: File, index = 0) => ({
  name: index === 0 ? 'base.apk' : `split${index}.apk`,
  sha256,
  size: BigInt(size),
})
const chunks = ({ content }: { content: Buffer }) =>
  Array.from({ length: Math.ceil(content.length / 65_536) }, (_, index) =>
    content.subarray(index * 65_536, (index + 1) * 65_536),
  )
interface Order {
  id: string
  package?: string
  versionCode?: number
  replace?: boolean
  needs?: Partial<AppNeeds>
  files: File[]
}
const begin = ({ id, files, ...order }: Order) =>
  control().call.beginInstall({
    assignment: at().assignment,
    installId: id,
    package: shop,
    versionCode: BigInt(order.versionCode ?? 5),
    replace: false,
    ...(order.package === undefined ? {} : { package: order.package }),
    ...(order.replace === undefined ? {} : { replace: order.replace }),
    files: files.map(header),
    needs:
      order.needs === undefined
        ? undefined
        : { ...anyPhone, ...order.needs, abis: [...(order.needs.abis ?? [])] },
  })
/** Requirements that every phone meets. */
const anyPhone = { minSdk: 26, minCodename: '', targetSdk: 34, abis: [], jarOnly: false }
const put = (file: File) => control().putPackageFile(header(file), chunks(file))
const finish = (id: string, ms = 30_000) =>
  control().call.finishInstall({ assignment: at().assignment, installId: id }, ms)
const install = async (order: Omit<Order, 'id'>) => {
  const id = newInstallId()
  const { missingSha256 } = await begin({ id, ...order })
  for (const file of order.files) if (missingSha256.includes(file.sha256)) await put(file)
  return finish(id)
}
const listed = async (name = shop) =>
  (await control().call.listApps({ assignment: at().assignment })).apps.find((app) => app.package === name)
const errorOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CallFailed) || !error.plain) throw new Error(`no public error: ${String(error)}`)
  return error.plain
}
const succeeded = { succeeded: true, errorCode: '', reason: '', wasInstalled: false }

describe('an install', () => {
  it('accepts base and splits, repeats its answer, and downloads nothing twice', async () => {
    const files = [apks.make({ splitRequired: true }), apks.make({ split: 'config.en' })]
    const order = { id: newInstallId(), files }
    const before = counters().installs
    const hashes = files.map(({ sha256 }) => sha256)
    expect(await begin(order)).toEqual({ missingSha256: hashes, uninstalled: false })
    for (const file of files) await put(file)
    expect(await begin(order)).toEqual({ missingSha256: [], uninstalled: false })
    const [one, other] = await Promise.all([finish(order.id), finish(order.id)])
    expect([one, other]).toEqual([succeeded, succeeded])
    expect((await listed())?.versionCode).toBe(5n)
    expect((await shell('pm', 'path', shop)).trim().split('\n')).toHaveLength(2)
    expect(await finish(order.id)).toEqual(succeeded)
    expect(counters().installs - before).toBe(1)
    // Another install uses the same files.
    const again = { id: newInstallId(), files }
    expect((await begin(again)).missingSha256).toEqual([])
    expect(await finish(again.id)).toEqual({ ...succeeded, wasInstalled: true })
    expect(counters().installs - before).toBe(2)
  })

  it('accepts no file but the named file, and fails without that file', async () => {
    const file = apks.make()
    const order = { id: newInstallId(), files: [file] }
    const before = counters().commands['pm install-create'] ?? 0
    await begin(order)
    const put = (content: Buffer) => errorOf(control().putPackageFile(header(file), chunks({ content })))
    expect((await put(Buffer.alloc(file.size, 7))).code).toBe('validation_failed')
    expect((await put(file.content.subarray(1))).code).toBe('validation_failed')
    // The file is far longer than announced: the answer arrives long before all bytes are sent.
    expect((await put(Buffer.alloc(8_000_000))).code).toBe('validation_failed')
    expect((await begin(order)).missingSha256).toEqual([file.sha256])
    expect(await finish(order.id)).toMatchObject({ succeeded: false, errorCode: 'provider_error' })
    expect(sent('install-create')).toBe(before)
    const stranger = createClient(
      `127.0.0.1:${both.host.agent.grpcPort}`,
      both.host.ca.caPem,
      await both.host.ca.issue({ uri: 'spiffe://phonerack/host/hst_bbbbbbbbbbbb' }, 'client'),
      serverName,
    )
    expect((await errorOf(stranger.putPackageFile(header(file), chunks(file)))).code).toBe('unauthorized')
    stranger.close()
  })

  it('refuses a downgrade, unless it replaces', async () => {
    await install({ files: [apks.make()] })
    const older = apks.make({ versionCode: 4 })
    const order = { versionCode: 4, files: [older] }
    const before = counters()
    expect(await errorOf(begin({ id: newInstallId(), ...order }))).toMatchObject({
      code: 'version_downgrade',
      details: { package: shop, installed_version_code: 5, version_code: 4 },
    })
    expect(counters()).toMatchObject({ installs: before.installs, uninstalls: before.uninstalls })
    const id = newInstallId()
    expect(await begin({ id, ...order, replace: true })).toMatchObject({ uninstalled: true })
    expect(await begin({ id, ...order, replace: true })).toMatchObject({ uninstalled: true })
    expect(await listed()).toBeUndefined()
    await put(older)
    expect(await finish(id)).toEqual({ ...succeeded, wasInstalled: true })
    expect((await listed())?.versionCode).toBe(4n)
    expect(counters().uninstalls - before.uninstalls).toBe(1)
    // Preinstalled apps and the service's own cannot be replaced.
    for (const name of ['com.android.settings', settingsApp.package]) {
      const refused = begin({
        id: newInstallId(),
        package: name,
        versionCode: 999,
        files: [older],
        replace: true,
      })
      expect((await errorOf(refused)).code, name).toBe('install_failed')
    }
  })

  it('is refused before any change when the phone cannot take it', async () => {
    await install({ files: [apks.make()] })
    const before = counters()
    const files = [apks.make({ versionCode: 6 })]
    for (const [needs, reason] of [
      [
        { minSdk: 99 },
        /^INSTALL_FAILED_OLDER_SDK: Requires newer sdk version #99 \(current version is #34\)/,
      ],
      [
        { minSdk: 33, minCodename: 'Tiramisu' },
        /^INSTALL_FAILED_OLDER_SDK: Requires development platform Tiramisu/,
      ],
      [{ abis: ['mips'] }, /^INSTALL_FAILED_NO_MATCHING_ABIS/],
      [{ targetSdk: 22 }, /^INSTALL_FAILED_DEPRECATED_SDK_VERSION/],
      [{ jarOnly: true }, /^INSTALL_PARSE_FAILED_NO_CERTIFICATES/],
    ] as const) {
      const error = await errorOf(begin({ id: newInstallId(), versionCode: 6, files, replace: true, needs }))
      expect(error.code).toBe('install_failed')
      expect(error.details['reason']).toMatch(reason)
      expect(error.next).not.toMatch(/uninstall/)
    }
    both.phone.inside.faults.fullStorage(true)
    const full = await errorOf(begin({ id: newInstallId(), versionCode: 6, files, replace: true, needs: {} }))
    both.phone.inside.faults.fullStorage(false)
    expect(full.code).toBe('install_failed')
    expect(full.details['reason']).toMatch(/^INSTALL_FAILED_INSUFFICIENT_STORAGE/)
    expect((await listed())?.versionCode).toBe(5n)
    expect(counters().uninstalls).toBe(before.uninstalls)
    // An update keeps the app's data, so the phone decides about the target itself.
    expect(await install({ versionCode: 6, files, needs: { targetSdk: 22 } })).toMatchObject({
      succeeded: true,
    })
  })

  it("fails with the phone's error text, and leaves the app unchanged", async () => {
    await install({ files: [apks.make()] })
    const refused = { succeeded: false, errorCode: 'install_failed', wasInstalled: true }
    const stranger = await install({ files: [apks.make({ versionCode: 6 }, 'stranger')], versionCode: 6 })
    expect(stranger).toMatchObject(refused)
    expect(stranger.reason).toMatch(/^INSTALL_FAILED_UPDATE_INCOMPATIBLE/)
    both.phone.inside.faults.fullStorage(true)
    const full = await install({ files: [apks.make({ versionCode: 6 })], versionCode: 6 })
    expect(full).toMatchObject(refused)
    expect(full.reason).toMatch(/^INSTALL_FAILED_INSUFFICIENT_STORAGE/)
    both.phone.inside.faults.fullStorage(false)
    expect((await listed())?.versionCode).toBe(5n)
    expect(await shell('ls', '/data/app')).not.toContain('vmdl')
  })

  it('is one of at most two, and one per app [20.49, 33.16]', async () => {
    const apps = [shop, `${shop}.two`, `${shop}.three`].map((name) => {
      const file = apks.make({ package: name })
      return { id: newInstallId(), package: name, files: [file], file }
    })
    const [one, two, three] = apps as [(typeof apps)[0], (typeof apps)[0], (typeof apps)[0]]
    await begin(one)
    expect(await errorOf(begin({ ...one, id: newInstallId() }))).toMatchObject({
      code: 'install_in_progress',
      retryable: true,
      details: { package: shop },
    })
    await begin(two)
    const third = await errorOf(begin(three))
    expect([third.code, third.details]).toEqual(['install_in_progress', { package: shop }])
    for (const { file } of apps) await put(file)
    expect(await Promise.all([finish(one.id), finish(two.id)])).toEqual([succeeded, succeeded])
    await begin(three)
    expect(await finish(three.id)).toEqual(succeeded)
    // The limit also applies with `replace`, before any app is uninstalled.
    const again = apps.map((app) => ({ ...app, id: newInstallId(), replace: true }))
    const [first, second, last] = again as [(typeof again)[0], (typeof again)[0], (typeof again)[0]]
    await begin({ ...first, replace: false })
    await begin({ ...second, replace: false })
    const before = counters().uninstalls
    expect((await errorOf(begin(last))).code).toBe('install_in_progress')
    expect(counters().uninstalls).toBe(before)
    expect(await Promise.all([finish(first.id), finish(second.id)])).toHaveLength(2)
    for (const { package: name } of apps) expect((await listed(name))?.versionCode).toBe(5n)
  })
})

describe('an interrupted install', () => {
  /** The agent's disk, as a kill would leave it now. */
  const crashed = () => {
    const copy = mkdtempSync(join(dir, 'crashed-'))
    for (const name of ['journal.jsonl', 'installs.json'])
      cpSync(join(both.host.config.dataDir, name), join(copy, name))
    const journal = openJournal(join(copy, 'journal.jsonl'), () => new Date())
    journal.close()
    const left = journal.leftOpen.map(({ begin: id, serial, phoneId }) => ({ id, serial, phoneId }))
    return openInstallRecords(join(copy, 'installs.json'), left)
  }
  const reach = (name: string, file: File, id: string) => {
    both.phone.inside.faults.hangEvery(1, `pm ${name}`)
    const opened = () => both.phone.proxy.opened.filter((service) => service.includes(`pm ${name}`)).length
    const before = opened()
    const end = begin({ id, files: [file] })
      .then(() => put(file))
      .then(() => finish(id, 60_000))
    return { end, reached: until(() => opened() > before, 60_000, name) }
  }

  it('before its commit fails, and the next install abandons its session', async () => {
    const id = newInstallId()
    const before = { installs: counters().installs, abandons: sent('install-abandon') }
    const { end, reached } = reach('install-write', apks.make(), id)
    await reached
    const records = crashed()
    expect(records.get(id)).toMatchObject({
      outcome: { kind: 'unknown' },
      session: expect.any(Number) as number,
    })
    both.phone.proxy.cut()
    expect(await end).toEqual({ ...succeeded, succeeded: false, errorCode: 'phone_unavailable' })
    both.phone.inside.faults.hangEvery(0)
    both.phone.proxy.restore()
    await untilLink(both.host, both.phone.serial, 'healthy')
    expect(await finish(id)).toMatchObject({ succeeded: false, errorCode: 'phone_unavailable' })
    expect(counters().installs).toBe(before.installs)
    expect(await install({ files: [apks.make()] })).toEqual(succeeded)
    expect(sent('install-abandon') - before.abandons).toBe(1)
    expect(await shell('ls', '/data/app')).not.toContain('vmdl')
  })

  it("after its commit is confirmed by the phone's list, and never sent again [37.4]", async () => {
    const id = newInstallId()
    const before = counters().installs
    both.phone.proxy.muteAt('pm install-commit')
    const file = apks.make()
    await begin({ id, files: [file] })
    await put(file)
    const end = finish(id, 60_000)
    await until(() => counters().installs > before, 60_000, 'the commit')
    both.phone.proxy.cut()
    both.phone.proxy.restore()
    expect(await end).toEqual(succeeded)
    expect((await listed())?.versionCode).toBe(5n)
    expect(counters().installs - before).toBe(1)
  })

  it('by a lifecycle call ends with it', async () => {
    const id = newInstallId()
    const { end, reached } = reach('install-write', apks.make(), id)
    await reached
    fencing += 1n
    await at().park()
    expect(await end.catch((error: unknown) => error)).toMatchObject({
      succeeded: false,
      errorCode: 'phone_unavailable',
    })
    both.phone.inside.faults.hangEvery(0)
    expect(await shell('ls', '/data/app')).not.toContain('vmdl')
    fencing += 1n
    await at().start()
    expect(await install({ files: [apks.make()] })).toEqual(succeeded)
  })

  describe('with short timeouts', () => {
    let installs: Installs
    const log = createLogger('test')
    log.level = 'silent'
    beforeAll(async () => {
      installs = createInstalls({
        gateOf: (serial) => both.host.agent.registry.gate(serial),
        cache: await openPackageCache(join(dir, 'packages'), 1_000_000, {
          keep: 0,
          free: () => Promise.resolve(null),
        }),
        records: openInstallRecords(join(dir, 'installs.json'), []),
        log,
        times: { ...installTimes, unfinished: 300, install: 1500, confirm: 500 },
      })
    })
    afterAll(() => installs.stop())
    const order = (id: string, files: File[]) => ({
      id,
      package: shop,
      versionCode: 5,
      files,
      replace: false,
      needs: null,
    })
    const who = () => at().assignment

    it('has an unknown outcome when the phone never answers, and is not retried', async () => {
      const file = apks.make()
      const id = newInstallId()
      const before = sent('install-commit')
      both.phone.inside.faults.hangEvery(1, 'pm install-commit')
      await installs.begin(who(), order(id, [file]))
      await installs.put(
        file,
        (async function* () {
          yield await Promise.resolve(file.content)
        })(),
        Progress.for(5000),
      )
      await expect(installs.finish(who(), id)).rejects.toMatchObject({
        code: 'action_outcome_unknown',
        details: { install: id },
      })
      both.phone.inside.faults.hangEvery(0)
      await expect(installs.begin(who(), order(id, [file]))).rejects.toMatchObject({
        code: 'action_outcome_unknown',
      })
      await expect(installs.finish(who(), id)).rejects.toMatchObject({ code: 'action_outcome_unknown' })
      expect(sent('install-commit') - before).toBe(0)
    })

    it('releases its slot when it is never finished', async () => {
      const file = apks.make()
      const id = newInstallId()
      await installs.begin(who(), order(id, [file]))
      const next = newInstallId()
      await until(() =>
        installs.begin(who(), order(next, [file])).then(
          () => true,
          () => false,
        ),
      )
      await expect(installs.finish(who(), id)).rejects.toMatchObject({ code: 'phone_unavailable' })
    })
  })
})
