// Requests into a phone over real gRPC and mutual TLS; the agent is a double.
import { ApiError, createLogger, type Action } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { observationJson, type AgentDouble } from '../../testing/agent-double.js'
import { errorOf } from '../../testing/api.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { createBody, eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string
/** Log lines of `plane`. */
const logged: Record<string, unknown>[] = []

beforeAll(async () => {
  plane = await world.start({
    log: createLogger('calls-test', {
      write: (line) => void logged.push(z.record(z.string(), z.unknown()).parse(JSON.parse(line))),
    }),
  })
  agent = await plane.rack(1)
  tenant = await plane.tenant()
  phoneId = await readyPhone(plane, tenant)
})

const context = { requestId: 'req_aaaaaaaaaaaa', signal: new AbortController().signal }
/** A write fails until the connection is open again; a read waits for the connection. */
const serveAgain = async (): Promise<void> => {
  await agent.serve()
  await plane.app.services.deviceControl.observe(tenant.caller, phoneId, null, context)
}
const home: Action = { type: 'home' }
const run = (actions: Action[]) =>
  plane.app.services.deviceControl.runActions(tenant.caller, phoneId, { actions, observe: 'ui' }, context)
const postBatch = () =>
  plane.server.inject({
    method: 'POST',
    url: `/v1/phones/${phoneId}/actions`,
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    payload: JSON.stringify({ actions: [home] }),
  })
const parse = (json: Uint8Array) => JSON.parse(Buffer.from(json).toString()) as unknown
const entry = (index: number, ok: boolean) => Buffer.from(JSON.stringify({ index, type: 'home', ok, ms: 1 }))

it('reads the screen', async () => {
  const { deviceControl } = plane.app.services
  const seen = await deviceControl.observe(
    tenant.caller,
    phoneId,
    { format: 'png', maxWidth: 200, quality: null },
    context,
  )
  expect(seen.snapshotId).toBe('snp_aaaaaaaaaaaa')
  const shot = await deviceControl.screenshot(
    tenant.caller,
    phoneId,
    { format: 'png', maxWidth: null, quality: null },
    context,
  )
  expect([...shot.image]).toEqual([1, 2, 3])
})

it('passes a whole batch through', async () => {
  agent.onBatch = (request, send) => {
    expect(JSON.parse(request.actionsJson.toString())).toEqual([home, home])
    send({ $case: 'started', value: { index: 0 } })
    send({ $case: 'finished', value: { index: 0, resultJson: entry(0, true) } })
    const resultsJson = Buffer.from(`[${entry(0, true).toString()},${entry(1, true).toString()}]`)
    send({ $case: 'ended', value: { observationJson: observationJson(), resultsJson } })
    return Promise.resolve()
  }
  expect(parse(await run([home, home]))).toMatchObject({ completed: 2, observation: { elements: [] } })
})

it('returns the known results when the stream is lost [22.30, 31.38]', async () => {
  agent.onBatch = async (_, send) => {
    send({ $case: 'started', value: { index: 0 } })
    send({ $case: 'finished', value: { index: 0, resultJson: entry(0, true) } })
    send({ $case: 'started', value: { index: 1 } })
    await new Promise((resolve) => setTimeout(resolve, 100))
    agent.cutGrpc()
    await new Promise(() => undefined)
  }
  expect(parse(await run([home, home, home]))).toMatchObject({
    completed: 1,
    results: [
      { index: 0, ok: true },
      { index: 1, ok: false, error: { code: 'action_outcome_unknown' } },
    ],
  })
  await serveAgain()
})

it.each<['park' | 'delete' | 'reboot', string]>([
  ['park', 'phone_parking'],
  ['reboot', 'phone_starting'],
  ['delete', 'phone_deleted'],
])('a batch that waited behind a %s gets its error: %s', async (what, code) => {
  const { phones, power } = plane.app.services
  const rack = await plane.rack(1)
  const { phone } = await phones.create(tenant.caller, createBody(), null)
  await phones.wait(phone.id, ({ status }) => status === 'ready', 10_000, context.signal)
  // Jobs that take the phone away never finish.
  const never = () => new Promise<void>(() => undefined)
  for (const device of rack.devices.values())
    Object.assign(device, { onPark: never, onStart: never, onWipe: never })
  const takeAway = async (): Promise<never> => {
    if (what === 'reboot') await power.reboot(tenant.caller, phone.id, context)
    else await phones[what](tenant.caller, phone.id)
    throw new ApiError('phone_unavailable', { message: 'The phone has since been assigned again.' })
  }
  rack.onBatch = takeAway
  const batch = { actions: [home], observe: 'ui' as const }
  const refused = await plane.app.services.deviceControl
    .runActions(tenant.caller, phone.id, batch, context)
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ code })
  if (what === 'delete') return
  await phones.delete(tenant.caller, phone.id)
})

it('a write that waited behind a delete gets its error', async () => {
  const { phones, settings } = plane.app.services
  const rack = await plane.rack(1)
  const { phone } = await phones.create(tenant.caller, createBody(), null)
  await phones.wait(phone.id, ({ status }) => status === 'ready', 10_000, context.signal)
  rack.onCall = async (name) => {
    if (name !== 'setClipboard') return
    await phones.delete(tenant.caller, phone.id)
    throw new ApiError('phone_unavailable', { message: 'The phone has since been assigned again.' })
  }
  expect(await refusalOf(settings.setClipboard(tenant.caller, phone.id, 'a', context))).toBe('phone_deleted')
})

it('returns a non-retryable internal error when nothing is known [30.43]', async () => {
  agent.onBatch = async () => {
    agent.cutGrpc()
    await new Promise(() => undefined)
  }
  const counted = async (code: string): Promise<number> => {
    const series = new RegExp(`^phonerack_http_errors_total\\{code="${code}"\\} (\\d+)$`, 'm')
    return Number(series.exec(await plane.app.metrics.render())?.[1])
  }
  const before = [await counted('host_lost'), await counted('internal_error')]
  // If the connection is already lost, the request is not sent, and the test repeats it.
  await eventually(async () => {
    const response = await postBatch()
    if (response.statusCode !== 500) return false
    expect(errorOf(response, 500, 'internal_error')).toMatchObject({ retryable: false })
    return true
  })
  expect(logged.filter(({ msg }) => msg === 'lost the host of a phone during a request')).toEqual([
    expect.objectContaining({ level: 40, route: '/v1/phones/:id/actions' }),
  ])
  expect(logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  expect([await counted('host_lost'), await counted('internal_error')]).toEqual([
    Number(before[0]) + 1,
    before[1],
  ])
  await serveAgain()
})

it("returns the agent's Retry-After, and only then [30.37, 30.40]", async () => {
  const details = { retry_after_seconds: 1 }
  agent.onBatch = () => Promise.reject(new ApiError('rate_limited', { details }))
  const busy = await postBatch()
  expect(errorOf(busy, 429, 'rate_limited')).toMatchObject({ retryable: true, details })
  expect(busy.headers['retry-after']).toBe('1')
  agent.onBatch = () => Promise.reject(new ApiError('provider_error', { retryable: true }))
  const failed = await postBatch()
  expect(errorOf(failed, 502, 'provider_error').retryable).toBe(true)
  agent.onBatch = () => Promise.reject(new ApiError('phone_unavailable'))
  const gone = await postBatch()
  expect(errorOf(gone, 503, 'phone_unavailable').retryable).toBe(true)
  expect([failed.headers['retry-after'], gone.headers['retry-after']]).toEqual([undefined, undefined])
})

it('did nothing when there is no connection [22.27]', async () => {
  agent.cutGrpc()
  await eventually(async () => (await refusalOf(run([home]))) === 'phone_unavailable')
  await serveAgain()
})

it('returns the conflict of each status other than ready, with the next request', async () => {
  const { phones } = plane.app.services
  await phones.park(tenant.caller, phoneId)
  await phones.wait(phoneId, (phone) => phone.status === 'parked', 10_000, context.signal)
  expect(await refusalOf(run([home]))).toBe('phone_not_running')
  await phones.delete(tenant.caller, phoneId)
  expect(await refusalOf(run([home]))).toBe('phone_deleted')
  const stranger = await plane.tenant()
  expect(
    await refusalOf(plane.app.services.deviceControl.observe(stranger.caller, phoneId, null, context)),
  ).toBe('phone_not_found')
})
