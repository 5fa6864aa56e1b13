// The broker refuses the users of retired hosts and of earlier machines. Runs with the real nats-server.
import path from 'node:path'
import { createUser, decode, fmtCreds, parseCreds, type KeyPair, type User } from '@nats-io/jwt'
import { startNats, type Nats } from '@phonerack/launcher/nats'
import { protocol } from '@phonerack/shared'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { eventually, useWorld, type Plane } from '../../testing/world.js'

const world = useWorld()
let nats: Nats
let plane: Plane
let second: Plane
const open: NatsConnection[] = []
beforeAll(async () => {
  nats = await startNats({ dir: path.join(world.dir, 'broker') })
  const env = {
    NATS_URL: nats.url,
    NATS_CREDS_FILE: nats.controlPlaneCredsFile,
    NATS_ACCOUNT_SEED_FILE: nats.accountSeedFile,
    NATS_SIGNING_SEED_FILE: nats.signingSeedFile,
    NATS_SYSTEM_CREDS_FILE: nats.systemCredsFile,
  }
  plane = await world.start({ env })
  second = await world.start({ env, beside: plane })
})
afterAll(async () => {
  for (const connection of open) await connection.close()
  await nats.stop()
})

const answerSchema = z.object({ host_id: z.string(), nats_jwt: z.string() })

/** The answer to a machine that joins with this NATS user. */
async function join(at: Plane, natsPublicKey: string, rejoins?: string) {
  const headers = { authorization: `Bearer ${at.operatorToken}` }
  const url = `/operator/v1/hosts/${rejoins === undefined ? 'join-tokens' : `${rejoins}/rejoin`}`
  const token = await at.operator.inject({ method: 'POST', url, headers, payload: {} })
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return at.server.inject({
    method: 'POST',
    url: '/host/v1/join',
    headers: { [protocol.header]: String(protocol.version), [protocol.rejoinHeader]: 'yes' },
    payload: {
      token: token.json<{ token: string }>().token,
      name: `rack-${Math.random()}`,
      country: 'US',

      public_key_pem: publicKey.export({ type: 'spki', format: 'pem' }),
      nats_public_key: natsPublicKey,
    },
  })
}

/** A machine that joins: its host and its credentials for the broker. */
async function machine(at: Plane, rejoins?: string, user: KeyPair = createUser()) {
  const answer = await join(at, user.getPublicKey(), rejoins)
  const { host_id: hostId, nats_jwt: jwt } = answerSchema.parse(answer.json())
  return { hostId, creds: fmtCreds(jwt, user) }
}

async function connected(creds: Uint8Array, reconnect = false): Promise<NatsConnection> {
  const connection = await connect({
    servers: nats.url,
    authenticator: credsAuthenticator(creds),
    reconnect,
    maxReconnectAttempts: -1,
  })
  open.push(connection)
  return connection
}

const refusal = /Authorization Violation|Authentication Revoked/i
/**
 * The broker closes the connection after its refusal, and the client does not always read the refusal before
 * the end.
 */
const closed = /EPIPE|ECONNRESET/

/** Whether the broker refuses this user now. */
async function isRefused(creds: Uint8Array): Promise<boolean> {
  for (;;) {
    try {
      await (await connected(creds)).close()
      return false
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (refusal.test(error.message)) return true
      if (!closed.test(error.message)) throw error
    }
  }
}

it('ends and refuses the users of retired hosts and of earlier machines, on each replica, and after restarts', async () => {
  const [retired, earlier, other] = [await machine(plane), await machine(second), await machine(plane)]
  const [first, before, kept] = [
    await connected(retired.creds),
    await connected(earlier.creds),
    await connected(other.creds, true),
  ]
  let breaks = 0
  void (async () => {
    for await (const { type } of kept.status()) if (type === 'disconnect') breaks += 1
  })()
  const agent = await plane.rack(1)

  const retire = await plane.operator.inject({
    method: 'POST',
    url: `/operator/v1/hosts/${retired.hostId}/retire`,
    headers: { authorization: `Bearer ${plane.operatorToken}` },
    payload: {},
  })
  expect(retire.statusCode).toBe(200)
  await first.closed()
  expect(await isRefused(retired.creds)).toBe(true)

  const later = await machine(second, earlier.hostId)
  expect(later.hostId).toBe(earlier.hostId)
  await before.closed()
  expect(await isRefused(earlier.creds)).toBe(true)
  expect(await isRefused(retired.creds)).toBe(true)
  const current = await connected(later.creds, true)
  expect([breaks, kept.isClosed()]).toEqual([0, false])

  // The broker stores the revocations itself.
  const options = { dir: path.join(world.dir, 'broker'), port: nats.port }
  const { db } = plane.app.core
  const seen = async () => (await db.host.findUniqueOrThrow({ where: { id: agent.hostId } })).sequence
  await nats.stop()
  nats = await startNats(options)
  expect(await isRefused(retired.creds)).toBe(true)
  expect(await isRefused(earlier.creds)).toBe(true)

  // A broker that lost its data gets the revocations again.
  await nats.stop()
  rmSync(path.join(options.dir, 'jetstream'), { recursive: true })
  nats = await startNats(options)
  await eventually(() => isRefused(retired.creds))
  await eventually(() => isRefused(earlier.creds))
  const sequence = await seen()
  await eventually(async () => (await seen()) > sequence)
  for (const each of [current, kept])
    await eventually(() =>
      each.flush().then(
        () => true,
        () => false,
      ),
    )
})

it('refuses the NATS user of a host, of an earlier machine and of the control plane, and keeps the token', async () => {
  const [earlier, current] = [createUser(), createUser()]
  const { hostId } = await machine(plane, undefined, earlier)
  await machine(plane, hostId, current)
  const { jwt } = await parseCreds(readFileSync(nats.controlPlaneCredsFile))
  const { db } = plane.app.core
  const used = await db.joinToken.count({ where: { usedAt: { not: null } } })
  for (const key of [earlier.getPublicKey(), current.getPublicKey(), decode<User>(jwt).sub])
    for (const rejoins of [undefined, hostId]) {
      const answer = await join(plane, key, rejoins)
      expect([answer.statusCode, answer.json()]).toMatchObject([
        400,
        {
          error: {
            code: 'validation_failed',
            message: '`nats_public_key` is already used: send the key of a new NATS user.',
          },
        },
      ])
    }
  expect(await db.joinToken.count({ where: { usedAt: { not: null } } })).toBe(used)
  // Two hosts are retired at the same moment.
  const key = createUser().getPublicKey()
  const codes = await Promise.all([plane, second, plane].map((at) => join(at, key)))
  expect(codes.map(({ statusCode }) => statusCode).sort()).toEqual([201, 400, 400])
})

it('revokes no user of a current host, even if another machine joined with its public key', async () => {
  const victim = await machine(plane)
  const { db } = plane.app.core
  const { natsPublicKey } = await db.host.findUniqueOrThrow({ where: { id: victim.hostId } })
  const connection = await connected(victim.creds)
  const hostile = await machine(plane)
  await db.host.update({ where: { id: hostile.hostId }, data: { natsPublicKey, retiredAt: new Date() } })
  const retired = await machine(plane)
  const ended = await connected(retired.creds)
  await db.host.update({ where: { id: retired.hostId }, data: { retiredAt: new Date() } })
  // The replica finds the change without a message.
  await ended.closed()
  await connection.flush()
  expect(connection.isClosed()).toBe(false)
})
