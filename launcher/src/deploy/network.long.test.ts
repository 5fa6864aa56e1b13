// Tests deploy/network/phones.nft in a network of namespaces: without the rules everything is reachable, and
// with them only the internet. `net` represents the internet, with private and metadata addresses behind it
// too.
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const rules = path.resolve(import.meta.dirname, '../../../deploy/network/phones.nft')
const machines = ['gateway', 'phone-1', 'phone-2', 'rack', 'net'] as const
type Machine = (typeof machines)[number]
const namespace = (machine: Machine): string => `prn-${process.pid}-${machine}`
const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' })
const ip = (machine: Machine, ...words: string[]): string =>
  run('ip', '-n', namespace(machine), ...words.flatMap((word) => word.split(' ')))
const within = (machine: Machine, program: string, args: readonly string[]): [string, string[]] => [
  'ip',
  ['netns', 'exec', namespace(machine), program, ...args],
]

function isPossible(): boolean {
  try {
    run('ip', 'netns', 'add', `prn-${process.pid}-try`)
    run('ip', 'netns', 'del', `prn-${process.pid}-try`)
    return true
  } catch {
    return false
  }
}
const canRun = isPossible()

/** A cable between two machines, with the addresses of each end. */
function connect(a: Machine, deviceA: string, b: Machine, deviceB: string): void {
  ip(a, `link add ${deviceA} type veth peer name ${deviceB} netns ${namespace(b)}`)
  ip(a, `link set ${deviceA} up`)
  ip(b, `link set ${deviceB} up`)
}

const address = (machine: Machine, device: string, ...addresses: string[]): void => {
  for (const each of addresses)
    ip(machine, `addr add ${each} dev ${device}${each.includes(':') ? ' nodad' : ''}`)
}

const listenScript = `
  const ports = process.argv.slice(1).map(Number)
  let open = 0
  for (const port of ports)
    require('node:net').createServer((socket) => { socket.on('error', () => undefined); socket.end() })
      .listen(port, '::', () => { if (++open === ports.length) console.log('listening') })`

/** Prints the result for each target. A packet that is lost without an answer counts as blocked after 30 s. */
const probeScript = `
  const results = process.argv.slice(1).map((target) => new Promise((resolve) => {
    const at = target.lastIndexOf(' ')
    const socket = require('node:net').connect({ host: target.slice(0, at), port: Number(target.slice(at + 1)) })
    const end = (text) => { socket.destroy(); resolve(text) }
    socket.setTimeout(30_000, () => end('blocked'))
    socket.once('connect', () => end('open'))
    socket.once('error', () => end('blocked'))
  }))
  Promise.all(results).then((all) => console.log(JSON.stringify(all)))`

const started: ChildProcess[] = []
async function listen(machine: Machine, ...ports: number[]): Promise<void> {
  const words = ['-e', listenScript, ...ports.map(String)]
  const child = spawn(...within(machine, process.execPath, words), { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  await once(child.stdout, 'data')
}

async function probe(from: Machine, targets: readonly string[]): Promise<Record<string, string>> {
  const answer = await promisify(execFile)(...within(from, process.execPath, ['-e', probeScript, ...targets]))
  const found = z.array(z.string()).parse(JSON.parse(answer.stdout))
  return Object.fromEntries(targets.map((target, at) => [target, found[at] ?? '']))
}

const every = (targets: readonly string[], result: string) =>
  Object.fromEntries(targets.map((target) => [target, result]))

/** The internet, and the gateway's DNS. */
const allowed = ['198.51.100.9 443', '2001:db8:9::9 443', '10.97.30.1 53', '2001:db8:30::1 53']
const forbidden = {
  agents: ['10.97.20.2 7710', '2001:db8:20::2 7710'],
  'other phones': ['10.97.30.12 5555', '2001:db8:30::12 5555', '10.97.30.13 5555'],
  'the gateway, by each of its addresses': [
    ...['10.97.30.1 22', '10.97.20.1 22', '192.0.2.1 22', '2001:db8:30::1 22', '2001:db8:ff::1 22'],
    'fe80::1%eth0 22',
  ],
  'private networks': [
    '192.168.77.7 443',
    '172.16.5.5 443',
    '10.200.0.1 443',
    '100.64.0.7 443',
    'fd00:9::9 443',
  ],
  'metadata services': ['169.254.169.254 443', 'fd00:ec2::254 443'],
  'tunnels to IPv4': ['2002:a61:1402::1 443'],
  'mail servers': ['198.51.100.9 25'],
}

beforeAll(async () => {
  if (!canRun) return
  for (const machine of machines) {
    run('ip', 'netns', 'add', namespace(machine))
    ip(machine, 'link set lo up')
  }
  ip('gateway', 'link add phones type bridge')
  ip('gateway', 'link set phones up')
  for (const phone of ['phone-1', 'phone-2'] as const) {
    connect('gateway', phone, phone, 'eth0')
    ip('gateway', `link set ${phone} master phones`)
  }
  connect('gateway', 'racks', 'rack', 'eth0')
  connect('gateway', 'wan', 'net', 'eth0')
  address('gateway', 'phones', '10.97.30.1/24', '2001:db8:30::1/64', 'fe80::1/64')
  address('gateway', 'racks', '10.97.20.1/24', '2001:db8:20::1/64')
  address('gateway', 'wan', '192.0.2.1/24', '2001:db8:ff::1/64')
  address('phone-1', 'eth0', '10.97.30.11/24', '2001:db8:30::11/64')
  // The second address is reached through the gateway.
  address('phone-2', 'eth0', '10.97.30.12/24', '10.97.30.13/24', '2001:db8:30::12/64')
  address('rack', 'eth0', '10.97.20.2/24', '2001:db8:20::2/64')
  address('net', 'eth0', '192.0.2.2/24', '2001:db8:ff::2/64')
  address('net', 'lo', '198.51.100.9/32', '2001:db8:9::9/128')
  const hosts = [
    ...forbidden['private networks'],
    ...forbidden['metadata services'],
    ...forbidden['tunnels to IPv4'],
  ]
  for (const target of hosts) {
    const [host = ''] = target.split(' ')
    address('net', 'lo', `${host}/${host.includes(':') ? 128 : 32}`)
  }
  const routes: [Machine, string, string][] = [
    ['gateway', '192.0.2.2', '2001:db8:ff::2'],
    ['phone-1', '10.97.30.1', '2001:db8:30::1'],
    ['phone-2', '10.97.30.1', '2001:db8:30::1'],
    ['rack', '10.97.20.1', '2001:db8:20::1'],
    ['net', '192.0.2.1', '2001:db8:ff::1'],
  ]
  for (const [machine, via4, via6] of routes) {
    ip(machine, `route add default via ${via4}`)
    ip(machine, `-6 route add default via ${via6}`)
  }
  ip('phone-1', 'route add 10.97.30.13/32 via 10.97.30.1')
  const settings = [
    'net.ipv4.ip_forward=1',
    'net.ipv6.conf.all.forwarding=1',
    'net.ipv4.conf.all.send_redirects=0',
  ]
  for (const setting of settings) execFileSync(...within('gateway', 'sysctl', ['-qw', setting]))
  await listen('net', 443, 25)
  await listen('gateway', 22, 53)
  await listen('rack', 7710)
  await listen('phone-1', 5555)
  await listen('phone-2', 5555)
})

afterAll(async () => {
  for (const child of started) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  if (canRun) for (const machine of machines) run('ip', 'netns', 'del', namespace(machine))
})

const toPhone = ['10.97.30.11 5555', '2001:db8:30::11 5555']

describe.skipIf(!canRun)('the rules for the network of phones', () => {
  it('find a network in which phones reach everything, and everything reaches phones', async () => {
    const all = [...allowed, ...Object.values(forbidden).flat()]
    const [fromPhone, fromRack, fromNet] = await Promise.all([
      probe('phone-1', all),
      probe('rack', toPhone),
      probe('net', toPhone),
    ])
    expect(fromPhone).toEqual(every(all, 'open'))
    expect(fromRack).toEqual(every(toPhone, 'open'))
    expect(fromNet).toEqual(every(toPhone, 'open'))
  })

  describe('once they are loaded', () => {
    beforeAll(() => {
      // The rules are loaded twice, as after a change.
      for (let n = 0; n < 2; n += 1) execFileSync(...within('gateway', 'nft', ['-f', rules]))
      for (const port of ['phone-1', 'phone-2'])
        execFileSync(...within('gateway', 'bridge', ['link', 'set', 'dev', port, 'isolated', 'on']))
      for (const phone of ['phone-1', 'phone-2'] as const) ip(phone, 'neigh flush all')
    })

    it('let phones reach the internet and the DNS of the gateway', async () => {
      expect(await probe('phone-1', allowed)).toEqual(every(allowed, 'open'))
    })

    it.each(Object.entries(forbidden))(
      'keep phones away from %s',
      async (_, targets) => {
        expect(await probe('phone-1', targets)).toEqual(every(targets, 'blocked'))
      },
      120_000,
    )

    it('keep other machines from connecting to a phone', async () => {
      const [fromRack, fromNet] = await Promise.all([probe('rack', toPhone), probe('net', toPhone)])
      expect(fromRack).toEqual(every(toPhone, 'blocked'))
      expect(fromNet).toEqual(every(toPhone, 'blocked'))
    })

    it('do not change other networks of the gateway', async () => {
      const others = ['198.51.100.9 443', '192.168.77.7 443', '10.97.20.1 22']
      expect(await probe('rack', others)).toEqual(every(others, 'open'))
    })
  })
})
