// The certificate authority is replaced while two replicas call a host over it, with a broker whose certificate it signs.
import { generateKeyPairSync } from 'node:crypto'
import path from 'node:path'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { freePort } from '@phonerack/launcher/ports'
import { authorityFingerprint, hashSecret, protocol } from '@phonerack/shared'
import { createUser } from '@nats-io/jwt'
import { afterAll, describe, expect, it } from 'vitest'
import { type Authority } from '../../base/pki/authority.js'
import { startNatsServer } from '../../testing/nats-server.js'
import { createBody, eventually, useWorld, type Plane } from '../../testing/world.js'
import { runCommand } from './commands.js'

/** Hosts and replicas learn of each step at intervals. */
const pace = 0.2
const world = useWorld()
let broker: Awaited<ReturnType<typeof startNatsServer>> | null = null
afterAll(() => broker?.stop())

async function run(plane: Pick<Plane, 'config'>, ...words: string[]) {
  const { databaseUrl, pkiDir, natsUrl } = plane.config
  let [out, err] = ['', '']
  const code = await runCommand(
    words,
    { write: (text) => (out += text) },
    { write: (text) => (err += text) },
    { DATABASE_URL: databaseUrl, PHONERACK_PKI_DIR: pkiDir, NATS_URL: natsUrl },
  )
  return { code, out, err }
}
const step = (plane: Plane, ...words: string[]) => run(plane, 'rotate-authority', ...words)

/** Repeats a step until it is not refused. */
const succeeds = (plane: Plane, name: string) => eventually(async () => (await step(plane, name)).code === 0)

/** Repeats a step until its refusal has this text. */
const refused = (plane: Plane, name: string, text: string) =>
  eventually(async () => {
    const { code, err } = await step(plane, name)
    if (code === 0) throw new Error(`${name} was not refused`)
    return err.includes(text)
  })

async function newJoinToken({ operator, operatorToken }: Plane): Promise<string> {
  const headers = { authorization: `Bearer ${operatorToken}` }
  const url = '/operator/v1/hosts/join-tokens'
  const answer = await operator.inject({ method: 'POST', url, headers, payload: {} })
  return answer.json<{ token: string }>().token
}

/** As `ctl host list` shows it, by the name of the host. */
async function trusts({ operator, operatorToken }: Plane): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${operatorToken}` }
  const answer = await operator.inject({ url: '/operator/v1/hosts?all=true', headers })
  const { data } = answer.json<{ data: { name: string; authority_rotation: unknown }[] }>()
  return Object.fromEntries(data.map((host) => [host.name, host.authority_rotation]))
}

function join({ server }: Plane, token: string) {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const payload = {
    token,
    name: `late-${Math.random()}`,
    country: 'US',
    nats_public_key: createUser().getPublicKey(),
    public_key_pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
  const headers = { [protocol.header]: String(protocol.version) }
  return server.inject({ method: 'POST', url: '/host/v1/join', headers, payload })
}

/** Whether the control plane accepts a host with a certificate of this authority. */
async function acceptsHostOf(plane: Plane, authority: Authority): Promise<boolean> {
  const hostId = 'hst_aaaaaaaaaaaa'
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const [cert_chain, private_key] = [await authority.issueHost(hostId, publicKey), privateKey].map((pem) =>
    Buffer.from(pem),
  )
  if (!cert_chain || !private_key) throw new Error('no key')
  const secure = ServerCredentials.createSsl(null, [{ cert_chain, private_key }], false)
  const server = new Server()
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', secure, (error, at) => (error ? reject(error) : resolve(at))),
  )
  const at = { address: `127.0.0.1:${port}`, certificateFingerprint: null }
  const isReady = await plane.app.hosts.to(hostId, at).ready(3000)
  server.forceShutdown()
  return isReady
}

describe('a rotation of the authority', () => {
  it(
    'replaces the authority while calls continue, and refuses the earlier one afterwards',
    { timeout: 300_000 },
    async () => {
      const dir = path.join(world.dir, 'broker')
      const port = await freePort()
      const env = {
        NATS_URL: `tls://127.0.0.1:${port}`,
        NATS_CREDS_FILE: `${dir}/control-plane.creds`,
        NATS_ACCOUNT_SEED_FILE: `${dir}/account.seed`,
      }
      const nowhere = { write: () => true }
      expect(await runCommand(['nats-config', '--dir', dir], nowhere, nowhere, {})).toBe(0)
      let ahead = 0
      const clock = { now: () => new Date(Date.now() + ahead) }
      const plane = await world.start({ env, pace, clock })
      const config = ['nats-config', '--dir', dir, '--listen', `127.0.0.1:${port}`, '--name', '127.0.0.1']
      expect(await run(plane, ...config)).toMatchObject({ code: 0, err: '' })
      broker = await startNatsServer(`${dir}/nats.conf`, port)
      const second = await world.start({ beside: plane, env, pace, clock })
      const { db } = plane.app.core
      const earlier = plane.app.authority.signing

      const rack = await plane.rack(1)
      const away = await plane.agent('cellar')
      await eventually(
        async () => (await db.host.findUniqueOrThrow({ where: { id: away.hostId } })).lastSeenAt !== null,
      )
      away.pause()
      away.cutGrpc()
      const tenant = await plane.tenant()
      const { phone } = await plane.app.services.phones.create(
        tenant.caller,
        createBody({ maxDuration: 3600 }),
        null,
      )
      const signal = new AbortController().signal
      await plane.app.services.phones.wait(phone.id, ({ status }) => status === 'ready', 60_000, signal)
      const failures: string[] = []
      let [calls, stopped] = [0, false]
      const calling = (async () => {
        while (!stopped)
          for (const { server } of [plane, second]) {
            const headers = { authorization: `Bearer ${tenant.key}` }
            const answer = await server.inject({ url: `/v1/phones/${phone.id}/clipboard`, headers })
            calls += 1
            if (answer.statusCode !== 200) failures.push(answer.body)
            await new Promise((resolve) => setTimeout(resolve, 50))
          }
      })()

      expect((await step(plane, 'status')).out).toContain(
        `No rotation is open. The authority is ${earlier.fingerprint}`,
      )
      expect((await step(plane, 'switch')).err).toMatch(/needs a rotation that has been begun/)
      const token = await newJoinToken(plane)
      const begun = await step(plane, 'begin')
      expect(begun).toMatchObject({ code: 0, err: '' })
      expect((await step(plane, 'begin')).err).toMatch(/open already/)
      expect((await step(plane, 'finish')).err).toMatch(/has been switched/)
      const row = () => db.installation.findUniqueOrThrow({ where: { id: 1 } })
      const nextPem = (await row()).otherCaCertificate ?? ''
      const next = authorityFingerprint(nextPem)
      expect(begun.out).toContain(next)
      // Releases from before this would trust one authority only.
      expect(await db.$queryRaw`select serves_from as v from schema_version`).toEqual([{ v: 2 }])

      // The switch is refused while a host has not confirmed the new authority.
      await refused(plane, 'switch', `cellar (${away.hostId}): trusts only the earlier authority`)
      await eventually(async () => !(await step(plane, 'switch')).err.includes(rack.hostId))
      expect((await row()).caCertificate).toBe(earlier.caPem)
      const cellar = () => db.host.findUniqueOrThrow({ where: { id: away.hostId } })
      const { address } = await cellar()
      await away.serve()
      away.resume()
      await eventually(async () => (await cellar()).address !== address)
      // The replicas could not reach the host, and rest for 30 seconds.
      ahead = 31_000
      await succeeds(plane, 'switch')
      expect((await row()).caCertificate).toBe(nextPem)

      // A join token from before the switch is refused, and does not create a host.
      const late = await join(second, token)
      expect([late.statusCode, late.body]).toEqual([401, expect.stringContaining('has been replaced')])
      expect(
        await db.joinToken.count({
          where: { secretHash: hashSecret(token.split('.')[0] ?? ''), usedAt: null },
        }),
      ).toBe(1)
      await eventually(async () => {
        const { cellar } = await trusts(plane)
        return (
          JSON.stringify(cellar) === JSON.stringify({ phase: 'switched', trust: 'renewed', is_ready: true })
        )
      })
      await eventually(() => [plane, second].every(({ app }) => app.authority.fingerprint === next))
      const fresh = await newJoinToken(second)
      expect(fresh).toContain(next)
      const joined = await join(plane, fresh)
      expect(joined.json<{ ca_pem: string }>().ca_pem).toBe(nextPem)
      await db.host.update({
        where: { id: joined.json<{ host_id: string }>().host_id },
        data: { retiredAt: new Date() },
      })

      await refused(plane, 'finish', 'nats-config --renew')
      expect(await acceptsHostOf(plane, earlier)).toBe(true)
      expect(await run(plane, 'nats-config', '--dir', dir, '--renew')).toMatchObject({ code: 0, err: '' })
      process.kill(broker.pid, 'SIGHUP')
      await succeeds(plane, 'finish')
      expect(await row()).toMatchObject({ otherCaCertificate: null, otherCaKey: null, rotationBegunAt: null })
      for (const { app } of [plane, second]) await eventually(() => app.authority.trusted.join() === nextPem)
      for (const { hostId } of [rack, away])
        await eventually(async () => {
          const host = await db.host.findUniqueOrThrow({ where: { id: hostId } })
          return host.certificateAuthority === next && host.trustedAuthorities.join() === next
        })
      stopped = true
      await calling
      expect(failures).toEqual([])
      expect(calls).toBeGreaterThan(20)

      // Neither side accepts the earlier authority.
      await eventually(async () => !(await acceptsHostOf(plane, earlier)))
      expect(plane.app.core.bus.connected && second.app.core.bus.connected).toBe(true)
      const third = await world.start({ beside: plane, env, pace, clock })
      expect(third.app.authority.trusted).toEqual([nextPem])
    },
  )

  it(
    'drops the next authority again, even when the service key was replaced',
    { timeout: 300_000 },
    async () => {
      const plane = await world.start({ pace })
      const { db } = plane.app.core
      const before = plane.app.authority.caPem
      const rack = await plane.agent('rack')
      const trusted = async () =>
        (await db.host.findUniqueOrThrow({ where: { id: rack.hostId } })).trustedAuthorities.length
      expect(await trusts(plane)).toEqual({ rack: null })
      rack.onHeartbeat = ({ trust: _, ...message }) => message
      rack.beat()
      await eventually(async () => (await trusted()) === 0)
      expect((await step(plane, 'begin')).code).toBe(0)
      expect(await trusts(plane)).toEqual({ rack: { phase: 'begun', trust: 'unreported', is_ready: false } })
      rack.onHeartbeat = (message) => message
      rack.beat()
      await eventually(async () => (await trusted()) === 2)
      expect(await trusts(plane)).toEqual({ rack: { phase: 'begun', trust: 'both', is_ready: true } })
      expect((await run(plane, 'rotate-service-key')).code).toBe(0)
      const second = await world.start({ beside: plane, pace })
      expect(second.app.authority.trusted).toEqual(plane.app.authority.trusted)

      expect(await step(plane, 'cancel')).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('No rotation is open') as string,
      })
      await eventually(async () => (await trusted()) === 1)
      expect(plane.app.authority.caPem).toBe(before)
      expect((await step(plane, 'cancel')).code).toBe(1)
      expect((await step(plane, 'begin')).code).toBe(0)
    },
  )

  it(
    'switches and finishes with --force although a host is not ready, and drops a certificate that it would refuse',
    { timeout: 300_000 },
    async () => {
      const plane = await world.start({ pace })
      const { db } = plane.app.core
      const earlier = plane.app.authority.signing
      const old = await plane.agent('old')
      // Like an agent of an earlier release.
      old.onHeartbeat = ({ trust: _, ...message }) => message
      old.beat()
      const where = { id: old.hostId }
      await eventually(
        async () => (await db.host.findUniqueOrThrow({ where })).trustedAuthorities.length === 0,
      )
      await step(plane, 'begin')
      await refused(plane, 'switch', 'its agent does not report its authorities: upgrade it')
      expect((await step(plane, 'switch', '--force')).code).toBe(0)
      await eventually(() => plane.app.authority.isSwitched)
      await refused(plane, 'finish', `old (${old.hostId})`)
      // A certificate of the earlier authority that waits for the host, which would refuse it.
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      const data = { nextCertificatePem: await earlier.issueHost(old.hostId, pem) }
      await db.host.update({ where, data })
      expect((await step(plane, 'finish', '--force')).code).toBe(0)
      expect((await db.host.findUniqueOrThrow({ where })).nextCertificatePem).toBeNull()
    },
  )
})

it.each([
  [[], /needs one of status, begin/],
  [['nonsense'], /needs one of/],
  [['begin', 'switch'], /needs one of/],
  [['begin', '--force'], /--force is for switch and finish/],
  [['status'], /DATABASE_URL must be set/],
])('refuses %j', async (words, why) => {
  let err = ''
  const write = (text: string) => (err += text)
  const code = await runCommand(['rotate-authority', ...words], { write }, { write }, {})
  expect([code, err]).toEqual([2, expect.stringMatching(why)])
})
