/** Several machines on one network, with the addresses and names of the operator's guide. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { diskOf, startMachine, type Machine, type RunOptions } from './machine.js'
import { standIns } from './stand-ins.js'

const execute = promisify(execFile)

export interface Network<Name extends string> {
  readonly dir: string
  readonly machines: Readonly<Record<Name, Machine>>
  /** Runs a script on a machine, and then the commands that it sent to other machines by `ssh`. */
  readonly run: (name: Name, script: string, options?: RunOptions) => Promise<string>
  end(): Promise<void>
}

/**
 * @param addresses of the machines; the first machine has the switch
 * @param names further names in `/etc/hosts` of all machines, by address
 */
export async function connectMachines<Name extends string>(
  addresses: Readonly<Record<Name, string>>,
  names: Readonly<Record<string, string>>,
): Promise<Network<Name>> {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-machines-'))
  await chmod(dir, 0o711)
  const exchange = path.join(dir, 'exchange')
  await mkdir(exchange)
  const list = Object.keys(addresses) as Name[]
  const settled = await Promise.allSettled(
    list.map((name) => startMachine({ name, dir: diskOf(dir, name), exchange })),
  )
  const started = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const end = async () => {
    await Promise.all(started.map((machine) => machine.end()))
    await rm(dir, { recursive: true, force: true })
  }
  try {
    const failed = settled.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
    const machines = Object.fromEntries(started.map((each) => [each.name, each])) as Record<Name, Machine>
    await wire(list.map((name) => ({ machine: machines[name], address: addresses[name] })))
    const hosts = Object.entries(names).map(([name, address]) => `${address} ${name}`)
    await Promise.all(
      started.map((machine) =>
        machine.run(prepareMachine, { input: JSON.stringify(standIns), env: { HOSTS: hosts.join('\n') } }),
      ),
    )
    const byAddress = new Map(list.map((name) => [addresses[name], machines[name]]))
    // Scripts run one after another, since they share the folder.
    let delivered = Promise.resolve()
    const run = async (name: Name, script: string, options?: RunOptions) => {
      const said = await machines[name].run(script, options)
      const next = delivered.then(() => deliver(exchange, byAddress))
      delivered = next.catch(() => undefined)
      await next
      return said
    }
    return { dir, machines, run, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Writes the machine's name, the names of the other machines, and the stand-ins, which it gets as JSON. */
const prepareMachine = `
printf '127.0.0.1 localhost %s\\n%s\\n' "$(hostname)" "$HOSTS" >/etc/hosts
node -e '
  for (const [name, text] of Object.entries(JSON.parse(fs.readFileSync(0, "utf8"))))
    fs.writeFileSync("/usr/local/bin/" + name, text, { mode: 0o755 })'
`

async function wire(all: readonly { machine: Machine; address: string }[]): Promise<void> {
  const [first] = all
  const ip = async ({ pid }: Machine, ...args: string[]) => {
    await execute('nsenter', ['--target', String(pid), '--net', 'ip', ...args])
  }
  for (const { machine, address } of all) {
    if (!first) return
    if (machine === first.machine) await ip(machine, 'link', 'add', 'eth0', 'type', 'bridge')
    else {
      const ends = [
        'link',
        'add',
        machine.name,
        'type',
        'veth',
        'peer',
        'name',
        'eth0',
        'netns',
        String(machine.pid),
      ]
      await ip(first.machine, ...ends)
      await ip(first.machine, 'link', 'set', machine.name, 'master', 'eth0', 'up')
    }
    await ip(machine, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    await ip(machine, 'link', 'set', 'eth0', 'up')
  }
}

/** Runs the commands that the stand-in for `ssh` has stored, in their order. */
async function deliver(exchange: string, byAddress: ReadonlyMap<string, Machine>): Promise<void> {
  for (const address of await readdir(exchange)) {
    const folder = path.join(exchange, address)
    const commands = (await readdir(folder)).filter((file) => file.endsWith('.command')).sort()
    for (const file of commands) {
      const machine = byAddress.get(address)
      if (!machine) throw new Error(`no machine has the address ${address}`)
      const of = (ending: string) => path.join(folder, file.replace(/command$/, ending))
      const [command, input] = [await readFile(of('command'), 'utf8'), await readFile(of('input'))]
      await Promise.all([rm(of('command')), rm(of('input'))])
      await machine.run(command, { input })
    }
  }
}
