/**
 * A rack behind a router that refuses incoming connections: its agent opens tunnels to two replicas. A phone
 * is rented through both, and a replica is killed during a call. The phone's screen is watched and recorded,
 * and large files are copied, through both replicas.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { ensureScrcpyServer } from '@phonerack/launcher/packages'
import { hashSecret, newSecret } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { forLater, type Answer } from '../system/api.js'
import {
  addresses,
  bridgeScript,
  connectScript,
  listenScript,
  startTwoMachines,
  type TwoMachines,
} from '../system/behind-nat.js'
import { copyFile, record, watch, type MediaPhone } from '../system/phone-media.js'
import { postgresScript, proxyScript } from '../system/machine-scripts.js'
import { type Started } from '../system/namespace-programs.js'
import { writeSelfSigned } from '../system/self-signed.js'
import { root } from '../system/system.js'
import { eventually } from '../system/tenant.js'

const limitMs = 60_000
const [first, second] = addresses.replicas
const inline = (script: string, ...args: string[]): string[] => ['--input-type=module', '-e', script, ...args]

let machines: TwoMachines
const of = (name: string): string => path.join(machines.dir, name)
beforeAll(async () => {
  machines = await startTwoMachines()
})
afterAll(() => machines.end())

const operatorToken = newSecret('operator')
const plane = 'control-plane/dist/cli.js'

/** The environment of a replica at this address. */
const replica = (address: string, databaseUrl: string): NodeJS.ProcessEnv => ({
  DATABASE_URL: databaseUrl,
  PHONERACK_PKI_DIR: of('pki'),
  NATS_URL: `tls://${first}:4222`,
  NATS_CREDS_FILE: of('nats/control-plane.creds'),
  NATS_ACCOUNT_SEED_FILE: of('nats/account.seed'),
  PHONERACK_HTTP_HOST: address,
  PHONERACK_OPERATOR_LISTEN: `${address}:8090`,
  PHONERACK_OPERATOR_TOKEN_SHA256: hashSecret(operatorToken),
  PHONERACK_STOP_DELAY: '0',
  PHONERACK_REPLICA_ID: `replica-${address}`,
  PHONERACK_TUNNEL_LISTEN: `${address}:7720`,
})

const startReplica = (address: string, databaseUrl: string): Promise<Started> =>
  machines.programs.start('office', [plane], {
    env: replica(address, databaseUrl),
    until: /control plane ready/,
  })

const operator = async (method: string, target: string, body?: unknown): Promise<unknown> => {
  const answer = await machines.send('operator.sock', method, `/operator/v1${target}`, operatorToken, body)
  if (answer.status >= 300) throw new Error(`${method} ${target}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

const listed = z.object({ data: z.array(z.looseObject({ id: z.string(), state: z.string() })) })

/** Waits for the first host or device in a state. */
async function inState(list: 'hosts' | 'devices', state: string) {
  let found: z.infer<typeof listed>['data'][number] | undefined
  await eventually(`${list} ${state}`, limitMs, async () => {
    found = listed.parse(await operator('GET', `/${list}`)).data.find((each) => each.state === state)
    return found !== undefined
  })
  return found
}

const tunnelsSchema = z.array(z.object({ replica: z.string(), isOpen: z.boolean() }))

/** Waits until the agent has open tunnels to exactly these replicas. */
const openTunnels = (replicas: readonly string[]): Promise<void> =>
  eventually(`tunnels to ${replicas.join(', ')}`, limitMs, async () => {
    const tunnels = tunnelsSchema.parse(JSON.parse(await readFile(of('state/tunnels.json'), 'utf8')))
    const open = tunnels.flatMap((each) => (each.isOpen ? [each.replica] : []))
    return open.sort().join() === replicas.join()
  })

it('rents a phone through tunnels to two replicas, and loses only the call of a killed replica', async () => {
  writeSelfSigned(machines.dir, first)
  const [{ line: databaseUrl }] = await Promise.all([
    machines.programs.start('office', inline(postgresScript, of('postgres')), { until: /^postgres/ }),
    machines.programs.start('home', [
      'virtual-phone/dist/main.js',
      '--ports',
      '6001',
      '--data',
      of('phones'),
    ]),
    machines.programs.start(
      'office',
      inline(
        bridgeScript,
        ...[`${of('first.sock')}=${first}:8080`, `${of('second.sock')}=${second}:8080`],
        `${of('operator.sock')}=${second}:8090`,
      ),
    ),
  ])
  await machines.programs.call(
    'office',
    [plane, 'nats-config', '--dir', of('nats'), '--listen', `${first}:4222`],
    { DATABASE_URL: databaseUrl, PHONERACK_PKI_DIR: of('pki') },
  )
  await machines.programs.start('office', ['-c', of('nats/nats.conf')], {
    program: 'nats-server',
    until: /Server is ready/,
  })
  const killed = await startReplica(first, databaseUrl)
  await Promise.all([
    startReplica(second, databaseUrl),
    machines.programs.start('office', inline(proxyScript, machines.dir, first), { until: /proxy is ready/ }),
  ])

  const { token } = z.object({ token: z.string() }).parse(await operator('POST', '/hosts/join-tokens', {}))
  const agent = 'host-agent/dist/cli.js'
  const config = ['--config', of('agent.yaml')]
  const flags = ['--server', `https://${first}`, '--ca', of('cert.pem'), '--state', of('state'), ...config]
  const said = await machines.programs.call(
    'home',
    [agent, 'join', '--dial', ...flags, '--name', 'home-1', '--country', 'DE', '--token-file', '-'],
    {},
    token,
  )
  expect(said).toContain('needs no open port')
  const scrcpy = await ensureScrcpyServer(root, (text) => {
    throw new Error(text)
  })
  const env = { PHONERACK_ADB_CONNECT: '127.0.0.1:6001', PHONERACK_SCRCPY_SERVER: scrcpy ?? '' }
  await machines.programs.start('home', [agent, 'run', ...config], { env, until: /the host agent runs/ })
  expect(await inState('hosts', 'online')).toMatchObject({ name: 'home-1', address: 'dialled' })
  await openTunnels([`replica-${first}`, `replica-${second}`])

  // A port of the home that answers inside the home does not answer the office.
  await machines.programs.start('home', inline(listenScript, '7710'), { until: /^listens/ })
  const tries = (machine: 'office' | 'home') =>
    machines.programs.call(machine, inline(connectScript, addresses.home, '7710'))
  expect([await tries('home'), await tries('office')]).toEqual(['accepted\n', 'no answer\n'])

  const device = await inState('devices', 'unenrolled')
  await operator('POST', `/devices/${device?.id ?? ''}/enroll`, { erase: true })
  await inState('devices', 'free')
  const project = z
    .object({ id: z.string() })
    .parse(await operator('POST', '/projects', { name: 'tenant' })).id
  await operator('PATCH', `/projects/${project}`, { credit_usd: '10.000000', spend_limit_usd: '10.000000' })
  const { key } = z
    .object({ key: z.string() })
    .parse(await operator('POST', '/keys', { project, preset: 'admin', expires: 'never' }))
  const via = (socket: string) => (method: string, target: string, body?: unknown) =>
    forLater(machines.send(socket, method, `/v1${target}`, key, body))
  const [viaFirst, viaSecond] = [via('first.sock'), via('second.sock')]

  const created = await viaFirst('POST', '/phones', {})
  const { id } = z.object({ id: z.string() }).parse(created.body)
  const isReady = async (): Promise<boolean> =>
    z.object({ status: z.string() }).parse((await viaSecond('GET', `/phones/${id}`)).body).status === 'ready'
  await eventually('the phone to be ready', limitMs, isReady)
  const look = (send: typeof viaFirst): Promise<Answer> => send('GET', `/phones/${id}/observe`)
  for (const send of [viaFirst, viaSecond]) expect((await look(send)).status).toBe(200)

  const [byFirst, bySecond] = [viaFirst, viaSecond].map((send) => ({
    path: `/phones/${id}`,
    api: {
      get: (target: string) => send('GET', target),
      post: (target: string, body?: unknown) => send('POST', target, body),
      put: (target: string, body: unknown) => send('PUT', target, body),
    },
  })) as [MediaPhone, MediaPhone]
  await watch(byFirst, of('first.sock'))
  await watch(bySecond, of('second.sock'))
  // The file is larger than the window of a stream.
  for (const [to, from] of [
    [byFirst, bySecond],
    [bySecond, byFirst],
  ] as const)
    expect(await copyFile(to, from, 4_000_000)).toBe(true)
  expect(await record(bySecond, byFirst)).toBeGreaterThan(3)

  const wait = { actions: [{ type: 'home' }, { type: 'wait', ms: 30_000 }] }
  const lost = viaFirst('POST', `/phones/${id}/actions`, wait)
  await eventually('the batch to run', limitMs, async () =>
    /"kind":"batch"/.test(await readFile(of('state/journal.jsonl'), 'utf8')),
  )
  killed.process.kill('SIGKILL')
  await expect(lost).rejects.toThrow(/hang up|ECONNRESET/)
  expect((await look(viaSecond)).status).toBe(200)
  const tapped = await viaSecond('POST', `/phones/${id}/actions`, { actions: [{ type: 'home' }] })
  expect(tapped).toMatchObject({ status: 200, body: { completed: 1 } })
  await openTunnels([`replica-${second}`])

  await startReplica(first, databaseUrl)
  await openTunnels([`replica-${first}`, `replica-${second}`])
  expect((await look(viaFirst)).status).toBe(200)

  await operator('POST', '/hosts/home-1/retire', { force: true })
  await openTunnels([])
})
