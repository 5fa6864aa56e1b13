/**
 * Exact limits, with concurrent requests on two replicas. The limits of creates, keys, days, totals and links are tested
 * with the feature that they limit. The agent enforces the limit of one install at a time per phone.
 */
import { newId } from '@phonerack/shared'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { decideSetup } from '../../people/setup/decision.js'
import { linkFor } from '../../testing/setup-link.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { createBody, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
const waitingMax = 100_000
const env = { PHONERACK_UPLOAD_WAITING_MAX: `${waitingMax}` }
const world = useWorld()
let planes: [Plane, Plane]
let agent: AgentDouble
let tenant: Tenant
let phoneId: string

beforeAll(async () => {
  const plane = await world.start({ env })
  agent = await plane.rack(1, { beatMs: 200 })
  planes = [plane, await world.start({ env, beside: plane })]
  tenant = await plane.tenant()
  const body = createBody({ maxDuration: 3600, idleTimeout: 3600 })
  phoneId = (await plane.app.services.phones.create(tenant.caller, body, null)).phone.id
  await ready()
})

const ready = () =>
  planes[0].app.services.phones.wait(phoneId, ({ status }) => status === 'ready', 30_000, context.signal)

/**
 * Runs the work eight times concurrently, alternating between both replicas. Returns the count of
 * each refusal; `null`: none.
 */
async function concurrently(work: (plane: Plane, index: number) => Promise<unknown>) {
  const codes = await Promise.all(
    Array.from({ length: 8 }, (_, index) => refusalOf(work(planes[index % 2 === 0 ? 0 : 1], index))),
  )
  const counts: Record<string, number> = {}
  for (const code of codes) counts[String(code)] = (counts[String(code)] ?? 0) + 1
  return counts
}

const tokenOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)
const incoming = (file: Buffer) => ({ stream: Readable.from([file]), declaredBytes: file.length })

describe('concurrently on two replicas', () => {
  it.each(['reboot', 'reset'] as const)('one %s of a phone succeeds', async (what) => {
    const refusals = await concurrently((plane) =>
      plane.app.services.power[what](tenant.caller, phoneId, context),
    )
    const { null: done, phone_starting: starting = 0, rate_limited: limited = 0 } = refusals
    expect([done, starting + limited], JSON.stringify(refusals)).toEqual([1, 7])
    await ready()
    const sent = what === 'reboot' ? 'reboot' : 'wipe'
    expect(agent.log.filter((line) => line.startsWith(`${sent} ${phoneId}`))).toHaveLength(1)
  })

  it('an upload URL accepts one file', async () => {
    const { uploadUrl } = await planes[0].app.services.uploads.create(tenant.caller)
    const refusals = await concurrently((plane, index) =>
      plane.app.services.uploads.receive(
        tokenOf(uploadUrl),
        incoming(Buffer.alloc(1000, index)),
        context.signal,
      ),
    )
    const { null: taken, upload_not_ready: busy = 0, upload_not_found: spent = 0 } = refusals
    expect([taken, busy + spent], JSON.stringify(refusals)).toEqual([1, 7])
  })

  it('files that wait to be completed use no more than their space', async () => {
    const { db } = planes[0].app.core
    const waiting = async () =>
      Number(
        (await db.upload.aggregate({ where: { status: 'awaiting_file' }, _sum: { sizeBytes: true } }))._sum
          .sizeBytes ?? 0,
      )
    const urls = await Promise.all(
      Array.from(
        { length: 8 },
        async () => (await planes[0].app.services.uploads.create(tenant.caller)).uploadUrl,
      ),
    )
    const before = await waiting()
    const size = 30_000
    const refusals = await concurrently((plane, index) =>
      plane.app.services.uploads.receive(
        tokenOf(urls[index] ?? ''),
        incoming(Buffer.alloc(size)),
        context.signal,
      ),
    )
    const fit = Math.floor((waitingMax - before) / size)
    expect(refusals).toEqual({ null: fit, storage_full: 8 - fit })
    expect(await waiting()).toBe(before + fit * size)
  })

  it('a link confirms a setup once, and the setup delivers one key', async () => {
    const [plane] = planes
    const { token, userCode } = await plane.app.services.setup.create({ client: null, address: '127.0.0.1' })
    const link = await linkFor(plane, userCode, tenant.projectId)
    const person = { address: '127.0.0.1', requestId: newId('request') }
    const decided = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        decideSetup(planes[index % 2 === 0 ? 0 : 1].app.core, link.ticket, 'allow', person),
      ),
    )
    expect(decided.filter(Boolean)).toHaveLength(1)
    expect(await concurrently((each) => each.app.services.setup.collect(token, person))).toEqual({
      null: 1,
      setup_used: 7,
    })
  })
})
