/** Further control planes of a running system: `up --control-only` on the first one's database and broker. */
import { copyFile, mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { databaseUrl } from './database.js'
import { openFailover } from './failover.js'
import { killService } from './processes.js'
import { freePort, startSystem, stopSystem, type System } from './system.js'
import { eventually } from './tenant.js'

const portsSchema = z.object({ nats: z.int() })

/** @param name of a file in the first one's folder */
export async function copySecret(first: System, name: string, dir: string): Promise<void> {
  await mkdir(path.dirname(path.join(dir, name)), { recursive: true })
  await copyFile(path.join(first.dir, name), path.join(dir, name))
}

/** Listens on 127.0.0.2. The folder needs `pki/service.key` and `secrets.json`. @param baseUrl the address of all replicas */
export async function startReplica(first: System, dir: string, baseUrl: string): Promise<System> {
  const of = (name: string) => path.join(first.dir, 'nats', name)
  const ports = await readFile(path.join(first.dir, 'ports.json'), 'utf8')
  const { nats } = portsSchema.parse(JSON.parse(ports))
  const urls = ['--database-url', await databaseUrl(first), '--nats-url', `nats://127.0.0.1:${nats}`]
  return startSystem({
    ...{ virtualPhones: 0, dir, args: ['--control-only', '--host', '127.0.0.2', ...urls] },
    env: {
      PHONERACK_BASE_URL: baseUrl,
      ...{ NATS_CREDS_FILE: of('control-plane.creds'), NATS_ACCOUNT_SEED_FILE: of('account.seed') },
    },
  })
}

export const isReady = ({ up }: System): Promise<boolean> =>
  fetch(`${up.base_url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** A system with two control planes behind a balancer, which uses the second one only while the first does not accept. */
export interface TwoReplicas {
  /** The system of the database and the phones. */
  readonly system: System
  /** The address of both. */
  readonly url: string
  /** Waits until both run. */
  ready(): Promise<void>
  /** SIGKILL of the one that serves; its supervisor starts it again. The other one serves then, or none until `reach`. */
  kill(left: 'other' | 'none'): Promise<void>
  reach(): void
  close(): Promise<void>
}

export async function startTwoReplicas(virtualPhones: number): Promise<TwoReplicas> {
  let [isReachable, serving] = [true, 0]
  const both: System[] = []
  const ordered = (): System[] => (serving === 0 ? both : both.toReversed())
  const balancer = await openFailover(await freePort(), () =>
    isReachable ? ordered().map(({ up }) => up.base_url) : [],
  )
  const system = await startSystem({ virtualPhones, env: { PHONERACK_BASE_URL: balancer.url } })
  const dir = await mkdtemp(path.join(tmpdir(), 'phonerack-e2e-second-'))
  for (const name of ['pki/service.key', 'secrets.json']) await copySecret(system, name, dir)
  both.push(system, await startReplica(system, dir, balancer.url))
  return {
    system,
    url: balancer.url,
    ready: () =>
      eventually('both control planes to run', 60_000, async () =>
        (await Promise.all(both.map(isReady))).every(Boolean),
      ),
    async kill(left) {
      const [killed] = ordered()
      if (!killed) throw new Error('no control plane serves')
      // Before the kill, after which the clients connect again.
      serving = 1 - serving
      isReachable = left === 'other'
      await killService(killed, 'control-plane')
    },
    reach: () => void (isReachable = true),
    async close() {
      for (const each of both.toReversed()) await stopSystem(each)
      await balancer.close()
    },
  }
}
