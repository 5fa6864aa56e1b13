// The written configuration runs a real nats-server, with TLS, which admits the control plane and a host.
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createUser, fmtCreds } from '@nats-io/jwt'
import { openBus, subjects } from '@phonerack/shared'
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, expect, it } from 'vitest'
import { readBrokerExpiry } from '../broker-expiry.js'
import { openNatsUsers } from '../../base/pki/nats-users.js'
import { startNatsServer } from '../../testing/nats-server.js'
import { freePort } from '@phonerack/launcher/ports'
import { eventually } from '../../testing/world.js'
import { runCommand } from './commands.js'

const dir = mkdtempSync(path.join(tmpdir(), 'phonerack nats-config-'))
const open: { close(): unknown }[] = []
afterAll(async () => {
  for (const each of open.toReversed()) await each.close()
  rmSync(dir, { recursive: true, force: true })
})

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const code = await runCommand(
    words,
    { write: (text) => (out += text) },
    { write: (text) => (err += text) },
    {},
  )
  return { code, out, err }
}

const [cert, key] = [path.join(dir, 'cert.pem'), path.join(dir, 'key.pem')]

it('writes a configuration with which nats-server admits the control plane and hosts over TLS only', async () => {
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
      .concat(['-out', cert, '-days', '2', '-subj', '/CN=localhost'])
      .concat(['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']),
    { stdio: 'ignore' },
  )
  const port = await freePort()
  const words = [
    'nats-config',
    '--dir',
    dir,
    '--listen',
    `127.0.0.1:${port}`,
    '--tls-cert',
    cert,
    '--tls-key',
    key,
  ]
  chmodSync(dir, 0o755)
  const first = await run(...words)
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toContain(`nats-server -c '${dir}/nats.conf'`)
  expect(first.out).toContain(`NATS_CREDS_FILE='${dir}/control-plane.creds'`)
  // An operator's folder keeps its mode.
  expect(statSync(dir).mode & 0o777).toBe(0o755)
  const seed = readFileSync(`${dir}/account.seed`, 'utf8')
  expect((await run(...words)).code).toBe(0)
  expect(readFileSync(`${dir}/account.seed`, 'utf8')).toBe(seed)
  for (const name of ['nats.conf', 'account.seed', 'operator.seed', 'control-plane.creds'])
    expect(statSync(path.join(dir, name)).mode & 0o777, name).toBe(0o600)

  const server = await startNatsServer(`${dir}/nats.conf`, port)
  open.push({ close: () => server.stop() })
  const to = (creds: string, tls: object | null): Promise<NatsConnection> =>
    connect({
      servers: `127.0.0.1:${port}`,
      authenticator: credsAuthenticator(new TextEncoder().encode(creds)),
      maxReconnectAttempts: 0,
      ...(tls === null ? {} : { tls }),
    })
  const trusted = { caFile: cert }
  const controlPlane = readFileSync(`${dir}/control-plane.creds`, 'utf8')
  let connected: NatsConnection | null = null
  await eventually(async () => {
    connected = await to(controlPlane, trusted).catch(() => null)
    return connected !== null
  }, 60_000)
  const bus = connected as unknown as NatsConnection
  open.push(bus)
  await expect(to(controlPlane, null)).rejects.toThrow()

  // The alarm about the certificate's expiry reads this time.
  expect(await readBrokerExpiry(`tls://127.0.0.1:${port}`)).toEqual(
    new Date(new X509Certificate(readFileSync(cert)).validTo),
  )
  await expect(readBrokerExpiry('tls://127.0.0.1:9')).rejects.toThrow(/ECONNREFUSED/)

  const user = createUser()
  const users = await openNatsUsers(`${dir}/account.seed`)
  const agent = { hostId: 'hst_aaaaaaaaaaaa', joinId: null }
  const jwt = await users.issue(agent, user.getPublicKey())
  const host = await to(new TextDecoder().decode(fmtCreds(jwt, user)), trusted)
  open.push(host)
  // Our programs connect only with the authority of the broker, and only by TLS.
  const text = new TextDecoder().decode(fmtCreds(jwt, user))
  const own = { url: `tls://127.0.0.1:${port}`, name: 'host', creds: text }
  const reached = await openBus({ ...own, authorities: [readFileSync(cert, 'utf8')], waitMs: 60_000 })
  open.push(reached)
  expect(reached.connected).toBe(true)
  let refused: unknown
  const untrusting = await openBus({ ...own, waitMs: 0, onLost: (cause) => (refused = cause) })
  open.push(untrusting)
  await eventually(() => refused !== undefined)
  expect(String(refused)).toMatch(/self-signed|self signed/)

  const heard = bus.subscribe('phonerack.>', { max: 1 })
  await bus.flush()
  // The broker refuses subjects of other hosts.
  host.publish(subjects.announce(agent), 'forged')
  host.publish(subjects.heartbeat({ ...agent, joinId: 'join_aaaaaaaaaaaa' }), 'forged')
  host.publish(subjects.heartbeat(agent), 'alive')
  for await (const message of heard) expect(message.string()).toBe('alive')
})

it.each([
  [['nats-config'], /--dir is missing/],
  [['nats-config', '--dir', dir, '--listen', '0.0.0.0:4222'], /--listen 0.0.0.0 needs --name/],
  [
    ['nats-config', '--dir', dir, '--listen', '192.0.2.7:4222'],
    /set DATABASE_URL and PHONERACK_PKI_DIR.*--tls-cert and --tls-key, or --without-tls/,
  ],
  [['nats-config', '--dir', dir, '--name', 'a b'], /--name must be a DNS name/],
  [['nats-config', '--dir', dir, '--name', 'hst_a.host.phonerack.internal'], /--name must be a DNS name/],
  [['nats-config', '--dir', dir, '--name', 'x.host.phonerack.internal'], /must not end with/],
  [['nats-config', '--dir', dir, '--without-tls', '--name', 'a.example'], /--name is for a certificate/],
  [['nats-config', '--dir', dir, '--renew'], /broker.pem does not exist/],
  [['nats-config', '--dir', `${dir}/none`, '--rotate'], /nats.conf does not exist/],
  [['nats-config', '--dir', dir, '--rotate-account'], /--rotate-account needs DATABASE_URL/],
  [['nats-config', '--dir', dir, '--listen', 'example.org:4222'], /--listen must be ADDRESS:PORT/],
  [['nats-config', '--dir', dir, '--listen', '127.0.0.1:99999'], /--listen must be ADDRESS:PORT/],
  [['nats-config', '--dir', dir, '--tls-cert', '/does/not/exist'], /--tls-key is missing/],
  [['nats-config', '--dir', dir, '--tls-cert', '/no', '--tls-key', '/no'], /\/no cannot be read/],
  [['nats-config', '--nonsense'], /--nonsense/],
  [['nonsense'], /the command nonsense does not exist/],
])('refuses %j', async (words, why) => {
  const { code, err } = await run(...words)
  expect(code).toBe(2)
  expect(err).toMatch(why)
})

it('listens without TLS where the operator allows it, and prints its usage', async () => {
  const own = path.join(dir, 'own')
  expect((await run('nats-config', '--dir', own, '--listen', '0.0.0.0:4222', '--without-tls')).code).toBe(0)
  expect(JSON.parse(readFileSync(`${own}/nats.conf`, 'utf8'))).toMatchObject({ host: '0.0.0.0', port: 4222 })
  expect((await run('--help')).out).toContain('nats-config --dir DIR')

  const read = (name: string) => readFileSync(path.join(own, name), 'utf8')
  const names = ['operator-signing.seed', 'system.creds', 'control-plane.creds']
  const before = names.map(read)
  const offline = ['operator.seed', 'system-account.seed']
  const offlineBefore = offline.map(read)
  const seed = read('account.seed')
  const rotated = await run('nats-config', '--dir', own, '--rotate')
  expect(rotated).toMatchObject({ code: 0, err: '' })
  for (const [index, name] of names.entries()) {
    expect(rotated.out).toContain(path.join(own, name))
    expect(read(name)).not.toBe(before[index])
    expect(statSync(path.join(own, name)).mode & 0o777, name).toBe(0o600)
  }
  for (const [index, name] of offline.entries()) expect(read(name), name).not.toBe(offlineBefore[index])
  expect(read('account.seed')).toBe(seed)
  expect(JSON.parse(read('nats.conf'))).toMatchObject({ host: '0.0.0.0', port: 4222 })
})

it('gives replicas and nats-server copies of only the files that they need, and replaces them at a rotation', async () => {
  const [own, replica, broker] = ['own', 'replica', 'broker'].map((name) => path.join(dir, name))
  const folders = ['--dir', own ?? '', '--replica-dir', replica ?? '', '--broker-dir', broker ?? '']
  const port = await freePort()
  const listen = ['--listen', `127.0.0.1:${port}`, '--tls-cert', cert, '--tls-key', key]
  const written = await run('nats-config', ...folders, ...listen)
  expect(written).toMatchObject({ code: 0, err: '' })
  expect(written.out).toContain(`nats-server -c '${broker}/nats.conf'`)
  expect(written.out).toContain(`NATS_ACCOUNT_SEED_FILE='${replica}/account.seed'`)
  const four = ['account.seed', 'control-plane.creds', 'operator-signing.seed', 'system.creds']
  expect(readdirSync(replica ?? '').toSorted()).toEqual(four)
  expect(readdirSync(broker ?? '')).toEqual(['nats.conf'])
  // The broker's copy has no key at all, in any form.
  expect(readFileSync(`${broker}/nats.conf`, 'utf8')).not.toMatch(/\bS[OAU][A-Z2-7]{56}\b/)
  for (const folder of [replica, broker])
    for (const name of readdirSync(folder ?? ''))
      expect(statSync(path.join(folder ?? '', name)).mode & 0o777, name).toBe(0o600)

  const server = await startNatsServer(`${broker}/nats.conf`, port)
  open.push({ close: () => server.stop() })
  const bus = await openBus({
    url: `tls://127.0.0.1:${port}`,
    name: 'replica',
    authorities: [readFileSync(cert, 'utf8')],
    creds: readFileSync(`${replica}/control-plane.creds`, 'utf8'),
    waitMs: 30_000,
  })
  open.push(bus)
  await eventually(() => bus.connected)

  const before = four.map((name) => readFileSync(`${replica}/${name}`, 'utf8'))
  expect(await run('nats-config', ...folders, '--rotate')).toMatchObject({ code: 0, err: '' })
  const changed = four.filter((name, at) => readFileSync(`${replica}/${name}`, 'utf8') !== before[at])
  expect(changed).toEqual(four.slice(1))
  for (const name of ['nats.conf'])
    expect(readFileSync(`${broker}/${name}`, 'utf8')).toBe(readFileSync(`${own}/${name}`, 'utf8'))
})

it('refuses a copy in the folder itself', async () => {
  const refused = await run('nats-config', '--dir', dir, '--replica-dir', dir)
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringMatching(/--replica-dir must be another folder/),
  ])
})
