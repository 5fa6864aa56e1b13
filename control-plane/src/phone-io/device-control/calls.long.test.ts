// Requests into a phone over real gRPC and mutual TLS; the agent is a double.
import { type Action } from '@phonerack/shared'
import { beforeAll, expect, it } from 'vitest'
import { HostClients } from '../../links/host-calls/clients.js'
import { Authority, newAuthority } from '../../base/pki/authority.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { readyPhone } from '../../testing/ready-phone.js'
import { eventually, refusalOf, useWorld, type Plane, type Tenant } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let tenant: Tenant
let phoneId: string

beforeAll(async () => {
  plane = await world.start()
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
const parse = (json: Uint8Array) => JSON.parse(Buffer.from(json).toString()) as unknown
const entry = (index: number, ok: boolean) => Buffer.from(JSON.stringify({ index, type: 'home', ok, ms: 1 }))

it('continues to call a host that lost five batches in a row, since they may be due to one phone', async () => {
  // A read repeats until the agent is back.
  await plane.app.services.deviceControl.observe(tenant.caller, phoneId, null, context)
  // The stream breaks after its first message; the connection stays open.
  agent.onBatch = (_, send) => {
    send({ $case: 'started', value: { index: 0 } })
    return Promise.reject(new Error('lost'))
  }
  for (let lost = 0; lost < 5; lost++) {
    expect(parse(await run([home]))).toMatchObject({ completed: 0 })
  }
  agent.onBatch = (_, send) => {
    const resultsJson = Buffer.from(`[${entry(0, true).toString()}]`)
    send({ $case: 'ended', value: { observationJson: Buffer.alloc(0), resultsJson } })
    return Promise.resolve()
  }
  expect(parse(await run([home]))).toMatchObject({ completed: 1 })
})

it('stops waiting for a moment for a host after five failed connections', async () => {
  agent.cutGrpc()
  const refusedAfter = async () => {
    const since = performance.now()
    expect(await refusalOf(run([home]))).toBe('phone_unavailable')
    return performance.now() - since
  }
  await eventually(async () => (await refusalOf(run([home]))) === 'phone_unavailable')
  const waited = await Promise.all(Array.from({ length: 5 }, refusedAfter))
  expect(Math.min(...waited)).toBeGreaterThan(1900)
  // The call is refused immediately; a slower refusal is due to a busy machine.
  const later = [await refusedAfter(), await refusedAfter(), await refusedAfter()]
  expect(Math.min(...later)).toBeLessThan(1900)
  await serveAgain()
  await eventually(async () => (await refusalOf(run([home]))) === null)
})

it('repeats a read until the agent is back [22.28, 28.17]', async () => {
  agent.cutGrpc()
  setTimeout(() => void agent.serve(), 1000)
  const seen = await plane.app.services.deviceControl.observe(tenant.caller, phoneId, null, context)
  expect(seen.text).toBe('app x')
})

it('calls only the host with the expected certificate, and only with its own certificate', async () => {
  const host = await plane.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  const { authority } = plane.app
  const own = new HostClients(await authority.issueClient(), plane.app.core.log)
  const at = { address: host.address ?? '', certificateFingerprint: null }
  expect(await own.to(agent.hostId, at).ready(2000)).toBe(true)
  expect(await own.to('hst_aaaaaaaaaaaa', at).ready(1000)).toBe(false)
  own.close()
  const strangerAuthority = await Authority.of(await newAuthority())
  const stranger = new HostClients(await strangerAuthority.issueClient(), plane.app.core.log)
  expect(await stranger.to(agent.hostId, at).ready(1000)).toBe(false)
  stranger.close()
})
