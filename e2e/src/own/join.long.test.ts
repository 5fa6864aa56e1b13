/**
 * A rack machine joins over a network, with the programs of the Debian packages. Postgres and the control
 * plane behind TLS, the broker with TLS on the operator's machine, and the rack each have a network namespace
 * and an address.
 */
import { chmod, chown, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hashSecret, newSecret } from '@phonerack/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { postgresScript, proxyScript, waitScript } from '../system/machine-scripts.js'
import { ip, NamespacePrograms } from '../system/namespace-programs.js'
import { unpackPrograms } from '../system/packaged.js'
import { writeSelfSigned } from '../system/self-signed.js'

const network = '10.98.0'
const names = ['office', 'control', 'rack'] as const
type Machine = (typeof names)[number]
const namespace = (machine: Machine): string => `prk-${process.pid}-${machine}`
const addressOf = (machine: Machine): string => `${network}.${names.indexOf(machine) + 1}`
const programs = new NamespacePrograms(namespace)

/** Whether this machine lets tests create network namespaces: Linux, as root, with iproute2. */
function hasNamespaces(): boolean {
  try {
    ip('netns', 'add', `prk-${process.pid}-try`)
    ip('netns', 'del', `prk-${process.pid}-try`)
    return true
  } catch {
    return false
  }
}

const isPossible = hasNamespaces()
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-join-'))
  await chmod(dir, 0o711)
})
afterAll(async () => {
  await programs.end()
  if (isPossible) for (const machine of names) ip('netns', 'del', namespace(machine))
  await rm(dir, { recursive: true, force: true })
})

function connectMachines(): void {
  for (const machine of names) {
    ip('netns', 'add', namespace(machine))
    ip('-n', namespace(machine), 'link', 'set', 'lo', 'up')
  }
  const office = namespace('office')
  ip('-n', office, 'link', 'add', 'eth0', 'type', 'bridge')
  for (const machine of names) {
    if (machine !== 'office') {
      ip(
        ...['-n', office, 'link', 'add', machine, 'type', 'veth', 'peer', 'name', 'eth0'].concat(
          'netns',
          namespace(machine),
        ),
      )
      ip('-n', office, 'link', 'set', machine, 'master', 'eth0', 'up')
    }
    ip('-n', namespace(machine), 'addr', 'add', `${addressOf(machine)}/24`, 'dev', 'eth0')
    ip('-n', namespace(machine), 'link', 'set', 'eth0', 'up')
  }
}

/** A user ID without a name. */
const agentUser = 64_710
/** The arguments of `setpriv`, which the program follows. */
const withoutRights = ['--reuid', `${agentUser}`, '--regid', `${agentUser}`, '--clear-groups'].concat(
  ...['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'],
)

const reportSchema = z.object({ findings: z.array(z.object({ id: z.string(), level: z.string() })) })

const inline = (script: string, ...args: string[]): string[] => ['--input-type=module', '-e', script, ...args]

it.skipIf(!isPossible)('joins over the network, is online and gets work', { timeout: 200_000 }, async () => {
  connectMachines()
  const [office, control, rack] = names.map(addressOf)
  const of = (name: string): string => path.join(dir, name)
  writeSelfSigned(dir, control ?? '')
  const [{ line: databaseUrl }, [plane, agent]] = await Promise.all([
    programs.start('control', inline(postgresScript, of('postgres')), { until: /^postgres/ }),
    unpackPrograms(['phonerack-control-plane', 'phonerack-agent'], dir),
  ])
  const installation = { DATABASE_URL: databaseUrl, PHONERACK_PKI_DIR: of('pki') }
  const words = ['nats-config', '--dir', of('nats'), '--listen', `${office}:4222`]
  await programs.call('control', [plane, ...words], installation)
  await Promise.all([
    programs.start('office', ['-c', of('nats/nats.conf')], {
      program: 'nats-server',
      until: /Server is ready/,
    }),
    programs.start('rack', ['virtual-phone/dist/main.js', '--ports', '6001', '--data', of('phones')], {}),
  ])
  const token = newSecret('operator')
  await Promise.all([
    programs.start('control', [plane], {
      env: {
        ...installation,
        NATS_URL: `tls://${office}:4222`,

        NATS_CREDS_FILE: of('nats/control-plane.creds'),
        NATS_ACCOUNT_SEED_FILE: of('nats/account.seed'),
        PHONERACK_HTTP_HOST: control,
        PHONERACK_OPERATOR_LISTEN: `${control}:8090`,
        PHONERACK_OPERATOR_TOKEN_SHA256: hashSecret(token),
        PHONERACK_STOP_DELAY: '0',
      },
    }),
    programs.start('control', inline(proxyScript, dir, control ?? ''), { until: /proxy is ready/ }),
  ])
  const operator = { PHONERACK_OPERATOR_URL: `http://${control}:8090`, PHONERACK_OPERATOR_TOKEN: token }
  const ctl = async (...words: string[]): Promise<unknown> =>
    JSON.parse(await programs.call('office', ['clients/ctl/dist/main.js', '--json', ...words], operator))
  const joinToken = z.object({ token: z.string() }).parse(await ctl('host', 'token'))

  const files = ['--config', of('agent.yaml')]
  const flags = ['--server', `https://${control}`, '--ca', of('cert.pem'), '--state', of('state'), ...files]
  // Root joins, and the agent runs without any right as the owner of its folder, as with the package.
  await mkdir(of('state'), { mode: 0o700 })
  await chown(of('state'), agentUser, agentUser)
  const said = await programs.call(
    'rack',
    [agent, 'join', ...flags, '--name', 'rack-1', '--country', 'DE', '--token-file', '-'],
    {},
    joinToken.token,
  )
  expect(said).toContain(`The control plane connects to ${rack}:7710`)
  const phones = { PHONERACK_ADB_CONNECT: '127.0.0.1:6001' }
  // A Node.js in the home folder of root would be inaccessible to that user.
  await copyFile(process.execPath, of('node'))
  await programs.start('rack', [...withoutRights, of('node'), agent, 'run', ...files], {
    program: 'setpriv',
    env: phones,
    until: /the host agent runs/,
  })
  const { PHONERACK_OPERATOR_URL: url } = operator
  const wait = (list: string, state: string) =>
    programs.call('office', inline(waitScript, url, token, list, state))
  await wait('hosts', 'online')
  expect(await ctl('host', 'list')).toMatchObject({
    data: [{ name: 'rack-1', state: 'online', address: `${rack}:7710`, problem: null }],
  })
  const device = z.object({ id: z.string() }).parse(JSON.parse(await wait('devices', 'unenrolled')))
  // The control plane calls the agent at its address.
  await ctl('device', 'enroll', device.id, '--erase')
  await wait('devices', 'free')

  const checked: unknown = await programs.call('rack', [agent, 'doctor', '--json', ...files], phones).then(
    (stdout) => ({ stdout }),
    // The command exits with 1 while other tests run adb servers.
    (error: unknown) => error,
  )
  const { findings } = reportSchema.parse(JSON.parse(z.object({ stdout: z.string() }).parse(checked).stdout))
  const levels = Object.fromEntries(findings.map(({ id, level }) => [id, level]))
  const fine = ['configuration', 'certificate', 'server', 'clock', 'nats', 'port', 'phones']
  expect(levels).toMatchObject(Object.fromEntries(fine.map((id) => [id, 'ok'])))
})
