// The broker's certificate from the authority of the hosts: signed, verified by control plane and hosts, renewed.
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import path from 'node:path'
import { connect as connectTls } from 'node:tls'
import { openBus } from '@phonerack/shared'
import { afterAll, expect, it } from 'vitest'
import { startNatsServer } from '../../testing/nats-server.js'
import { freePort } from '@phonerack/launcher/ports'
import { eventually, useWorld } from '../../testing/world.js'
import { runCommand } from './commands.js'

const world = useWorld()
let server: Awaited<ReturnType<typeof startNatsServer>> | null = null
afterAll(() => server?.stop())

async function run(words: readonly string[], env: Record<string, string>) {
  let [out, err] = ['', '']
  const code = await runCommand(
    ['nats-config', ...words],
    { write: (text) => (out += text) },
    { write: (text) => (err += text) },
    env,
  )
  return { code, out, err }
}

/** The serial number of the broker's certificate, from a connection that starts as NATS does. */
async function serialAt(port: number, ca: string): Promise<string> {
  const socket = connectSocket(port, '127.0.0.1')
  await once(socket, 'data')
  socket.removeAllListeners('data')
  const secured = connectTls({ socket, ca, host: '127.0.0.1' })
  await once(secured, 'secureConnect')
  const { serialNumber } = secured.getPeerX509Certificate() ?? { serialNumber: '' }
  secured.destroy()
  return serialNumber
}

it('signs a certificate that control plane and hosts verify, and renews it while the broker runs', async () => {
  const dir = path.join(world.dir, 'broker')
  const port = await freePort()
  // The keys, which the first replica needs.
  expect(await run(['--dir', dir], {})).toMatchObject({ code: 0, err: '' })
  const url = `tls://127.0.0.1:${port}`
  const plane = await world.start({
    env: {
      NATS_URL: url,
      NATS_CREDS_FILE: `${dir}/control-plane.creds`,
      NATS_ACCOUNT_SEED_FILE: `${dir}/account.seed`,
    },
  })
  const env = { DATABASE_URL: plane.config.databaseUrl, PHONERACK_PKI_DIR: plane.config.pkiDir }
  const words = ['--dir', dir, '--listen', `127.0.0.1:${port}`, '--name', '127.0.0.1']
  const first = await run(words, env)
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toContain(`NATS_URL=${url}`)
  expect(first.out).toContain('--renew && nats-server --signal reload')
  const file = path.join(dir, 'broker.pem')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const written = readFileSync(file, 'utf8')
  await run(words, env)
  expect(readFileSync(file, 'utf8')).toBe(written)

  server = await startNatsServer(`${dir}/nats.conf`, port)
  const { core, authority } = plane.app
  await eventually(() => core.bus.connected)
  const agent = await plane.agent('rack')
  await eventually(
    async () => (await core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })).lastSeenAt !== null,
  )

  // A client refuses the certificate for another name, and with other trusted authorities.
  const creds = readFileSync(`${dir}/control-plane.creds`, 'utf8')
  const refusals: unknown[] = []
  const onLost = (cause: unknown): void => void refusals.push(cause)
  const own = [authority.caPem]
  const foreign = [
    await openBus({
      url: `tls://localhost:${port}`,
      name: 'other name',
      creds,
      authorities: own,
      waitMs: 0,
      onLost,
    }),
    await openBus({ url, name: 'other authority', creds, waitMs: 0, onLost }),
  ]
  await eventually(() => refusals.length === foreign.length)
  expect(refusals.map(String).toSorted()).toEqual([
    expect.stringMatching(/altnames/),
    expect.stringMatching(/unable to verify|self-signed/),
  ])
  for (const bus of foreign) await bus.close()

  const before = await serialAt(port, authority.caPem)
  // This version of nats-server closes all connections when it loads its configuration.
  const reconnected = new Promise<void>((resolve) => core.bus.onReconnect(resolve))
  const renewed = await run(['--dir', dir, '--renew'], env)
  expect(renewed).toMatchObject({ code: 0, err: '' })
  expect(renewed.out).toMatch(/is renewed and valid until 20\d\d-\d\d-\d\d/)
  process.kill(server.pid, 'SIGHUP')
  await eventually(async () => (await serialAt(port, authority.caPem)) !== before)
  const bus = await openBus({ url, name: 'afterwards', creds, authorities: own, waitMs: 60_000 })
  expect(bus.connected).toBe(true)
  await bus.close()
  await reconnected
})

it('says why it cannot sign', async () => {
  const dir = path.join(world.dir, 'unsigned')
  const words = ['--dir', dir, '--listen', '192.0.2.7:4222']
  const missing = await run([...words], { DATABASE_URL: 'postgres://127.0.0.1:9/x' })
  expect([missing.code, missing.err]).toEqual([
    2,
    expect.stringMatching(/set DATABASE_URL and PHONERACK_PKI_DIR/),
  ])
  const env = { DATABASE_URL: 'postgres://127.0.0.1:9/x', PHONERACK_PKI_DIR: world.dir }
  const away = await run(words, env)
  expect([away.code, away.err]).toEqual([
    1,
    expect.stringMatching(/the database of DATABASE_URL cannot be used: .*ECONNREFUSED/),
  ])
})
