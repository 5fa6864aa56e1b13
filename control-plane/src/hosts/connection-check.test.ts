// A host asks whether the control plane can connect to its agent, over HTTP, with real Postgres, broker and mutual TLS.
import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { signAsHost, signatureSkewMs, type HostSignature } from '@phonerack/shared'
import { type AgentDouble } from '../testing/agent-double.js'
import { eventually, useWorld, type Plane } from '../testing/world.js'
import { connectionCheckPath } from './connection-check.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
let address = 0

beforeAll(async () => {
  plane = await world.start({
    env: { PHONERACK_FAILURES_PER_MINUTE: '5', PHONERACK_TRUSTED_PROXIES: '127.0.0.1' },
  })
  agent = await plane.rack(1, { beatMs: 200 })
  await eventually(async () => (await hostOf(agent)).address !== null)
})
// The wrong requests of one test must not limit the next one.
beforeEach(() => void (address += 1))

const hostOf = ({ hostId }: AgentDouble) =>
  plane.app.core.db.host.findUniqueOrThrow({ where: { id: hostId } })

const signed = (of: AgentDouble, purpose = connectionCheckPath, now = plane.app.core.clock.now()) =>
  signAsHost({ hostId: of.hostId, ...of.certificates.pair }, purpose, now)

const ask = async (payload: HostSignature | object) => {
  const headers = { 'x-forwarded-for': `203.0.113.${address}` }
  const response = await plane.server.inject({ method: 'POST', url: connectionCheckPath, payload, headers })
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() }
}

it('says whether a connection with mutual TLS is possible, without the cause', async () => {
  const { address: known } = await hostOf(agent)
  expect(await ask(signed(agent))).toEqual({ status: 200, body: { address: known, connected: true } })
  agent.cutGrpc()
  await eventually(async () => {
    const { body } = await ask(signed(agent))
    return body['connected'] === false && Object.keys(body).length === 2
  })
  await agent.serve()
  await eventually(async () => (await ask(signed(agent))).body['connected'] === true)
})

it('runs one check of a host at a time', async () => {
  agent.cutGrpc()
  await eventually(async () => (await ask(signed(agent))).body['connected'] === false)
  const answers = await Promise.all([ask(signed(agent)), ask(signed(agent))])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
  await agent.serve()
})

it('refuses each signature that is not the current one of the host, and limits the address', async () => {
  const other = await plane.rack(0)
  const good = signed(agent)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const { certificatePem } = agent.certificates.pair
  const past = new Date(plane.app.core.clock.now().getTime() - signatureSkewMs - 5000)
  const wrong: HostSignature[] = [
    { ...good, certificate_pem: 'nonsense' },
    { ...signed(other), host_id: agent.hostId },
    signAsHost({ hostId: agent.hostId, ...other.certificates.pair }, connectionCheckPath, new Date()),
    signAsHost({ hostId: agent.hostId, certificatePem, privateKeyPem }, connectionCheckPath, new Date()),
    signed(agent, connectionCheckPath, past),
  ]
  for (const each of wrong) {
    const { status, body } = await ask(each)
    expect([status, body]).toMatchObject([401, { error: { code: 'unauthorized' } }])
  }
  expect(await ask(signed(agent, '/host/v1/join'))).toMatchObject({ status: 429 })
})

it('refuses a body of another form, and a retired host', async () => {
  expect(await ask({ ...signed(agent), extra: 1 })).toMatchObject({ status: 400 })
  const leaving = await plane.rack(0)
  await plane.app.core.db.host.update({ where: { id: leaving.hostId }, data: { retiredAt: new Date() } })
  expect(await ask(signed(leaving))).toMatchObject({ status: 401 })
})
