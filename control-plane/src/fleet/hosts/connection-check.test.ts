// A host asks over HTTP whether the control plane can connect to its agent. Runs with real Postgres, broker
// and mutual TLS.
import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { connectionCheckPath, signAsHost, signatureSkewMs, type HostSignature } from '@phonerack/shared'
import { Authority, newAuthority } from '../../base/pki/authority.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { eventually, useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let address = 0
/** The control plane's time while this is set. */
let stopped: Date | null = null

beforeAll(async () => {
  plane = await world.start({
    clock: { now: () => stopped ?? new Date() },
    env: { PHONERACK_FAILURES_PER_MINUTE: '8', PHONERACK_TRUSTED_PROXIES: '127.0.0.1' },
  })
  agent = await plane.rack(1, { beatMs: 200 })
  await eventually(async () => (await hostOf(agent)).address !== null)
})
beforeEach(() => {
  // Use a new address, so that the refused requests of one test do not limit the next test.
  address += 1
  plane.app.core.pace = 1
})

const hostOf = ({ hostId }: AgentDouble) =>
  plane.app.core.db.host.findUniqueOrThrow({ where: { id: hostId } })

const signed = (of: AgentDouble, purpose = connectionCheckPath, now = plane.app.core.clock.now()) =>
  signAsHost({ hostId: of.hostId, ...of.certificates.pair }, purpose, now)

const ask = async (payload: HostSignature | object) => {
  const headers = { 'x-forwarded-for': `203.0.113.${address}` }
  const response = await plane.server.inject({ method: 'POST', url: connectionCheckPath, payload, headers })
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() }
}
/** Repeats the request while the host was checked a moment ago. */
const askNow = async () => {
  for (;;) {
    const answer = await ask(signed(agent))
    if (answer.status !== 429) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('says whether a connection with mutual TLS is possible, without the cause', async () => {
  const { address: known } = await hostOf(agent)
  expect(await askNow()).toEqual({ status: 200, body: { address: known, connected: true } })
  // With this pace, the next check is possible after 0.1 s, and a check waits 0.3 s for a connection.
  plane.app.core.pace = 0.1
  agent.cutGrpc()
  await eventually(async () => (await askNow()).body['connected'] === false)
  expect(await askNow()).toEqual({ status: 200, body: { address: known, connected: false } })
  // The check of an invalid stored address takes as long as the check of an address that refuses connections.
  await plane.app.core.db.host.update({ where: { id: agent.hostId }, data: { address: 'nonsense' } })
  const at = performance.now()
  await askNow()
  expect(performance.now() - at).toBeGreaterThan(290)
  await agent.serve()
  await eventually(async () => (await askNow()).body['connected'] === true)
})

it('runs one check per host and second', async () => {
  plane.app.core.pace = 0
  await askNow()
  // This pace turns the second between two checks into an hour.
  plane.app.core.pace = 3600
  expect(await ask(signed(agent))).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } })
  plane.app.core.pace = 0
  expect((await askNow()).status).toBe(200)
})

it('refuses each signature that is not made with the current certificate of the host, and accepts a valid one from a limited address', async () => {
  const other = await plane.rack(0)
  // Failures are counted per calendar minute. The fixed time keeps all of them in one minute.
  stopped = new Date()
  plane.app.core.pace = 0
  const good = signed(agent)
  const keys = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const privateKeyPem = keys.privateKey
  const { certificatePem } = agent.certificates.pair
  const past = new Date(plane.app.core.clock.now().getTime() - signatureSkewMs - 5000)
  const now = plane.app.core.clock.now()
  const stranger = await Authority.of(await newAuthority())
  const wrong: Record<string, HostSignature> = {
    'no certificate': { ...good, certificate_pem: 'nonsense' },
    "another host's certificate": { ...signed(other), host_id: agent.hostId },
    "another host's key": signAsHost(
      { hostId: agent.hostId, ...other.certificates.pair },
      connectionCheckPath,
      now,
    ),
    'another key': signAsHost(
      { hostId: agent.hostId, certificatePem, privateKeyPem },
      connectionCheckPath,
      now,
    ),
    'another purpose': signed(agent, '/host/v1/join'),
    'an old signature': signed(agent, connectionCheckPath, past),
    'another authority': signAsHost(
      {
        hostId: agent.hostId,
        privateKeyPem,
        certificatePem: await stranger.issueHost(agent.hostId, keys.publicKey),
      },
      connectionCheckPath,
      now,
    ),
    'an earlier certificate': signed(agent),
  }
  const { certificateFingerprint } = await hostOf(agent)
  for (const [name, each] of Object.entries(wrong)) {
    const isEarlier = name === 'an earlier certificate'
    if (isEarlier)
      await plane.app.core.db.host.update({
        where: { id: agent.hostId },
        data: { certificateFingerprint: 'AA:BB' },
      })
    const { status, body } = await ask(each)
    expect([name, status, body]).toMatchObject([name, 401, { error: { code: 'unauthorized' } }])
  }
  await plane.app.core.db.host.update({ where: { id: agent.hostId }, data: { certificateFingerprint } })
  expect(await ask(signed(agent, '/host/v1/join'))).toMatchObject({ status: 429 })
  expect((await askNow()).status).toBe(200)
  stopped = null
})

it('refuses a body with a wrong schema, and a retired host', async () => {
  expect(await ask({ ...signed(agent), extra: 1 })).toMatchObject({ status: 400 })
  const leaving = await plane.rack(0)
  await plane.app.core.db.host.update({ where: { id: leaving.hostId }, data: { retiredAt: new Date() } })
  expect(await ask(signed(leaving))).toMatchObject({ status: 401 })
})
