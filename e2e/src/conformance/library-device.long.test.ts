/** The app library through `ctl` and `/v1`: added with splits, found, installed by package, replaced and removed. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeApk, newSigner, type ApkSettings, type Signer } from '@phonerack/virtual-phone/apk-builder'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { errorOf, type Api } from '../system/api.js'
import { faultsOf, type PhoneFaults } from '../system/faults.js'
import { ctl } from '../system/system.js'
import { eventually, newTenant, readyPhone } from '../system/tenant.js'

const name = 'org.example.library'
const pageSchema = z.strictObject({
  data: z.array(
    z.strictObject({
      package: z.string(),
      label: z.string(),
      version_code: z.int(),
      version_name: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
})
const installsSchema = z.object({
  data: z.array(
    z.object({
      package: z.string(),
      upload: z.string().nullable(),
      install: z.string().nullable(),
      status: z.string(),
      error: z.string().nullable(),
    }),
  ),
})
const appsSchema = z.object({ data: z.array(z.object({ package: z.string(), version_code: z.int() })) })
const batchSchema = z.object({
  results: z.array(z.object({ error: z.object({ code: z.string() }).nullish() })),
})

let dir: string
let signer: Signer
let api: Api
let readOnly: Api
let phone: string
let faults: PhoneFaults
beforeAll(async () => {
  const system = inject('system')
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-library-'))
  signer = await newSigner('store')
  const tenant = await newTenant(system)
  api = tenant.admin
  readOnly = tenant.readOnly
  const { id } = await readyPhone(api)
  phone = `/v1/phones/${id}`
  faults = await (await faultsOf(system)).ofPhone(id)
}, 100_000)
afterAll(async () => {
  await api.delete(phone)
  await rm(dir, { recursive: true, force: true })
})

async function apk(file: string, settings: Partial<ApkSettings> = {}): Promise<string> {
  const bytes = makeApk(
    { package: name, versionCode: 4, versionName: '4.1', label: 'Lending', ...settings },
    signer,
  )
  const at = path.join(dir, file)
  await writeFile(at, bytes)
  return at
}
const library = (...args: string[]) => ctl(inject('system'), 'library', ...args)
const search = async (query: string) =>
  pageSchema.parse((await readOnly.get(`/v1/apps/library?query=${encodeURIComponent(query)}`)).body).data
const start = () => api.post(`${phone}/apps`, { package: name })
async function install(): Promise<void> {
  const answer = await start()
  expect([answer.status, answer.body]).toEqual([202, { package: name, status: 'running' }])
  const newest = async () => installsSchema.parse((await readOnly.get(`${phone}/apps/installs`)).body).data[0]
  await eventually('the end of the install', 150_000, async () => (await newest())?.status !== 'running')
  expect(await newest()).toMatchObject({
    package: name,
    upload: null,
    install: null,
    status: 'succeeded',
    error: null,
  })
}
const versionOnPhone = async () =>
  appsSchema.parse((await api.get(`${phone}/apps`)).body).data.find((app) => app.package === name)
    ?.version_code
const openedWith = async () =>
  batchSchema.parse(
    (await api.post(`${phone}/actions`, { actions: [{ type: 'open_app', package: name }], observe: 'none' }))
      .body,
  ).results[0]?.error?.code

describe('an app of the library', () => {
  it('is added with its splits, found by part of its package or name, and installed by package [1.6, 33.4, 33.10, 33.22, 37.2]', async () => {
    const base = await apk('base.apk', { splitRequired: true })
    const german = await apk('split_config.de.apk', { split: 'config.de' })
    const dense = await apk('split_config.xxhdpi.apk', { split: 'config.xxhdpi' })
    await expect(library('add', base)).rejects.toThrow(/does not run without them/)
    await expect(
      library('add', base, await apk('other.apk', { split: 'config.fr', versionCode: 5 })),
    ).rejects.toThrow(/do not belong together/)
    expect(await search(name)).toEqual([])
    expect(await openedWith()).toBe('app_not_found')
    const missing = await start()
    expect([missing.status, errorOf(missing).code, errorOf(missing).details]).toEqual([
      422,
      'app_not_available',
      { package: name },
    ])

    expect(await library('add', dense, base, german)).toMatchObject({
      package: name,
      splits: ['config.xxhdpi', 'config.de'],
    })
    const entry = { package: name, label: 'Lending', version_code: 4, version_name: '4.1' }
    expect(await search('EXAMPLE.lib')).toEqual([entry])
    expect(await search('lend')).toEqual([entry])
    expect(await search('nobody knows this')).toEqual([])

    const before = (await faults.counters()).commands['pm install-write'] ?? 0
    await install()
    expect(await versionOnPhone()).toBe(4)
    expect((await faults.counters()).commands['pm install-write']).toBe(before + 3)
  })

  it('has one version: a newer version updates phones, and phones refuse an older version', async () => {
    await library('add', await apk('newer.apk', { versionCode: 6 }))
    expect((await search('lend')).map((app) => app.version_code)).toEqual([6])
    await install()
    expect(await versionOnPhone()).toBe(6)
    await library('add', await apk('older.apk', { versionCode: 5 }))
    const refused = await start()
    expect([refused.status, errorOf(refused).code]).toEqual([409, 'version_downgrade'])
    expect(errorOf(refused).details).toMatchObject({ installed_version_code: 6, version_code: 5 })
    expect(await versionOnPhone()).toBe(6)
  })

  it('stays on phones when it leaves the library', async () => {
    expect(await library('remove', name)).toEqual({ package: name, removed: true })
    expect(await search('lend')).toEqual([])
    // Other files add other apps to the same system.
    expect(JSON.stringify(await library('list'))).not.toContain(name)
    expect(errorOf(await start()).code).toBe('app_not_available')
    expect(await versionOnPhone()).toBe(6)
  })
})
