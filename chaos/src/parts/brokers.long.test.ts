/**
 * A cluster of three NATS servers: all servers refuse a user that is revoked at one of them, even a server
 * that was down.
 */
import { readFile, mkdtemp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createUser, encodeUser, fmtCreds, fromSeed, type KeyPair } from '@nats-io/jwt'
import { revokeUsers } from '@phonerack/shared/broker'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Timeline } from '../timeline.js'
import { startBrokers, type Brokers } from './brokers.js'

let dir: string
let brokers: Brokers
const open: NatsConnection[] = []
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-brokers-'))
  const of = (...names: string[]): string => path.join(dir, ...names)
  await Promise.all(['logs', 'run'].map((name) => mkdir(of(name))))
  const timeline = new Timeline(of('logs', 'timeline.log'), () => undefined)
  brokers = await startBrokers({ dir, of, timeline }, 3)
}, 60_000)
afterAll(async () => {
  for (const connection of open) await connection.close()
  for (const part of brokers.parts) await part.stop()
  for (const cable of [...brokers.clients, ...brokers.routes]) await cable.close()
  await rm(dir, { recursive: true, force: true })
})

const text = (file: string): Promise<string> => readFile(file, 'utf8')

async function join(user: KeyPair, servers: string): Promise<NatsConnection> {
  const account = fromSeed(new TextEncoder().encode((await text(brokers.config.accountSeedFile)).trim()))
  const jwt = await encodeUser('host', user, account, { pub: { allow: ['x.>'] }, sub: { allow: ['x.>'] } })
  const authenticator = credsAuthenticator(fmtCreds(jwt, user))
  const connection = await connect({ servers, authenticator, reconnect: false, ignoreClusterUpdates: true })
  open.push(connection)
  return connection
}

const isRefused = (user: KeyPair, url: string): Promise<boolean> =>
  join(user, url).then(
    () => false,
    (error: unknown) => /authorization violation/i.test(String(error)),
  )

async function revoke(user: KeyPair): Promise<number> {
  const { config, urls } = brokers
  return revokeUsers(
    {
      url: urls[0] ?? '',
      authorities: [],
      account: config.account,
      signingSeed: await text(config.signingSeedFile),
      systemCreds: await text(config.systemCredsFile),
    },
    [user.getPublicKey()],
  )
}

it('carries messages between clients of different servers', { timeout: 120_000 }, async () => {
  const user = createUser()
  const [first, , third] = await Promise.all(brokers.urls.map((url) => join(user, url)))
  if (!first || !third) throw new Error('there are three servers')
  const heard: string[] = []
  third.subscribe('x.y', { callback: (_error, message) => void heard.push(message.string()) })
  await third.flush()
  await expect
    .poll(
      async () => {
        first.publish('x.y', 'hello')
        await first.flush()
        return heard.length
      },
      { timeout: 150_000 },
    )
    .toBeGreaterThan(0)
})

it('disconnects and refuses a revoked user at every server', { timeout: 120_000 }, async () => {
  const user = createUser()
  const joined = await Promise.all(brokers.urls.map((url) => join(user, url)))
  expect(await revoke(user)).toBe(1)
  await Promise.all(joined.map((connection) => connection.closed()))
  for (const url of brokers.urls)
    await expect.poll(() => isRefused(user, url), { timeout: 150_000 }).toBe(true)
})

it('lets a server that was down learn of the revocation from the others', { timeout: 240_000 }, async () => {
  const user = createUser()
  const [, second] = brokers.parts
  await second?.stop()
  expect(await revoke(user)).toBe(1)
  await second?.start()
  await expect
    .poll(() => isRefused(user, brokers.urls[1] ?? ''), { timeout: 120_000, interval: 500 })
    .toBe(true)
})
