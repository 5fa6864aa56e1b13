/**
 * Further control planes of a running system: `up --control-only` on the database and broker of the first
 * control plane.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { z } from 'zod'
import { databaseUrl } from './database.js'
import { openFailover } from './failover.js'
import { pidOf } from './processes.js'
import { freePort, startSystem, stopSystem, type System } from './system.js'
import { eventually } from './tenant.js'

const portsSchema = z.object({ nats: z.int() })

/** @param name of a file in the folder of the first control plane */
export async function copySecret(first: System, name: string, dir: string): Promise<void> {
  await mkdir(path.dirname(path.join(dir, name)), { recursive: true })
  await copyFile(path.join(first.dir, name), path.join(dir, name))
}

/**
 * Starts a control plane that listens on 127.0.0.2. The folder needs `pki/service.key` and `secrets.json`.
 * @param baseUrl the address of all replicas
 * @param port omitted: a free port
 */
export async function startReplica(
  first: System,
  dir: string,
  baseUrl: string,
  port?: number,
): Promise<System> {
  const of = (name: string) => path.join(first.dir, 'nats', name)
  const ports = await readFile(path.join(first.dir, 'ports.json'), 'utf8')
  const { nats } = portsSchema.parse(JSON.parse(ports))
  const urls = ['--database-url', await databaseUrl(first), '--nats-url', `nats://127.0.0.1:${nats}`]
  return startSystem({
    ...(port === undefined ? {} : { port }),
    virtualPhones: 0,
    dir,
    args: ['--control-only', '--host', '127.0.0.2', ...urls],
    env: {
      PHONERACK_BASE_URL: baseUrl,
      PHONERACK_STORAGE_DIR: path.join(first.dir, 'storage'),
      NATS_CREDS_FILE: of('control-plane.creds'),
      NATS_ACCOUNT_SEED_FILE: of('account.seed'),
    },
  })
}

export const isReady = ({ up }: System): Promise<boolean> =>
  fetch(`${up.base_url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** The data of a pair of control planes that test processes need. The balancer reads `file` at each connection. */
export interface Pair {
  /** The first control plane, which has the database and the phones. */
  systems: [System, System]
  /** The address of both control planes. */
  url: string
  file: string
}

const choiceSchema = z.object({ serving: z.union([z.literal(0), z.literal(1)]), isReachable: z.boolean() })
type Choice = z.infer<typeof choiceSchema>
const choose = (file: string, choice: Choice): void => writeFileSync(file, JSON.stringify(choice))

const inOrder = ([first, second]: Pair['systems'], serving: 0 | 1): Pair['systems'] =>
  serving === 0 ? [first, second] : [second, first]

export interface StartedPair extends Pair {
  close: () => Promise<void>
}

/**
 * Starts two control planes behind a balancer, which uses the second only while the first does not accept
 * connections.
 */
export async function startPair(virtualPhones: number): Promise<StartedPair> {
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-second-'))
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-pair-')), 'choice.json')
  choose(file, { serving: 0, isReachable: true })
  const both: System[] = []
  const balancer = await openFailover(await freePort(), () => {
    const { serving, isReachable } = choiceSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    const [first, second] = both
    if (!isReachable || !first) return []
    return (second ? inOrder([first, second], serving) : [first]).map(({ up }) => up.base_url)
  })
  const close = async () => {
    for (const each of both.toReversed()) await stopSystem(each)
    await balancer.close()
    await rm(path.dirname(file), { recursive: true })
  }
  try {
    const first = await startSystem({ virtualPhones, env: { PHONERACK_BASE_URL: balancer.url } })
    both.push(first)
    for (const name of ['pki/service.key', 'secrets.json']) await copySecret(first, name, dir)
    const second = await startReplica(first, dir, balancer.url)
    both.push(second)
    return { systems: [first, second], url: balancer.url, file, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The pair, in the form that a test file uses. */
export interface TwoReplicas {
  /** The system with the database and the phones. */
  readonly system: System
  /** The address of both control planes. */
  readonly url: string
  /** The control plane that serves now, and the other. */
  readonly order: Pair['systems']
  /** Waits until both run. */
  ready(): Promise<void>
  /**
   * Ends the control plane that serves; its supervisor starts it again. The other control plane serves then,
   * or none until `reach`.
   */
  kill(left: 'other' | 'none', signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>
  reach(): void
}

export function twoReplicas({ systems, url, file }: Pair): TwoReplicas {
  let serving: 0 | 1 = 0
  choose(file, { serving, isReachable: true })
  return {
    system: systems[0],
    url,
    get order() {
      return inOrder(systems, serving)
    },
    ready: () =>
      eventually('both control planes to run', 60_000, async () =>
        (await Promise.all(systems.map(isReady))).every(Boolean),
      ),
    async kill(left, signal = 'SIGKILL') {
      const [killed] = inOrder(systems, serving)
      const pid = await pidOf(killed, 'control-plane')
      if (pid === null) throw new Error('the control plane does not run')
      // The state is stored before the signal, after which the clients connect again.
      serving = serving === 0 ? 1 : 0
      choose(file, { serving, isReachable: left === 'other' })
      process.kill(pid, signal)
    },
    reach: () => choose(file, { serving, isReachable: true }),
  }
}
