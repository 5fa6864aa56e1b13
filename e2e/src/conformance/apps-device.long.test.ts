/**
 * Installed apps through `/v1`: listed and uninstalled, on phones that offer the fast way and on a phone that
 * does not.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { errorOf, type Api, type Answer } from '../system/api.js'
import { faultsOf, type PhoneFaults } from '../system/faults.js'
import { eventually, newTenant, readyPhone } from '../system/tenant.js'

const app = z.strictObject({
  package: z.string(),
  label: z.string(),
  version_name: z.string(),
  version_code: z.int(),
  system: z.boolean(),
})
const listSchema = z.strictObject({ data: z.array(app) })

const left = 'com.example.leftover'

const statusAndCode = (answer: Answer) => [answer.status, errorOf(answer).code]

describe.each([
  {
    name: 'with the fast way',
    systemOf: () => inject('system'),
    label: 'Leftover',
    settings: 'Settings',
    ours: ['io.appium.settings'],
  },
  // This phone does not report labels, and our helpers are not installed on it.
  {
    name: 'without it',
    systemOf: () => inject('bare'),
    label: left,
    settings: 'com.android.settings',
    ours: [],
  },
])('apps of a phone $name', ({ systemOf, label, settings, ours }) => {
  let api: Api
  let readOnly: Api
  let path: string
  let faults: PhoneFaults
  beforeAll(async () => {
    const tenant = await newTenant(systemOf())
    api = tenant.admin
    readOnly = tenant.readOnly
    const { id } = await readyPhone(api)
    path = `/v1/phones/${id}`
    faults = await (await faultsOf(systemOf())).ofPhone(id)
  }, 100_000)
  afterAll(() => api.delete(path))

  const list = async (by = api) => {
    const answer = await by.get(`${path}/apps`)
    expect(answer.status).toBe(200)
    return listSchema.parse(answer.body).data
  }
  const find = async (name: string) => (await list()).find((each) => each.package === name)
  const uninstall = (name: string) => api.delete(`${path}/apps/${name}`)

  it('are listed with versions, with the labels that the phone reports, and whether they are preinstalled [33.1, 38.1, 38.4]', async () => {
    expect(await find(left)).toBeUndefined()
    await faults.leave('package')
    expect(await find(left)).toEqual({
      package: left,
      label,
      version_name: '1.0',
      version_code: 1,
      system: false,
    })
    expect(await find('com.android.settings')).toMatchObject({ label: settings, system: true })
    expect(await find('android')).toMatchObject({ system: true })
    expect((await list(readOnly)).length).toBe((await list()).length)
  })

  it('exclude the apps of the service, which cannot be uninstalled [33.2]', async () => {
    const before = (await faults.state()).installed
    expect(before).toEqual(expect.arrayContaining(ours))
    expect(before.some((each) => each.startsWith('io.appium'))).toBe(ours.length > 0)
    expect((await list()).filter((each) => each.package.startsWith('io.appium'))).toEqual([])
    for (const name of before.filter((each) => each !== left)) {
      const answer = await uninstall(name)
      expect(statusAndCode(answer)).toEqual([404, 'app_not_found'])
      expect(errorOf(answer).details).toEqual({ package: name })
    }
    expect((await faults.state()).installed).toEqual(before)
  })

  it('are uninstalled once [23.17, 33.27, 33.29]', async () => {
    const before = (await faults.counters()).uninstalls
    const answer = await uninstall(left)
    expect([answer.status, answer.body]).toEqual([200, { package: left, uninstalled: true }])
    expect(await find(left)).toBeUndefined()
    expect((await faults.state()).installed).not.toContain(left)
    const again = await uninstall(left)
    expect(statusAndCode(again)).toEqual([404, 'app_not_found'])
    expect(errorOf(again).details).toEqual({ package: left })
    expect((await faults.counters()).uninstalls - before).toBe(1)
  })

  it('include preinstalled apps, which stay [33.30]', async () => {
    expect(statusAndCode(await uninstall('com.android.settings'))).toEqual([404, 'app_not_found'])
    expect(await find('com.android.settings')).toBeDefined()
  })

  it('are named by a package, and require the right to change the phone [33.28]', async () => {
    for (const name of ['nodots', 'a..b', '1a.b', `a.${'b'.repeat(254)}`, encodeURIComponent("a.b';reboot")])
      expect(statusAndCode(await uninstall(name)), name).toEqual([400, 'validation_failed'])
    expect(statusAndCode(await uninstall(`a.${'b'.repeat(253)}`))).toEqual([404, 'app_not_found'])
    expect(statusAndCode(await readOnly.delete(`${path}/apps/${left}`))).toEqual([403, 'insufficient_scope'])
    const others = (await newTenant(systemOf())).admin
    expect(statusAndCode(await others.get(`${path}/apps`))).toEqual([404, 'phone_not_found'])
  })
})

describe('an uninstall that is cut off', () => {
  it('has an unknown outcome, is sent once, and shows in the list [33.31, 39.8]', async () => {
    const system = inject('system')
    const { admin } = await newTenant(system)
    const { id } = await readyPhone(admin)
    const path = `/v1/phones/${id}`
    const faults = await (await faultsOf(system)).ofPhone(id)
    try {
      await faults.leave('package')
      const before = await faults.counters()
      await faults.hangEvery(1, 'pm uninstall')
      const answer = admin.delete(`${path}/apps/${left}`)
      const lists = ({ commands }: typeof before) => commands['cmd package list'] ?? 0
      // The phone first reads the list, and then gets the command.
      await eventually(
        'the uninstall',
        20_000,
        async () => lists(await faults.counters()) >= lists(before) + 2,
      )
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await faults.unplug()
      const error = errorOf(await answer)
      expect([error.code, error.retryable, error.next]).toEqual([
        'action_outcome_unknown',
        false,
        `GET ${path}/apps`,
      ])
      await faults.heal()
      const apps = listSchema.parse((await admin.get(`${path}/apps`)).body).data
      expect(apps.some((each) => each.package === left)).toBe((await faults.state()).installed.includes(left))
      const after = await faults.counters()
      expect(after.uninstalls - before.uninstalls).toBeLessThanOrEqual(1)
    } finally {
      await faults.heal()
      await admin.delete(path)
    }
  }, 60_000)
})
