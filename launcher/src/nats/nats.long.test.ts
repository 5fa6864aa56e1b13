import { createOperator, createUser, encodeAccount, encodeUser, fmtCreds, fromSeed } from '@nats-io/jwt'
import { reissued, revokeUsers, rotateBrokerKeys } from '@phonerack/shared/broker'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNats, type Nats } from './index.js'

let dir: string
let broker: Nats
let open: NatsConnection[] = []

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'phonerack-nats-test-'))
  broker = await startNats({ dir })
})

afterEach(async () => {
  for (const connection of open) await connection.close()
  open = []
})

afterAll(async () => {
  await broker.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function asControlPlane(): Promise<NatsConnection> {
  const connection = await connect({
    servers: broker.url,
    authenticator: credsAuthenticator(readFileSync(broker.controlPlaneCredsFile)),
  })
  open.push(connection)
  return connection
}

/**
 * A user as the control plane creates it for a host: signed with the account's seed, limited to the host's
 * subjects.
 */
async function asHost(id: string): Promise<NatsConnection> {
  const account = fromSeed(new TextEncoder().encode(readFileSync(broker.accountSeedFile, 'utf8').trim()))
  const user = createUser()
  const jwt = await encodeUser(id, user, account, {
    pub: { allow: [`phonerack.host.${id}.>`] },
    sub: { allow: [`phonerack.host.${id}.announce`, '_INBOX.>'] },
  })
  const connection = await connect({
    servers: broker.url,
    authenticator: credsAuthenticator(fmtCreds(jwt, user)),
  })
  open.push(connection)
  return connection
}

/** Subjects that a control-plane connection receives while `act` runs. */
async function heardDuring(act: (control: NatsConnection) => Promise<void>): Promise<string[]> {
  const control = await asControlPlane()
  const heard: string[] = []
  control.subscribe('phonerack.>', { callback: (_error, message) => void heard.push(message.subject) })
  await control.flush()
  await act(control)
  await control.flush()
  return heard
}

describe('startNats', () => {
  it('refuses a client without credentials and a client of another account', async () => {
    await expect(connect({ servers: broker.url, reconnect: false })).rejects.toThrow(
      /Authorization Violation/i,
    )
    const stranger = createUser()
    const { createAccount } = await import('@nats-io/jwt')
    const jwt = await encodeUser('stranger', stranger, createAccount())
    await expect(
      connect({
        servers: broker.url,
        reconnect: false,
        authenticator: credsAuthenticator(fmtCreds(jwt, stranger)),
      }),
    ).rejects.toThrow(/Authorization Violation/i)
  })

  it('lets a host publish on its own subjects only', async () => {
    const heard = await heardDuring(async () => {
      const host = await asHost('hst_one')
      host.publish('phonerack.host.hst_two.heartbeat', '{}')
      host.publish('phonerack.control.key', '{}')
      host.publish('phonerack.host.hst_one.heartbeat', '{}')
      await host.flush()
    })
    expect(heard).toEqual(['phonerack.host.hst_one.heartbeat'])
  })

  it("refuses a host's subscription to subjects of another host and of the control plane", async () => {
    const host = await asHost('hst_one')
    const heard: string[] = []
    const listen = (subject: string) =>
      host.subscribe(subject, {
        callback: (error, message) => void heard.push(error ? `refused ${subject}` : message.subject),
      })
    const subjects = ['phonerack.host.hst_two.announce', 'phonerack.control.>', '>']
    subjects.forEach(listen)
    listen('phonerack.host.hst_one.announce')
    await host.flush()
    await heardDuring(async (control) => {
      for (const subject of [
        'phonerack.host.hst_two.announce',
        'phonerack.control.key',
        'phonerack.host.hst_one.announce',
      ])
        control.publish(subject, '{}')
      await control.flush()
      await host.flush()
    })
    expect(heard.sort()).toEqual(
      [...subjects.map((subject) => `refused ${subject}`), 'phonerack.host.hst_one.announce'].sort(),
    )
  })

  it('keeps its secrets readable by its owner only', () => {
    for (const file of [
      broker.accountSeedFile,
      broker.controlPlaneCredsFile,
      path.join(dir, 'operator.seed'),
      path.join(dir, 'nats.conf'),
    ])
      expect(statSync(file).mode & 0o777, file).toBe(0o600)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  it('disconnects and refuses a revoked user, even after a restart, and keeps all others', async () => {
    const own = mkdtempSync(path.join(tmpdir(), 'phonerack-nats-revoked-'))
    let server = await startNats({ dir: own })
    const text = (file: string) => readFileSync(file, 'utf8')
    try {
      const account = fromSeed(new TextEncoder().encode(text(server.accountSeedFile).trim()))
      const makeUser = async () => {
        const user = createUser()
        return {
          key: user.getPublicKey(),
          creds: fmtCreds(await encodeUser('host', user, account, {}), user),
        }
      }
      const to = async (creds: Uint8Array) => {
        const options = { servers: server.url, authenticator: credsAuthenticator(creds), reconnect: false }
        const connection = await connect(options)
        open.push(connection)
        return connection
      }
      const [first, second, other] = [await makeUser(), await makeUser(), await makeUser()]
      const [ended, kept] = [await to(first.creds), await to(other.creds)]
      const admin = {
        url: server.url,
        authorities: [],
        account: account.getPublicKey(),
        signingSeed: text(server.signingSeedFile),
        systemCreds: text(server.systemCredsFile),
      }
      expect(await revokeUsers(admin, [first.key])).toBe(1)
      await ended.closed()
      expect(await revokeUsers(admin, [second.key])).toBe(1)
      expect(await revokeUsers(admin, [first.key, second.key])).toBe(0)
      await kept.flush()
      await server.stop()
      // `nats-config` writes its configuration again.
      server = await startNats({ dir: own })
      for (const { creds } of [first, second])
        await expect(to(creds)).rejects.toThrow(/Authorization Violation/)
      await (await to(other.creds)).flush()

      // A user that may revoke must have no other right in the system account.
      const system = await to(readFileSync(server.systemCredsFile))
      await expect(system.request('$SYS.REQ.SERVER.PING', '', { timeout: 1000 })).rejects.toThrow()
    } finally {
      await server.stop()
      rmSync(own, { recursive: true, force: true })
    }
  })

  it('revokes a user although the last claims are from a replica whose clock was far ahead', async () => {
    const own = mkdtempSync(path.join(tmpdir(), 'phonerack-nats-ahead-'))
    let server = await startNats({ dir: own })
    const pair = (file: string) => fromSeed(new TextEncoder().encode(readFileSync(file, 'utf8').trim()))
    try {
      const [account, operator] = [pair(server.accountSeedFile), pair(path.join(own, 'operator.seed'))]
      const ahead = Math.floor(Date.now() / 1000) + 10 * 86_400
      // Another replica, whose clock is ahead, has signed the account and the host's user.
      const user = createUser()
      const creds = fmtCreds(reissued(await encodeUser('host', user, account, {}), ahead, account), user)
      const claims = readFileSync(path.join(own, 'account.jwt'), 'utf8').trim()
      await server.stop()
      writeFileSync(
        path.join(own, 'jetstream', 'accounts', `${account.getPublicKey()}.jwt`),
        reissued(claims, ahead, operator),
      )
      server = await startNats({ dir: own })
      const connectAs = () =>
        connect({ servers: server.url, authenticator: credsAuthenticator(creds), reconnect: false })
      const host = await connectAs()
      open.push(host)
      const admin = {
        url: server.url,
        authorities: [],
        account: account.getPublicKey(),
        signingSeed: readFileSync(server.signingSeedFile, 'utf8'),
        systemCreds: readFileSync(server.systemCredsFile, 'utf8'),
      }
      expect(await revokeUsers(admin, [user.getPublicKey()])).toBe(1)
      await host.closed()
      await expect(connectAs()).rejects.toThrow(/Authorization Violation/)
    } finally {
      await server.stop()
      rmSync(own, { recursive: true, force: true })
    }
  })

  it('replaces what control planes hold, refuses the earlier files, and keeps hosts and revocations', async () => {
    const own = mkdtempSync(path.join(tmpdir(), 'phonerack-nats-rotated-'))
    let server = await startNats({ dir: own })
    const text = (file: string) => readFileSync(file, 'utf8')
    try {
      const account = fromSeed(new TextEncoder().encode(text(server.accountSeedFile).trim()))
      const makeUser = async () => {
        const user = createUser()
        return {
          key: user.getPublicKey(),
          creds: fmtCreds(await encodeUser('host', user, account, {}), user),
        }
      }
      const to = async (creds: Uint8Array) => {
        const options = { servers: server.url, authenticator: credsAuthenticator(creds), reconnect: false }
        const connection = await connect(options)
        open.push(connection)
        return connection
      }
      const adminOf = (nats: Nats) => ({
        url: nats.url,
        authorities: [],
        account: account.getPublicKey(),
        signingSeed: text(nats.signingSeedFile),
        systemCreds: text(nats.systemCredsFile),
      })
      const [host, retired] = [await makeUser(), await makeUser()]
      expect(await revokeUsers(adminOf(server), [retired.key])).toBe(1)
      const before = { ...adminOf(server), creds: readFileSync(server.controlPlaneCredsFile) }
      // Keys that no replica has.
      const operatorSeed = text(path.join(own, 'operator.seed')).trim()
      const system = fromSeed(new TextEncoder().encode(text(path.join(own, 'system-account.seed')).trim()))
      const [thief, alsoRetired] = [createUser(), await makeUser()]
      const forged = fmtCreds(await encodeUser('thief', thief, system, {}), thief)
      await (await to(forged)).flush()
      expect(await revokeUsers({ ...before, signingSeed: operatorSeed }, [alsoRetired.key])).toBe(1)

      await rotateBrokerKeys(own)
      await server.stop()
      server = await startNats({ dir: own })
      const { url } = server
      await (await to(host.creds)).flush()
      await (await to(readFileSync(server.controlPlaneCredsFile))).flush()
      await expect(to(before.creds)).rejects.toThrow(/Authorization Violation/)
      const now = adminOf(server)
      await expect(revokeUsers({ ...before, url }, [retired.key])).rejects.toThrow(/Authorization Violation/)
      await expect(revokeUsers({ ...now, signingSeed: before.signingSeed }, [retired.key])).rejects.toThrow(
        /does not trust the signing key/,
      )
      await expect(revokeUsers({ ...now, signingSeed: operatorSeed }, [retired.key])).rejects.toThrow(
        /does not trust the signing key/,
      )
      await expect(to(forged)).rejects.toThrow(/Authorization Violation/)
      // A control plane does this once it is connected.
      await revokeUsers(now, [retired.key])
      await expect(to(retired.creds)).rejects.toThrow(/Authorization Violation/)
      await expect(to(before.creds)).rejects.toThrow(/Authorization Violation/)
      await (await to(host.creds)).flush()
    } finally {
      await server.stop()
      rmSync(own, { recursive: true, force: true })
    }
  })

  it('recovers by a rotation from claims that a thief of the signing key has stored', async () => {
    const own = mkdtempSync(path.join(tmpdir(), 'phonerack-nats-stolen-'))
    let server = await startNats({ dir: own })
    const pair = (file: string) => fromSeed(new TextEncoder().encode(readFileSync(file, 'utf8').trim()))
    const to = async (file: string) => {
      const authenticator = credsAuthenticator(readFileSync(file))
      const connection = await connect({ servers: server.url, authenticator, reconnect: false })
      open.push(connection)
      return connection
    }
    try {
      const account = pair(server.accountSeedFile)
      const stolen = pair(server.signingSeedFile)
      await rotateBrokerKeys(own)
      // The claims are newer than any claims of the next rotation, and were stored before the restart.
      const iat = Date.parse('2100-01-01') / 1000
      const claims = reissued(await encodeAccount('phonerack', account, {}, { signer: stolen }), iat, stolen)
      const folder = path.join(own, 'jetstream', 'accounts')
      writeFileSync(path.join(folder, `${account.getPublicKey()}.jwt`), claims)
      await server.stop()
      server = await startNats({ dir: own })
      await (await to(server.controlPlaneCredsFile)).flush()
      // `nats-config` writes its configuration again.
      await server.stop()
      server = await startNats({ dir: own })
      await (await to(server.controlPlaneCredsFile)).flush()
    } finally {
      await server.stop()
      rmSync(own, { recursive: true, force: true })
    }
  })

  it('reports why it cannot revoke', async () => {
    const text = (file: string) => readFileSync(file, 'utf8')
    const account = fromSeed(new TextEncoder().encode(text(broker.accountSeedFile).trim())).getPublicKey()
    const admin = {
      url: broker.url,
      authorities: [],
      account,
      signingSeed: text(broker.signingSeedFile),
      systemCreds: text(broker.systemCredsFile),
    }
    const key = createUser().getPublicKey()
    const foreign = new TextDecoder().decode(createOperator().getSeed())
    await expect(revokeUsers({ ...admin, signingSeed: foreign }, [key])).rejects.toThrow(
      /the broker does not trust the signing key O/,
    )
    const systemCreds = text(broker.controlPlaneCredsFile)
    await expect(revokeUsers({ ...admin, systemCreds }, [key])).rejects.toThrow(/nats-config/)
    // No claims were stored.
    await (await asHost('hst_a')).flush()
  })

  it('keeps streams and users across a restart', async () => {
    const own = mkdtempSync(path.join(tmpdir(), 'phonerack-nats-restart-'))
    let server = await startNats({ dir: own })
    try {
      const creds = readFileSync(server.controlPlaneCredsFile)
      const session = async <T>(work: (connection: NatsConnection) => Promise<T>) => {
        const connection = await connect({ servers: server.url, authenticator: credsAuthenticator(creds) })
        try {
          return await work(connection)
        } finally {
          await connection.close()
        }
      }
      // JetStream's API consists of requests on these subjects.
      await session(async (connection) => {
        const stream = JSON.stringify({ name: 'KEPT', subjects: ['kept.>'], storage: 'file' })
        await connection.request('$JS.API.STREAM.CREATE.KEPT', stream)
        await connection.request('kept.one', 'x')
      })
      await server.stop()
      server = await startNats({ dir: own })
      const kept = await session(async (connection) =>
        (await connection.request('$JS.API.STREAM.INFO.KEPT')).json(),
      )
      expect(kept).toMatchObject({ state: { messages: 1 } })
    } finally {
      await server.stop()
      rmSync(own, { recursive: true, force: true })
    }
  })
})
