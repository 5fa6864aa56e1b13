// Cursors of every paged list, over HTTP and real Postgres: only ours are accepted, for their own
// list and project.
import { newId } from '@phonerack/shared'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../testing/api.js'
import { useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
/** Another replica. */
let beside: Plane
const phoneOf = new Map<Tenant, string>()
let tenant: Tenant
let other: Tenant

beforeAll(async () => {
  const env = { PHONERACK_JOBS: 'off' }
  plane = await world.start({ env })
  beside = await world.start({ env, beside: plane })
  tenant = await withRows()
  other = await withRows()
  // A search returns 429 until the first load.
  await vi.waitFor(async () => expect((await page(library, tenant, null)).statusCode).toBe(200), 30_000)
})

/** A project with three rows in each paged list. */
async function withRows(): Promise<Tenant> {
  const made = await plane.tenant()
  const { db } = plane.app.core
  const { projectId } = made
  for (let index = 0; index < 3; index += 1) {
    const at = new Date(Date.now() - 1000 * index)
    const phoneId = newId('phone')
    phoneOf.set(made, phoneOf.get(made) ?? phoneId)
    await db.phone.create({
      data: { id: phoneId, projectId, keyId: 'k', name: 'n', status: 'parked', createdAt: at },
    })
    await db.session.create({
      data: {
        id: newId('session'),
        phoneId: phoneOf.get(made) ?? phoneId,
        projectId,
        startedAt: at,
        endedAt: at,

        endReason: 'parked',
        idleTimeout: 300,
        maxDuration: 900,
        billedSeconds: 60,
        costMicros: 60_000n,
        reservedMicros: 900_000n,
      },
    })
    const expiresAt = new Date(Date.now() + 3_600_000)
    await db.upload.create({
      data: {
        id: newId('upload'),
        projectId,
        keyId: made.caller.keyId,
        status: 'awaiting_file',
        tokenHash: newId('upload'),
        createdAt: at,
        expiresAt,
      },
    })
    await db.activity.create({
      data: {
        projectId,
        keyId: 'k',
        requestId: newId('request'),
        at,
        method: 'POST',
        route: '/',
        status: 200,
        ms: 1,
        summary: {},
      },
    })
  }
  return made
}

interface List {
  parameter: 'cursor' | 'before'
  url: (of: Tenant) => string
}
const lists: Record<string, List> = {
  phones: { parameter: 'cursor', url: () => '/v1/phones?limit=1' },
  sessions: { parameter: 'cursor', url: (of) => `/v1/phones/${phoneOf.get(of)}/sessions?limit=1` },
  uploads: { parameter: 'cursor', url: () => '/v1/apps/uploads?limit=1' },
  activity: { parameter: 'before', url: (of) => `/operator/v1/activity?project=${of.projectId}&limit=1` },
}
/** Pages of 50, so this list has no cursor here. */
const library: List = { parameter: 'cursor', url: () => '/v1/apps/library?query=' }

async function page({ parameter, url }: List, of: Tenant, cursor: string | null, on = plane) {
  const more = cursor === null ? '' : `&${parameter}=${encodeURIComponent(cursor)}`
  const isOperators = parameter === 'before'
  const server = isOperators ? on.operator : on.server
  return server.inject({
    url: url(of) + more,
    headers: { authorization: `Bearer ${isOperators ? on.operatorToken : of.key}` },
  })
}
const cursorIn = (response: Awaited<ReturnType<typeof page>>): string | null =>
  response.json<Record<string, string | null>>()['next_cursor'] ??
  response.json<Record<string, string | null>>()['next_before'] ??
  null

async function first(list: List, of: Tenant): Promise<string> {
  const response = await page(list, of, null)
  expect(response.statusCode, response.body).toBe(200)
  const cursor = cursorIn(response)
  if (cursor === null) throw new Error(`no cursor of ${list.url(of)}`)
  return cursor
}
async function expectRefused(list: List, of: Tenant, cursor: string): Promise<void> {
  const error = errorOf(await page(list, of, cursor), 400, 'validation_failed')
  expect(error.details.issues?.map(({ path }) => path)).toEqual([[list.parameter]])
  expect(error.details['validation_stage']).toBe('query')
}

describe.each(Object.entries(lists))('a cursor of %s', (name, list) => {
  it('works on every replica, to the last page', async () => {
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const response = await page(list, tenant, cursor, seen.length % 2 === 0 ? plane : beside)
      expect(response.statusCode, response.body).toBe(200)
      seen.push(...response.json<{ data: { id: string }[] }>().data.map(({ id }) => id))
      cursor = cursorIn(response)
    } while (cursor !== null)
    expect([seen.length, new Set(seen).size]).toEqual([3, 3])
  })

  it('is refused for another project and another list', async () => {
    const cursor = await first(list, tenant)
    await expectRefused(list, other, cursor)
    for (const [another, foreign] of [...Object.entries(lists), ['library', library] as const])
      if (another !== name) await expectRefused(foreign, tenant, cursor)
  })

  it('is refused when it was not created by us', async () => {
    const valid = await first(list, tenant)
    const plain = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const forged = [
      plain(['phones', 1_795_333_701_512, 'ph_\0']),
      plain(['uploads', 1_795_333_701_512, 'upl_\0']),
      plain([phoneOf.get(tenant), -8_640_000_000_000_000, 'ses_a']),
      plain(['phones', -62_198_755_200_001, 'ph_aaaaaaaaaaaa']),
      plain([1_795_333_701_512, 'a\0']),
      valid.slice(0, 43) + plain([-8_640_000_000_000_000, 'a\0']),
      valid.slice(43),
      `${valid}A`,
      valid.slice(1),
      '0',
      '-1',
      '9'.repeat(18),
      'é'.repeat(50),
      '\ud83d\udc4b',
      '',
    ]
    for (const cursor of forged) await expectRefused(list, tenant, cursor)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 90 }), (text) =>
        expectRefused(list, tenant, text),
      ),
      { numRuns: 50 },
    )
  })
})

it('a cursor of the library is refused when it was not created by us', async () => {
  for (const cursor of [Buffer.from('["library",0,"a"]').toString('base64url'), 'x', ''])
    await expectRefused(library, tenant, cursor)
})
