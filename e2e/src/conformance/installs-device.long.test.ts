/**
 * A tenant's apps through `/v1`: uploaded, installed, refused, cut off during the install, and listed with
 * their outcomes.
 */
import { newSigner, type ApkSettings, type Signer } from '@phonerack/virtual-phone/apk-builder'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { errorOf, type Answer, type Api } from '../system/api.js'
import { faultsOf, type PhoneFaults } from '../system/faults.js'
import { type System } from '../system/system.js'
import { eventually, newTenant, readyPhone, startAgain } from '../system/tenant.js'
import {
  createdSchema,
  endOf as endOfInstall,
  shop,
  startInstall,
  uploadFile,
  uploadShop,
  versionOf as versionOn,
} from './installs.js'

let api: Api
let path: string
let phoneId: string
let faults: PhoneFaults
let signers: Record<'ours' | 'stranger', Signer>
beforeAll(async () => {
  signers = { ours: await newSigner('ours'), stranger: await newSigner('stranger') }
  await rentFrom(inject('system'))
}, 100_000)
/** From this point on, all requests use the phone of this system. */
async function rentFrom(system: System): Promise<void> {
  api = (await newTenant(system)).admin
  const { id } = await readyPhone(api)
  phoneId = id
  path = `/v1/phones/${id}`
  faults = await (await faultsOf(system)).ofPhone(id)
}
afterEach(() => faults.heal())
afterAll(() => api.delete(path))

const statusAndCode = (answer: Answer) => [answer.status, errorOf(answer).code]

/** The phone that all requests use now. */
const phone = () => ({ api, path })
const upload = (settings: Partial<ApkSettings> = {}, by: keyof typeof signers = 'ours') =>
  uploadShop(api, signers[by], settings)
const start = (uploadId: string, more: object = {}) => startInstall(phone(), uploadId, more)
const endOf = (answer: Answer) => endOfInstall(phone(), answer)
const install = async (uploadId: string, more: object = {}) => endOf(await start(uploadId, more))
const versionOf = (name = shop) => versionOn(phone(), name)

describe('an uploaded app', () => {
  it('replaces a newer version only with `replace` [23.27, 33.13, 33.20]', async () => {
    const [older, newer] = [await upload(), await upload({ versionCode: 7 })]
    await install(newer)
    const before = await faults.counters()
    const refused = await start(older)
    expect(statusAndCode(refused)).toEqual([409, 'version_downgrade'])
    expect(errorOf(refused).details).toMatchObject({ installed_version_code: 7, version_code: 5 })
    expect(await versionOf()).toBe(7)
    expect((await install(older, { replace: true }))?.status).toBe('succeeded')
    expect(await versionOf()).toBe(5)
    const after = await faults.counters()
    expect([after.installs - before.installs, after.uninstalls - before.uninstalls]).toEqual([1, 1])
  })

  it('is named by exactly one upload of the project that is ready [23.28, 33.9, 33.17, 33.18]', async () => {
    const ready = await upload()
    for (const body of [
      {},
      { upload: ready, package: shop },
      { package: shop, replace: true },
      { upload: ready, more: 1 },
    ])
      expect(statusAndCode(await api.post(`${path}/apps`, body))).toEqual([400, 'validation_failed'])
    for (const id of ['upl_aaaaaaaaaaaa', 'nonsense'])
      expect(statusAndCode(await start(id))).toEqual([404, 'upload_not_found'])
    const waiting = createdSchema.parse((await api.post('/v1/apps/uploads')).body)
    expect(statusAndCode(await start(waiting.id))).toEqual([409, 'upload_not_ready'])
    const broken = await uploadFile(api, Buffer.from('no archive'))
    expect(broken.status).toBe('invalid_apk')
    const notReady = await start(broken.id)
    expect(statusAndCode(notReady)).toEqual([409, 'upload_not_ready'])
    expect(errorOf(notReady).details['status']).toBe('invalid_apk')
    expect(statusAndCode(await api.post(`${path}/apps`, { package: shop }))).toEqual([
      422,
      'app_not_available',
    ])
    const other = (await newTenant(inject('system'))).admin
    expect(statusAndCode(await other.post(`${path}/apps`, { upload: ready }))).toEqual([
      404,
      'phone_not_found',
    ])
  })

  it('fails with the phone’s error when the phone refuses it [23.60, 37.5, 39.16]', async () => {
    const failed = { status: 'failed', error: 'install_failed' }
    await install(await upload())
    const stranger = await install(await upload({ versionCode: 9 }, 'stranger'))
    expect(stranger).toMatchObject(failed)
    expect(stranger?.next).toMatch(/INSTALL_FAILED_UPDATE_INCOMPATIBLE.*another key.*"replace": true/)
    await faults.fullStorage(true)
    const full = await install(await upload({ versionCode: 10 }))
    expect(full).toMatchObject(failed)
    expect(full?.next).toMatch(/INSTALL_FAILED_INSUFFICIENT_STORAGE/)
    expect(await versionOf()).toBe(5)
  })

  it('is refused before the install when it is incompatible with the phone, and the app to replace stays', async () => {
    await install(await upload())
    const before = await faults.counters()
    for (const [settings, reason] of [
      [{ versionCode: 8, minSdk: 99 }, /^INSTALL_FAILED_OLDER_SDK/],
      [{ versionCode: 8, minSdk: 5, targetSdk: 20 }, /^INSTALL_FAILED_DEPRECATED_SDK_VERSION/],
      [{ versionCode: 8, files: { 'lib/mips/a.so': Buffer.alloc(1) } }, /^INSTALL_FAILED_NO_MATCHING_ABIS/],
    ] as const) {
      const refused = await start(await upload(settings), { replace: true })
      expect(statusAndCode(refused)).toEqual([422, 'install_failed'])
      expect(errorOf(refused).details['reason']).toMatch(reason)
      expect(errorOf(refused).next).toMatch(/^Upload a build/)
      expect(errorOf(refused).next).not.toMatch(/uninstall|replace/)
    }
    await faults.fullStorage(true)
    const full = await start(await upload({ versionCode: 8 }), { replace: true })
    expect(statusAndCode(full)).toEqual([422, 'install_failed'])
    expect(errorOf(full).details['reason']).toMatch(/^INSTALL_FAILED_INSUFFICIENT_STORAGE/)
    await faults.fullStorage(false)
    expect(await versionOf()).toBe(5)
    expect((await faults.counters()).uninstalls).toBe(before.uninstalls)
  })

  it('cannot replace an app of the service [33.3]', async () => {
    const ours = await upload({ package: 'io.appium.settings', versionCode: 99_999 })
    const before = (await faults.counters()).commands['pm install-create']
    expect(statusAndCode(await start(ours))).toEqual([422, 'install_failed'])
    expect(statusAndCode(await start(ours, { replace: true }))).toEqual([422, 'install_failed'])
    expect((await faults.counters()).commands['pm install-create']).toBe(before)
  })
})

describe('installs of one phone', () => {
  const namesOf = ['one', 'two', 'three'].map((name) => `${shop}.${name}`)
  const sessionsOf = ({ commands }: Awaited<ReturnType<PhoneFaults['counters']>>) =>
    commands['pm install-create'] ?? 0

  it('are two in parallel and one per app, and fail when an unplugged cable cuts them off [23.26, 33.14, 33.15, 39.5]', async () => {
    const [one, two, three] = (await Promise.all(namesOf.map((name) => upload({ package: name })))) as [
      string,
      string,
      string,
    ]
    const before = await faults.counters()
    await faults.hangEvery(1, 'pm install-write')
    const running = [await start(one), await start(two)]
    const same = await start(one)
    expect(statusAndCode(same)).toEqual([409, 'install_in_progress'])
    expect(errorOf(same)).toMatchObject({ retryable: true, details: { package: namesOf[0] } })
    // The app cannot be opened until it is installed.
    const open = { actions: [{ type: 'open_app', package: namesOf[0] }], observe: 'none' }
    expect((await api.post(`${path}/actions`, open)).body).toMatchObject({
      results: [{ ok: false, error: { code: 'app_not_found', details: { package: namesOf[0] } } }],
    })
    expect(statusAndCode(await start(three))).toEqual([409, 'install_in_progress'])
    await eventually(
      'both sessions',
      20_000,
      async () => sessionsOf(await faults.counters()) >= sessionsOf(before) + 2,
    )
    await faults.unplug()
    for (const answer of running) {
      const end = await endOf(answer)
      expect(end).toMatchObject({ status: 'failed', error: 'phone_unavailable' })
      expect(end?.next).toBe(`Nothing was installed. Install again: POST ${path}/apps`)
    }
    await faults.heal()
    await eventually('the phone', 150_000, async () => (await api.get(`${path}/apps`)).status === 200)
    expect(await Promise.all(namesOf.map((name) => versionOf(name)))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect((await faults.counters()).installs).toBe(before.installs)
    expect((await install(three))?.status).toBe('succeeded')
    expect((await faults.counters()).installs - before.installs).toBe(1)
  }, 90_000)

  it.each([
    { at: 'pm install-write', error: 'phone_unavailable', knows: 'have failed before their commit' },
    { at: 'pm install-commit', error: 'action_outcome_unknown', knows: 'are unknown from their commit on' },
  ])(
    'end with the session of the phone, and $knows',
    async ({ at, error }) => {
      const name = `${shop}.${error}`
      const late = await upload({ package: name })
      const before = await faults.counters()
      await faults.hangEvery(1, at)
      const started = await start(late)
      await eventually(at, 150_000, async () => (await faults.counters()).hung > before.hung)
      expect((await api.post(`${path}/park`)).status).toBe(200)
      expect(await endOf(started)).toMatchObject({ status: 'failed', error })
      await faults.heal()
      // The agent may have reconnected the device to end hanging calls: a start is refused until the device
      // is back.
      await startAgain(api, phoneId)
      expect(await versionOf(name)).toBeUndefined()
      expect((await faults.counters()).installs).toBe(before.installs)
      // The next install stops the processes that this install left running.
      expect((await install(late))?.status).toBe('succeeded')
      const after = await faults.counters()
      expect(after.installs - before.installs).toBe(1)
      const abandoned = ({ commands }: typeof before) => commands['pm install-abandon'] ?? 0
      expect(abandoned(after) - abandoned(before)).toBe(1)
    },
    90_000,
  )
})

/** This test is the last, since it makes the phone of the other tests unusable. */
describe('on a phone with only the features of every phone, an app', () => {
  beforeAll(async () => {
    await api.delete(path)
    await rentFrom(inject('bare'))
  }, 100_000)

  it('is installed once, is not downgraded, is replaced, and is uninstalled [33.12]', async () => {
    const before = await faults.counters()
    const [older, newer] = [await upload(), await upload({ versionCode: 7 })]
    expect(await install(newer)).toMatchObject({ package: shop, upload: newer, status: 'succeeded' })
    expect(await versionOf()).toBe(7)
    const refused = await start(older)
    expect(statusAndCode(refused)).toEqual([409, 'version_downgrade'])
    expect(errorOf(refused).details).toMatchObject({ installed_version_code: 7, version_code: 5 })
    expect((await install(older, { replace: true }))?.status).toBe('succeeded')
    expect(await versionOf()).toBe(5)
    expect((await api.delete(`${path}/apps/${shop}`)).body).toEqual({ package: shop, uninstalled: true })
    expect(await versionOf()).toBeUndefined()
    const after = await faults.counters()
    expect([after.installs - before.installs, after.uninstalls - before.uninstalls]).toEqual([2, 2])
  })

  it('fails with the phone’s error', async () => {
    await install(await upload())
    expect(await install(await upload({ versionCode: 8 }, 'stranger'))).toMatchObject({
      status: 'failed',
      error: 'install_failed',
      next: expect.stringContaining('INSTALL_FAILED_UPDATE_INCOMPATIBLE') as string,
    })
  })
})
