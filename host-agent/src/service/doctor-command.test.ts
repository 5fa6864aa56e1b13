/** Each finding of `phonerack-agent doctor`, from a fault that the test creates on a healthy machine. */
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttp, type Server } from 'node:http'
import { createServer, type Server as TcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { markProcess } from '../adb/process-identity.js'
import type { Config } from './config.js'
import { findingsOf, runDoctor, type SystemFolders } from './doctor-command.js'
import type { Finding } from './doctor/readings.js'
import { makeKeys, saveIdentity, type Identity } from './identity.js'
import { makeConfig, makeIdentity } from '../testing/agent.js'
import { createTestCa } from '../testing/pki.js'
import { freePort } from '@phonerack/launcher/ports'
import { until } from '../testing/until.js'

const root = mkdtempSync(path.join(tmpdir(), 'phonerack-doctor-'))
const day = 86_400_000
let server: Server
let broker: ChildProcess
let base: Config
let identities: Record<'good' | 'expiring' | 'expired', Identity>
let dir: string
let config: Config
let folders: SystemFolders
/** The time and status in answers of the control plane; null for answers without a time. */
let date: () => Date | null
let status: number
/** The control plane's answer to the question whether it can connect to the agent. */
let back: { status: number; body: object }

const portOf = (listening: TcpServer): number => {
  const address = listening.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}
const listening = (made: TcpServer): Promise<TcpServer> =>
  new Promise((resolve) => made.listen(0, '127.0.0.1', () => resolve(made)))

beforeAll(async () => {
  server = createHttp((request, response) => {
    response.sendDate = false
    const now = date()
    const isBack = request.url === '/host/v1/connection-check'
    response.writeHead(isBack ? back.status : status, now === null ? {} : { date: now.toUTCString() })
    response.end(JSON.stringify(isBack ? back.body : {}))
  })
  await listening(server)
  const natsPort = await freePort()
  broker = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(natsPort)], { stdio: 'ignore' })
  const issue = async (life: number): Promise<Identity> => ({
    ...(await makeIdentity(await createTestCa(life))),
    natsJwt: 'jwt',
    natsSeed: makeKeys().natsSeed,
  })
  identities = { good: await issue(100 * day), expiring: await issue(3 * day), expired: await issue(-1000) }
  base = {
    ...(await makeConfig(root, [])),
    controlUrl: `http://127.0.0.1:${portOf(server)}`,
    natsUrl: `nats://127.0.0.1:${natsPort}`,
  }
})
afterAll(() => {
  server.close()
  broker.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

function write(file: string, text: string, mode = 0o644): string {
  const made = path.join(dir, file)
  mkdirSync(path.dirname(made), { recursive: true })
  writeFileSync(made, text)
  chmodSync(made, mode)
  return made
}

const script = (name: string, body: string): string => write(`bin/${name}`, `#!/bin/sh\n${body}\n`, 0o755)

/** A phone with an ADB interface in sysfs. */
function plugIn(port: string, { speed = '480', product = 'Pixel 8', node = true } = {}): void {
  const at = { busnum: '1', devnum: port.slice(2), speed, product, serial: `SERIAL-${port}` }
  for (const [name, value] of Object.entries(at)) write(`sys/${port}/${name}`, `${value}\n`)
  const adb = { bInterfaceClass: 'ff', bInterfaceSubClass: '42', bInterfaceProtocol: '01' }
  for (const [name, value] of Object.entries(adb)) write(`sys/${port}:1.0/${name}`, `${value}\n`)
  if (node) write(`dev/001/${port.slice(2).padStart(3, '0')}`, '')
}

/** A machine without a fault. */
beforeEach(() => {
  dir = mkdtempSync(path.join(root, 'machine-'))
  date = () => new Date()
  status = 200
  back = { status: 200, body: { address: '192.0.2.7:7710', connected: true } }
  folders = { proc: path.join(dir, 'proc'), usb: path.join(dir, 'sys'), usbNodes: path.join(dir, 'dev') }
  write('proc/self/status', '')
  write('proc/17/cmdline', '/usr/bin/node\0server\0')
  plugIn('1-4')
  write('sys/1-5/product', 'Keyboard\n')
  write('sys/1-5:1.0/bInterfaceClass', '03\n')
  const state = path.join(dir, 'state')
  mkdirSync(state, { mode: 0o700 })
  saveIdentity(path.join(state, 'identity.json'), identities.good)
  config = {
    ...base,
    dataDir: state,
    grpcListen: '127.0.0.1:0',
    adbBin: script(
      'adb',
      'echo "Android Debug Bridge version 1.0.41"; echo "Version 34.0.4"; echo " --one-device SERIAL|USB"',
    ),
    recordings: {
      ffmpeg: script('ffmpeg', 'echo " V..... h264 x"; echo libx264; echo flv; echo mov,mp4; echo setts'),
      ffprobe: script('ffprobe', 'echo ffprobe version 5.1'),
      bytes: 1,
      minFree: 0,
    },
  }
})

/** The findings that are not `ok`, except for findings that need a running agent. */
async function problems(): Promise<Finding[]> {
  const found = await findingsOf(config, folders)
  return found.filter(({ id, level }) => level !== 'ok' && id !== 'control_plane_to_agent' && id !== 'phones')
}

it('finds nothing on a healthy machine, except for parts that it cannot check', async () => {
  // The broker may still be starting.
  await until(async () => (await problems()).length === 0)
  const found = await findingsOf(config, folders)
  expect(found.map(({ id, level }) => `${id} ${level}`)).toEqual([
    ...['configuration ok', 'certificate ok', 'server ok', 'clock ok', 'nats ok', 'port ok'],
    ...['control_plane_to_agent unknown', 'disk ok', 'disk ok', 'adb ok', 'adb_servers ok', 'usb_access ok'],
    ...['ffmpeg ok', 'phones unknown'],
  ])
})

const faults: [string, () => void | Promise<void>, Finding['level'], RegExp][] = [
  ['adb', () => void (config.adbBin = '/does/not/exist/adb'), 'error', /adb does not run: .*does not exist/],
  ['adb', () => void script('adb', 'echo nonsense'), 'error', /is not adb/],
  ['adb', () => void script('adb', 'exit 3'), 'error', /adb does not run/],
  [
    'adb',
    () => void script('adb', 'echo "Android Debug Bridge version 1.0.41"; echo "Version 29.0.6-debian"'),
    'warning',
    /does not know --one-device, and its server can abort .*: Android Debug Bridge version 1\.0\.41, Version 29\.0\.6-debian/,
  ],
  [
    'adb_servers',
    () => void write('proc/99/cmdline', 'adb\0-L\0tcp:5037\0fork-server\0server\0\u001b[31m'),
    'error',
    /another adb server runs \(process 99\): adb -L tcp:5037 fork-server server(?!.*31m)/,
  ],
  [
    'adb_servers',
    () => void (folders.proc = '/does/not/exist'),
    'unknown',
    /the search for other adb servers failed/,
  ],
  [
    'usb',
    () => rmSync(path.join(dir, 'sys', '1-4:1.0'), { recursive: true }),
    'warning',
    /no phone with USB/,
  ],
  ['usb', () => void (folders.usb = '/does/not/exist'), 'unknown', /could not be read/],
  [
    'usb_access',
    () => plugIn('1-7', { node: false }),
    'error',
    /SERIAL-1-7 at USB port 1-7 has no device file/,
  ],
  ['usb_speed', () => plugIn('1-8', { speed: '12' }), 'warning', /connected with 12 Mbit\/s/],
  ['ffmpeg', () => rmSync(config.recordings.ffmpeg), 'error', /ffmpeg does not run: .*does not exist/],
  [
    'ffmpeg',
    () => void script('ffmpeg', 'echo h264; echo mp4'),
    'error',
    /no H\.264 encoder \(libx264\), FLV reader, filter/,
  ],
  ['ffprobe', () => void script('ffprobe', 'exit 1'), 'error', /ffprobe does not run/],
  [
    'clock',
    () => void (date = () => new Date(Date.now() + 60_000)),
    'warning',
    /\d+ s behind the control plane's/,
  ],
  [
    'clock',
    () => void (date = () => new Date(Date.now() - 3_600_000)),
    'error',
    /\d{4} s ahead of the control plane's/,
  ],
  ['clock', () => void (date = () => null), 'unknown', /has no date/],
  ['server', () => void (status = 502), 'error', /answers with status 502/],
  ['server', () => void (config.caFile = '/does/not/exist'), 'error', /cannot be read/],
  ['disk', () => void (config.recordings.minFree = 1e18), 'error', /recordings: .* GB free in .*, less than/],
  ['port', () => void (config.grpcListen = '192.0.2.7:7710'), 'error', /is not an address of this machine/],
  [
    'port',
    () => void (config.grpcListen = 'no.such.name.invalid:7710'),
    'error',
    /cannot listen on no\.such/,
  ],
  ['identity', () => rmSync(path.join(config.dataDir, 'identity.json')), 'error', /has not joined/],
  [
    'identity',
    () => writeFileSync(path.join(config.dataDir, 'identity.json'), '{}'),
    'error',
    /cannot be read/,
  ],
  ['state_rights', () => chmodSync(config.dataDir, 0o755), 'error', /other users of this machine can open/],
  [
    'state_rights',
    () => chmodSync(path.join(config.dataDir, 'identity.json'), 0o644),
    'error',
    /other users/,
  ],
  [
    'certificate',
    () => saveIdentity(path.join(config.dataDir, 'identity.json'), identities.expiring),
    'warning',
    /the certificate of hst_\w+ expires on .*, in 2 days/,
  ],
  [
    'certificate',
    () => saveIdentity(path.join(config.dataDir, 'identity.json'), identities.expired),
    'error',
    /the certificate of hst_\w+ expired on/,
  ],
]

it.each(faults)('reports %s with its reason and its fix (%#)', async (id, breakIt, level, about) => {
  await breakIt()
  const found = (await problems()).filter((each) => each.id === id)
  expect(found).toMatchObject([{ id, level }])
  expect(found[0]?.about).toMatch(about)
  expect(found[0]?.why).not.toBe('')
  expect(found[0]?.fix).not.toBe('')
  expect(JSON.stringify(found)).not.toContain('\\u001b')
})

it('reports a control plane and a broker that were stopped, without the password of the broker', async () => {
  const port = await freePort()
  config = {
    ...config,
    controlUrl: `http://127.0.0.1:${port}`,
    natsUrl: `nats://ann:secret@127.0.0.1:${port}`,
  }
  const found = await problems()
  expect(found.map(({ id, level }) => `${id} ${level}`)).toEqual([
    'server error',
    'clock unknown',
    'nats error',
  ])
  expect(found[0]?.about).toContain('nothing listens there')
  expect(JSON.stringify(found)).not.toContain('secret')
})

it('reports a port that another program uses, but not the port of the running agent', async () => {
  const taken = await listening(createServer())
  try {
    config.grpcListen = `127.0.0.1:${portOf(taken)}`
    const [busy, ...others] = await problems()
    expect([busy?.id, busy?.level, others]).toEqual(['port', 'error', []])
    expect(busy?.fix).toContain('ss -ltnp')
    // This process is marked as the agent, and has no adb server.
    markProcess(path.join(config.dataDir, 'agent.json'), process.pid)
    const found = await findingsOf(config, folders)
    expect(found.find(({ id }) => id === 'port')?.about).toMatch(/the agent is running and uses/)
    expect(found.find(({ id }) => id === 'phones')).toMatchObject({ level: 'error' })
  } finally {
    taken.close()
  }
})

it('reports whether the control plane connects to the running agent', async () => {
  markProcess(path.join(config.dataDir, 'agent.json'), process.pid)
  const found = async (answer: typeof back) => {
    back = answer
    const all = await findingsOf(config, folders)
    return all.find(({ id }) => id === 'control_plane_to_agent')
  }
  expect(await found(back)).toMatchObject({
    level: 'ok',
    about: 'the control plane connects to the agent at 192.0.2.7:7710',
  })
  const cut = await found({ status: 200, body: { address: '[2001:db8::7]:7710', connected: false } })
  expect(cut).toMatchObject({
    level: 'error',
    about: 'the control plane cannot connect to the agent at [2001:db8::7]:7710',
  })
  expect(cut?.fix).toContain('nc -vz 2001:db8::7 7710')
  expect(await found({ status: 200, body: { address: null, connected: false } })).toMatchObject({
    level: 'error',
    about: expect.stringContaining('no heartbeat has arrived') as string,
  })
  const refusal = { error: { message: 'Not signed.', next: 'Restart the agent.' } }
  expect(await found({ status: 401, body: refusal })).toMatchObject({
    level: 'unknown',
    about: expect.stringContaining('Not signed. Restart the agent.') as string,
  })
  expect(await found({ status: 404, body: {} })).toMatchObject({
    level: 'unknown',
    about: expect.stringContaining('earlier release') as string,
  })
})

it('reports NATS as unknown before the host has joined', async () => {
  rmSync(path.join(config.dataDir, 'identity.json'))
  const found = await findingsOf(config, folders)
  expect(found.find(({ id }) => id === 'nats')).toMatchObject({ level: 'unknown' })
})

it('reports the tunnels of an agent that opens them, and looks for no port', async () => {
  config.grpcListen = null
  const tunnels = async () => {
    const found = await findingsOf(config, folders)
    expect(found.map(({ id }) => id)).not.toContain('port')
    expect(found.map(({ id }) => id)).not.toContain('control_plane_to_agent')
    return found.filter(({ id }) => id === 'tunnel').map(({ level, about }) => `${level} ${about}`)
  }
  expect(await tunnels()).toEqual(['unknown the agent does not run, so it has no tunnels'])
  // This process is marked as the agent.
  markProcess(path.join(config.dataDir, 'agent.json'), process.pid)
  expect(await tunnels()).toEqual(['error no replica of the control plane has offered a tunnel'])
  const state = [
    { replica: 'one', address: '192.0.2.21:7720', isOpen: true, fault: null },
    { replica: 'two', address: '192.0.2.22:7720', isOpen: false, fault: 'connect ETIMEDOUT' },
  ]
  write('state/tunnels.json', JSON.stringify(state), 0o600)
  expect(await tunnels()).toEqual([
    'ok a tunnel to one at 192.0.2.21:7720 is open',
    'error there is no tunnel to two at 192.0.2.22:7720: connect ETIMEDOUT',
  ])
  write('state/tunnels.json', '[{}]', 0o600)
  expect(await tunnels()).toMatchObject([expect.stringMatching(/^unknown the tunnels were not read/)])
})

it('exits with 0 only without errors, and checks the machine although it has no configuration', async () => {
  let out = ''
  const io = { out: (text: string) => (out += text), err: () => undefined, env: {}, stdin: process.stdin }
  expect(await runDoctor(config, true, io, folders)).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ ok: true })
  out = ''
  expect(await runDoctor({ problem: 'nats_url is missing' }, false, io, folders)).toBe(1)
  expect(out).toMatch(
    /ERROR {3}nats_url is missing\n {8}Why: The agent does not start\.\n {8}Fix: phonerack-agent join/,
  )
  expect(out).toMatch(/[1-9] errors, /)
})
