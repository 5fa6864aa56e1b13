/**
 * The machines of docs/operations.md, "Install on several machines": runs its commands, and reads their
 * effects.
 */
import { z } from 'zod'
import { liveViewsScript } from '../machine-scripts.js'
import { root } from '../system.js'
import { commandsBelow, inGuide } from './guide.js'
import type { Network } from './network.js'
import { TenantByCurl } from './tenant.js'

export const addresses = {
  data: '192.0.2.10',
  'control-1': '192.0.2.21',
  'control-2': '192.0.2.22',
  proxy: '192.0.2.30',
  'rack-1': '192.0.2.41',
  'rack-2': '192.0.2.42',
} as const
export type MachineName = keyof typeof addresses
export const racks = ['rack-1', 'rack-2'] as const

const hostSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  state: z.string(),
  running: z.number(),
  certificate_expires_at: z.string().optional(),
})
export type Host = z.infer<typeof hostSchema>
const deviceSchema = z.looseObject({
  id: z.string(),
  host_name: z.string(),
  state: z.string(),
  link: z.string(),
  phone_id: z.string().nullable(),
})

/**
 * The ports of the phones on loopback. An agent connects to both, so that phones can be carried to another
 * rack.
 */
export const phonePorts = { 'rack-1': 6001, 'rack-2': 6002 } as const
const phoneFiles = { pid: '/run/test-phone.pid', storage: '/var/lib/test-phones' } as const
/** The folder of the proxy's certificate. */
export const proxyFiles = '/etc/phonerack-proxy'
const limitMs = 90_000

export class Rack {
  constructor(
    readonly network: Network<MachineName>,
    private readonly operatorToken: string,
  ) {}

  on(name: MachineName, script: string, input = ''): Promise<string> {
    return this.network.run(name, script, { input, env: { PHONERACK_OPERATOR_TOKEN: this.operatorToken } })
  }

  /**
   * Runs a command of `phonerack-ctl` on the second control plane.
   * @param words the part of the command that must be in the guide
   */
  ctl(words: string, command: string): Promise<string> {
    return this.on('control-2', `phonerack-ctl ${inGuide(words, command)}`)
  }

  hosts = async (): Promise<Host[]> => this.list('hosts', hostSchema)
  devices = async () => this.list('devices', deviceSchema)

  /** Reads the operator API with curl, since each start of `ctl` takes half a second. */
  private async list<T>(what: string, schema: z.ZodType<T>): Promise<T[]> {
    const answer = await this.on(
      'control-2',
      `curl --silent --show-error --max-time 10 --oauth2-bearer "$PHONERACK_OPERATOR_TOKEN" http://127.0.0.1:8090/operator/v1/${what}`,
    )
    return z.object({ data: z.array(schema) }).parse(JSON.parse(answer)).data
  }

  /** The name of the host that has the phone. */
  async hostOfPhone(id: string): Promise<(typeof racks)[number]> {
    const found = (await this.devices()).find((device) => device.phone_id === id)
    const name = racks.find((each) => each === found?.host_name)
    if (name === undefined) throw new Error(`no host has ${id}`)
    return name
  }

  async until(what: string, done: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + limitMs
    while (!(await done())) {
      if (Date.now() > end)
        throw new Error(`within ${limitMs} ms: not true that ${what}\n${await this.logs()}`)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }

  /** Waits until the proxy would choose this replica. */
  ready(name: 'control-1' | 'control-2'): Promise<void> {
    const url = `http://${addresses[name]}:8080/readyz`
    return this.until(`${name} is ready`, () =>
      this.on('proxy', `curl --silent --fail --max-time 5 ${url}`).then(
        () => true,
        () => false,
      ),
    )
  }

  async query(text: string): Promise<void> {
    await this.on('data', 'sudo -u postgres psql -v ON_ERROR_STOP=1 phonerack', text)
  }

  /** Creates a project with credit, by the commands of the guide. */
  async newTenant(): Promise<TenantByCurl> {
    const [project = '', key = ''] = commandsBelow('8. Racks and the first project')[0]?.split('\n') ?? []
    const id = /proj_[a-z0-9]+/.exec(await this.on('control-2', project))?.[0] ?? ''
    const secret = /prk_[A-Za-z0-9_-]{43}/.exec(await this.on('control-2', key.replace('ID', id)))?.[0]
    if (secret === undefined) throw new Error('phonerack-ctl key create printed no key')
    return new TenantByCurl(
      (script, input) => this.on('proxy', script, input),
      `${proxyFiles}/cert.pem`,
      secret,
    )
  }

  /**
   * Carries the phone of a rack to another rack: the phone is switched off, and keeps its address and its
   * storage.
   */
  async carryPhone(from: (typeof racks)[number], to: (typeof racks)[number]): Promise<void> {
    const { pid, storage } = phoneFiles
    await this.on(from, `kill "$(cat ${pid})"; while kill -0 "$(cat ${pid})" 2>/dev/null; do sleep 0.1; done`)
    const port = phonePorts[from]
    const carried = await this.on(from, `tar -C ${storage} -c ${port} | base64 --wrap 0`)
    await this.on(to, `base64 --decode | tar -C ${storage} -x`, carried)
    await startPhone(this.network, to, port)
  }

  /**
   * Opens the page's connection of a live link twice, one after another, so that the proxy sends them to different
   * replicas. @returns the events of both: `open`, then `video` with the first picture, and `again` after an interruption
   */
  async watch(link: string): Promise<() => string[]> {
    const { hash } = new URL(link)
    const module = `${root}/control-plane/dist/phone-io/live/page/connection.js`
    const args = [module, `${proxyFiles}/cert.pem`, 'wss://phones.example/live/socket', hash.slice(1)]
    const { output } = await this.network.machines.proxy.start(inCheckout(liveViewsScript, ...args), /open/)
    return () => output().split('\n').filter(Boolean)
  }

  /** Returns the serial number of the certificate that NATS presents. */
  brokerCertificate = (): Promise<string> =>
    this.on('data', 'openssl x509 -noout -serial -in /etc/phonerack/nats-server/broker.pem')

  async renewBroker(): Promise<void> {
    await this.on('control-1', commandsBelow("The broker's certificate")[0] ?? '')
  }

  /**
   * Whether NATS has refused the user of this host.
   * @param id the host's ID
   */
  async brokerRefuses(id: string): Promise<boolean> {
    const said = await this.on('data', 'cat /var/log/nats-server.log')
    return said.includes(`host ${id}" - authentication error`)
  }

  /** Returns the last lines of each service's log. */
  async logs(): Promise<string> {
    const all = await Promise.all(
      Object.keys(addresses).map(async (name) => {
        const said = await this.on(
          name as MachineName,
          'tail -n 15 /var/log/phonerack-*.log /var/log/nats-server.log 2>&1 || true',
        )
        return `== ${name}\n${said}`
      }),
    )
    return all.join('\n')
  }

  end(): Promise<void> {
    return this.network.end()
  }
}

/** Starts the virtual phone with this port on a rack. */
export async function startPhone(
  network: Network<MachineName>,
  on: (typeof racks)[number],
  port = phonePorts[on],
): Promise<void> {
  // A phone that moves to another rack is connected to another adb server. Its machine has no other user.
  const options = `--any-host --ports ${port} --data ${phoneFiles.storage}`
  const script = `echo $$ >${phoneFiles.pid}; exec node "$0" ${options}`
  await network.machines[on].start(
    ['bash', '-c', script, `${root}/virtual-phone/dist/main.js`],
    /phone is on/,
  )
}

/** Runs a script with the modules of the checkout. */
export const inCheckout = (script: string, ...args: string[]): string[] => [
  ...['bash', '-c', 'cd "$0/e2e" && exec node --input-type=module -e "$@"', root, script, ...args],
]
