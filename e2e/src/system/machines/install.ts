/** Sets up the machines of docs/operations.md by the commands of "Install on several machines" and "Add a host". */
import { copyFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { balancerScript } from '../machine-scripts.js'
import { packageOf } from '../packaged.js'
import { commandsBelow, inGuide } from './guide.js'
import { connectMachines, type Network } from './network.js'
import {
  addresses,
  inCheckout,
  phonePorts,
  proxyFiles,
  Rack,
  racks,
  startPhone,
  type MachineName,
} from './rack.js'

const names = {
  'data.example': addresses.data,
  'nats.example': addresses.data,
  'phones.example': addresses.proxy,
}
const packages = ['phonerack-control-plane', 'phonerack-ctl', 'phonerack-agent'] as const
const authority = '/etc/phonerack/ca.pem'
/** Password of the database. */
const password = 'Chosen1'
/** The folder with the packages, on each machine. */
const packageFolder = '/mnt/packages'

/** Sets up Postgres, NATS, two control planes, the proxy, and two racks with one free phone each. */
export async function installRack(): Promise<Rack> {
  const network = await connectMachines(addresses, names)
  try {
    return await install(network)
  } catch (error) {
    await network.end()
    throw error
  }
}

async function install(network: Network<MachineName>): Promise<Rack> {
  const { run } = network
  const [createDatabase, connectControlPlanes] = commandsBelow('1. Postgres')
  await Promise.all([
    run('data', newCluster)
      .then(() => run('data', createDatabase ?? '', { input: `${password}\n${password}\n` }))
      .then(() => run('data', connectControlPlanes ?? '')),
    providePackages(network.dir),
    ...racks.map((name) => startPhone(network, name)),
    run('proxy', certificate),
  ])
  const [packagesOf, copied, settings] = commandsBelow('2. The settings of the control planes')
  await run('control-1', installing(packagesOf))
  await run('data', copied ?? '')
  const [token = ''] = (await run('control-1', (settings ?? '').replace('PASSWORD', password)))
    .trim()
    .split('\n')
  const rack = new Rack(network, token)
  const [broker, server] = commandsBelow('3. NATS')
  await Promise.all([rack.on('control-1', broker ?? ''), run('control-2', installing(packagesOf))])
  await run('data', server ?? '')
  await rack.on('control-1', commandsBelow('4. The first control plane')[0] ?? '')
  const [, useFolder] = commandsBelow('5. Shared storage')
  await Promise.all([
    rack
      .on('control-2', mountStorage)
      .then(() => rack.on('control-1', `${mountStorage}\n${ownAddress}\n${useFolder ?? ''}`))
      .then(() => rack.on('control-1', commandsBelow('6. Further control planes')[0] ?? ''))
      .then(() => Promise.all([rack.ready('control-1'), rack.ready('control-2')])),
    network.machines.proxy.start(
      inCheckout(balancerScript, proxyFiles, addresses.proxy, addresses['control-1'], addresses['control-2']),
      /the proxy listens/,
    ),
    ...racks.map((name) => run(name, installing('apt-get install ./phonerack-agent_0.1.0_amd64.deb'))),
  ])
  const ca = await run('proxy', `cat ${proxyFiles}/cert.pem`)
  await Promise.all(racks.map((name) => addHost(rack, name, ca)))
  await rack.until('both hosts are online', async () => {
    const hosts = await rack.hosts()
    return hosts.length === 2 && hosts.every(({ state }) => state === 'online')
  })
  await rack.until('both phones are listed', async () => (await rack.devices()).length === 2)
  for (const { id } of await rack.devices()) await rack.ctl('device enroll', `device enroll ${id} --erase`)
  await rack.until('both phones are free', async () =>
    (await rack.devices()).every(({ state }) => state === 'free'),
  )
  return rack
}

/** "Add a host", with a certificate of the proxy that no public authority has signed. */
async function addHost(rack: Rack, name: (typeof racks)[number], ca: string): Promise<void> {
  const token = /prj_\S+/.exec(await rack.ctl('host token', 'host token'))?.[0] ?? ''
  await rack.on(name, `cat >${authority}`, ca)
  const [join = ''] = commandsBelow('Add a host')
  const phones = Object.values(phonePorts)
    .map((port) => `127.0.0.1:${port}`)
    .join(', ')
  await rack.on(name, `${join.trim()} --ca ${authority}`, `${token}\n`)
  await rack.on(name, `echo 'adb_connect: [${phones}]' >>/etc/phonerack/agent.yaml`)
  await rack.on(name, inGuide('systemctl start phonerack-agent', 'systemctl start phonerack-agent'))
}

/**
 * The control plane's commands, in the folder with the packages, with the names of the packages of this
 * build.
 */
const installing = (commands = ''): string =>
  `cd ${packageFolder}\n${commands.replaceAll(/(\.\/phonerack-[a-z-]+)_\S+\.deb/g, '$1_*.deb')}`

async function providePackages(dir: string): Promise<void> {
  const folder = path.join(dir, 'exchange', 'packages')
  await mkdir(folder)
  for (const name of packages) {
    const deb = await packageOf(name)
    await copyFile(deb, path.join(folder, path.basename(deb)))
  }
}

/**
 * Creates a new cluster, like the cluster of Debian's package. The machine has a copy of this system's files,
 * whose cluster stays.
 */
const newCluster = `
rm -rf /etc/postgresql/* /var/lib/postgresql/*
pg_createcluster "$(ls /usr/lib/postgresql | sort -n | tail -n 1)" main >/dev/null
systemctl restart postgresql`

/** Replaces a file server by the folder that all machines share. */
const mountStorage = `
mkdir -p /mnt/storage /srv/phonerack-storage
chown phonerack-control-plane: /mnt/storage
mount --bind /mnt/storage /srv/phonerack-storage`

/** A setting that contains the address of the machine, which is different on the second machine. */
const ownAddress = `echo PHONERACK_METRICS_LISTEN=${addresses['control-1']}:9464 >>/etc/phonerack/control-plane.env`

const certificate = `
install -d -m 0700 ${proxyFiles}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test \\
  -keyout ${proxyFiles}/key.pem -out ${proxyFiles}/cert.pem -addext subjectAltName=DNS:phones.example 2>/dev/null`
