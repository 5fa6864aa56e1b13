/**
 * The app library: uploads by the operator over HTTP, and searches and installs by projects. Real
 * Postgres, files and jobs.
 */
import { ApiError, newId } from '@phonerack/shared'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ApkFacts } from '../apps/apk/facts.js'
import { libraryPageSchema, startedInstallSchema } from '../../api/routes/apps/schemas.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { makeApk } from '../../testing/apk.js'
import { sha256, storedFiles, uploadClient, type UploadClient } from '../../testing/uploads.js'
import { createBody, eventually, useWorld, type Plane, type Tenant } from '../../testing/world.js'
import { fitTogether } from './apps.js'
import { Catalog } from './catalog.js'
import { expireLibraryFiles } from './files.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let client: UploadClient
let operatorOrigin: string
beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(1, { beatMs: 200 })
  tenant = await plane.tenant({ credit: '1000' })
  client = await uploadClient(plane, tenant)
  operatorOrigin = await plane.operator.listen({ host: '127.0.0.1', port: 0 })
  await eventually(async () => (await client.request('GET', '/v1/apps/library')).status === 200)
})

interface Said {
  file?: string
  data?: unknown[]
  error?: { code: string; message: string }
}
async function operator(
  method: string,
  path: string,
  body?: Buffer | object,
): Promise<{ status: number; body: Said }> {
  const isFile = Buffer.isBuffer(body)
  const answer = await fetch(`${operatorOrigin}/operator/v1/library${path}`, {
    method,
    headers: {
      authorization: `Bearer ${plane.operatorToken}`,
      'content-type': isFile ? 'application/octet-stream' : 'application/json',
    },
    ...(body ? { body: isFile ? new Uint8Array(body) : JSON.stringify(body) } : {}),
  })
  return { status: answer.status, body: (await answer.json()) as Said }
}
const sendFile = async (apk: Buffer): Promise<string> =>
  (await operator('POST', '/files', apk)).body.file ?? ''
const addApp = (files: string[]) => operator('POST', '/apps', { files })
const search = async (query = '') => {
  const { status, body } = await client.request('GET', `/v1/apps/library${query}`)
  expect(status).toBe(200)
  return libraryPageSchema.strict().parse(body)
}
const found = async (query: string): Promise<string[]> =>
  (await search(`?query=${encodeURIComponent(query)}`)).data.map((app) => app.package)

const name = 'org.example.shop'
const build = { package: name, versionCode: 3, versionName: '1.3', label: 'Ésox Shop' }

describe('an app with splits', () => {
  const base = makeApk({ ...build, splitRequired: true })
  const split = makeApk({ ...build, split: 'config.de', files: { pad: Buffer.alloc(100_000) } })

  it('is created from uploaded files, and found by every project immediately [3.47, 13.1]', async () => {
    const files = [await sendFile(split), await sendFile(base)]
    expect((await addApp([files[1] ?? '']).then(({ body }) => body.error))?.message).toMatch(/splits/)
    const added = await addApp(files)
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({
      package: name,
      label: 'Ésox Shop',
      version_code: 3,
      version_name: '1.3',
      splits: ['config.de'],
      size_bytes: base.length + split.length,
    })
    const entry = { package: name, label: 'Ésox Shop', version_code: 3, version_name: '1.3' }
    expect(await search()).toEqual({ data: [entry], next_cursor: null })
    expect((await operator('GET', '/apps')).body.data).toEqual([added.body])
    // Each file can be part of only one app.
    expect((await addApp(files)).body.error?.code).toBe('validation_failed')
  })

  it("is installed by package, with its splits; the phone's host gets each file once [3.45, 23.58]", async () => {
    const { phone } = await plane.app.services.phones.create(
      tenant.caller,
      createBody({ maxDuration: 3600 }),
      null,
    )
    const path = `/v1/phones/${phone.id}/apps`
    await eventually(
      async () => (await plane.app.services.phones.get(tenant.caller, phone.id)).status === 'ready',
    )
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    agent.onCall = (call) => (call === 'finishInstall' ? held : Promise.resolve())
    const started = await client.request('POST', path, { package: name })
    expect([started.status, startedInstallSchema.strict().parse(started.body)]).toEqual([
      202,
      { package: name, status: 'running' },
    ])
    await eventually(() => agent.log.includes('finishInstall'))
    expect([...agent.held.cache].sort()).toEqual([sha256(base), sha256(split)].sort())
    // The app is removed during the install, which keeps its files until it has ended.
    const stored = await storedFiles(plane)
    expect(stored).toHaveLength(2)
    expect((await operator('DELETE', `/apps/${name}`)).body).toEqual({ package: name, removed: true })
    expect(await search()).toEqual({ data: [], next_cursor: null })
    await eventually(async () => (await waitingDeletes()) === 2)
    expect(await storedFiles(plane)).toEqual(stored)
    release()
    const entry = { package: name, upload: null, install: null, status: 'succeeded', error: null, next: null }
    await eventually(async () => {
      const { body } = await client.request<{ data: { status: string }[] }>('GET', `${path}/installs`)
      return body.data[0]?.status !== 'running'
    })
    expect((await client.request('GET', `${path}/installs`)).body).toMatchObject({ data: [entry] })
    const again = await client.request('POST', path, { package: name })
    expect([again.status, again.body.error?.code, again.body.error?.details]).toEqual([
      422,
      'app_not_available',
      { package: name },
    ])
    expect((await operator('DELETE', `/apps/${name}`)).body.error?.code).toBe('app_not_found')
  })
})

/**
 * Counts deletes that wait because their files are being installed. The replica's own file, which is deleted after a day,
 * does not count.
 */
const waitingDeletes = async (): Promise<number> =>
  (
    await plane.app.core.db.$queryRaw<unknown[]>`select 1 from graphile_worker.jobs
      where key like 'file.delete:%' and run_at between now() + interval '10 s' and now() + interval '12 h'`
  ).length

it("accepts only an operator's APKs, and removes those that no app uses", async () => {
  const apk = makeApk({ package: 'org.example.left' })
  const stranger = await fetch(`${operatorOrigin}/operator/v1/library/files`, {
    method: 'POST',
    body: new Uint8Array(apk),
  })
  expect(stranger.status).toBe(401)
  expect((await operator('POST', '/files', Buffer.from('no APK'))).body.error?.code).toBe('invalid_apk')
  const left = await sendFile(apk)
  const { core } = plane.app
  expect(await storedFiles(plane)).toContain(left)
  await expireLibraryFiles(core)
  expect(await core.db.libraryFile.count()).toBe(1)
  await core.db.libraryFile.update({
    where: { id: left },
    data: { createdAt: new Date(core.clock.now().getTime() - 3_600_001) },
  })
  await expireLibraryFiles(core)
  await eventually(async () => !(await storedFiles(plane)).includes(left))
  expect((await addApp([left])).body.error?.code).toBe('validation_failed')
})

describe('a search', () => {
  let newest: string
  /** An app with one stored file, whose content does not matter here. */
  async function put(index: number, label: string): Promise<void> {
    const id = newId('file')
    newest = id
    await plane.app.uploads.store.put(id, Readable.from([Buffer.from('x')], { objectMode: false }))
    const { db, clock } = plane.app.core
    const at = clock.now()
    await db.libraryApp.create({
      data: {
        package: `com.example.a${String(index).padStart(3, '0')}`,
        label,
        versionCode: 1,
        versionName: '1',
        addedAt: at,
        files: { create: { id, sizeBytes: 1, sha256: 'aa', facts: {}, createdAt: at } },
      },
    })
  }
  beforeAll(async () => {
    await plane.app.core.db.libraryFile.deleteMany()
    await plane.app.core.db.libraryApp.deleteMany()
    for (let index = 0; index < 101; index++)
      await put(index, index === 100 ? 'Straße & Ｗｅｂ' : `App ${index}`)
    await plane.app.core.db.libraryState.update({ where: { id: 1 }, data: { version: { increment: 1 } } })
  })

  it('returns pages of 50, each app once, sorted by package [13.4, 20.12, 33.6]', async () => {
    const pages = [await search()]
    for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor)
      pages.push(await search(`?limit=7&cursor=${cursor}`))
    expect(pages.map(({ data }) => data.length)).toEqual([50, 50, 1])
    const all = pages.flatMap(({ data }) => data.map((app) => app.package))
    expect(all).toEqual([...all].sort())
    expect(new Set(all).size).toBe(101)
  })

  it('finds parts of packages and names, in any case and width [13.2]', async () => {
    expect(await found('APP 9')).toHaveLength(11)
    expect(await found('example.A09')).toHaveLength(10)
    expect(await found('straße')).toEqual(['com.example.a100'])
    expect(await found('web')).toEqual(['com.example.a100'])
    expect(await found('nothing like it')).toEqual([])
    expect(await found('')).toHaveLength(50)
  })

  it('refuses queries over 100 characters and invalid cursors [13.3, 20.13, 33.5]', async () => {
    const of = async (query: string) => {
      const { status, body } = await client.request('GET', `/v1/apps/library?${query}`)
      return [status, body.error?.code]
    }
    expect(await of(`query=${'%F0%9F%98%80'.repeat(100)}`)).toEqual([200, undefined])
    for (const query of [`query=${'x'.repeat(101)}`, 'cursor=nothing', 'query=a&query=b', 'query=%00'])
      expect(await of(query)).toEqual([400, 'validation_failed'])
  })

  it('returns a wait while the library loads for the first time [13.6]', async () => {
    const { db } = plane.app.core
    const { store } = plane.app.uploads
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const slow = Object.assign(Object.create(store) as typeof store, {
      has: async (id: string) => held.then(() => store.has(id)),
    })
    const catalog = new Catalog({
      db,
      store: slow,
      log: plane.app.core.log,
      cursors: plane.app.core.cursors,
      refreshMs: 0,
    })
    const loading = catalog.keep()
    const refusal = await catalog.search(tenant.caller, null, null).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ApiError)
    expect(refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 2 })
    release()
    await loading
    expect((await catalog.search(tenant.caller, null, null)).data).toHaveLength(50)

    // An app whose file is lost disappears at the next refresh; a change by another replica is
    // visible immediately.
    await store.delete(newest)
    expect((await catalog.search(tenant.caller, 'straße', null)).data).toHaveLength(1)
    await catalog.keep()
    expect((await catalog.search(tenant.caller, 'straße', null)).data).toEqual([])
    expect((await operator('DELETE', '/apps/com.example.a099')).status).toBe(200)
    const many = await Promise.all(
      Array.from({ length: 5 }, () => catalog.search(tenant.caller, 'app 99', null)),
    )
    expect(many.flatMap(({ data }) => data)).toEqual([])
  })
})

describe('files of one app', () => {
  const facts = (change: Partial<ApkFacts>): { facts: ApkFacts } => ({
    facts: {
      package: name,
      split: null,
      versionCode: 3,
      versionName: null,
      minSdk: null,
      minCodename: null,
      targetSdk: null,
      abis: [],
      label: null,
      needsSplits: false,
      signer: 'aa',
      jarOnly: false,
      ...change,
    },
  })
  const base = facts({})
  const split = facts({ split: 'config.de' })

  it('are one base and its splits', () => {
    expect(fitTogether([split, base])).toEqual({ base, splits: [split] })
    expect(fitTogether([base])).toEqual({ base, splits: [] })
  })

  it.each([
    ['no base', [split], /one base APK, not 0/],
    ['two bases', [base, facts({ versionCode: 4 })], /one base APK, not 2/],
    [
      'another version',
      [base, facts({ split: 'a', versionCode: 4 })],
      /split a is part of org.example.shop 4/,
    ],
    [
      'another package',
      [base, facts({ split: 'a', package: 'org.example.b' })],
      /split a is part of org.example.b 3/,
    ],
    ['another signer', [base, facts({ split: 'a', signer: 'bb' })], /different keys/],
    ['a split twice', [base, split, split], /twice/],
    ['no splits', [facts({ needsSplits: true })], /does not run without them/],
    ['an invalid package', [facts({ package: 'shop' })], /an invalid package name/],
  ])('are refused with %s', (_why, files, message) => {
    expect(() => fitTogether(files)).toThrow(message)
  })
})
