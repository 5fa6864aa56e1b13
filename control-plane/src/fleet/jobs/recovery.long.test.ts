// Replicas that are killed, and connections that break: no work is lost, and no work is done twice.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { endWithParent } from '../../testing/replica.js'
import { brokenInvariants } from '../../testing/money.js'
import { createBody, eventually, useWorld, type Plane } from '../../testing/world.js'
import { type AgentDouble } from '../../testing/agent-double.js'
import { enrollDevice } from '../../testing/operator.js'

const world = useWorld()
let plane: Plane
let agent: AgentDouble
const children: ChildProcess[] = []
const signal = new AbortController().signal

beforeAll(async () => {
  plane = await world.start()
  agent = await plane.rack(3)
})
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
})

const until = (id: string, status: string, ms = 10_000) =>
  plane.app.services.phones.wait(id, (phone) => phone.status === status, ms, signal)

/** Starts the built control plane in a separate process. */
function spawnReplica(of: Plane, replicaId: string): ChildProcess {
  const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url))
  if (!existsSync(main))
    throw new Error('build the control plane first: npx tsc -p control-plane/tsconfig.build.json')
  const { config } = of
  const child = spawn(process.execPath, ['--import', endWithParent, main], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      LOG_LEVEL: 'silent',
      PHONERACK_HTTP_PORT: '0',
      DATABASE_URL: config.databaseUrl,
      NATS_URL: config.natsUrl,
      NATS_CREDS_FILE: config.natsCredsFile ?? '',
      PHONERACK_PKI_DIR: config.pkiDir,
      PHONERACK_REPLICA_ID: replicaId,
      PHONERACK_REPLICA_DEAD_AFTER: '3',
    },
  })
  children.push(child)
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

it('finishes a create whose replica was killed during it', async () => {
  // This replica serves requests and runs no jobs, so the killed replica has all jobs.
  const quiet = await world.start({ env: { PHONERACK_JOBS: 'off' }, replicaId: 'quiet' })
  const { db } = quiet.app.core
  const double = await quiet.agent('rack of the killed')
  const first = spawnReplica(quiet, 'victim')
  await eventually(async () => (await db.replica.count({ where: { id: 'victim' } })) === 1)
  double.addDevice('victim-1')
  await eventually(async () => (await db.device.count({ where: { serial: 'victim-1' } })) === 1)
  await enrollDevice(quiet.app.core, 'victim-1')
  await eventually(
    async () => (await db.device.count({ where: { serial: 'victim-1', state: 'free' } })) === 1,
  )

  let starts = 0
  const device = double.devices.get('victim-1')
  if (!device) throw new Error('no device')
  device.onStart = () => {
    starts += 1
    return starts === 1 ? new Promise(() => undefined) : Promise.resolve()
  }
  const tenant = await quiet.tenant()
  const { phone } = await quiet.app.services.phones.create(tenant.caller, createBody(), null)
  await eventually(() => starts === 1)
  await kill(first)
  spawnReplica(quiet, 'heir')
  const ready = await quiet.app.services.phones.wait(
    phone.id,
    (view) => view.status === 'ready',
    // A process starts during this time, possibly on a busy machine.
    60_000,
    signal,
  )
  expect(ready.status).toBe('ready')
  expect(starts).toBe(2)
  expect(await brokenInvariants(db)).toEqual([])
})

it('takes over the job of a replica that died before it named its workers', async () => {
  const quiet = await world.start({ env: { PHONERACK_JOBS: 'off' }, replicaId: 'quiet' })
  const { db } = quiet.app.core
  const double = await quiet.agent('rack of the nameless')
  double.addDevice('nameless-1')
  const heir = spawnReplica(quiet, 'first')
  await eventually(async () => (await db.device.count({ where: { serial: 'nameless-1' } })) === 1)
  await enrollDevice(quiet.app.core, 'nameless-1')
  await eventually(
    async () => (await db.device.count({ where: { serial: 'nameless-1', state: 'free' } })) === 1,
  )
  await kill(heir)
  const tenant = await quiet.tenant()
  const { phone } = await quiet.app.services.phones.create(tenant.caller, createBody(), null)
  const locked = await db.$executeRaw`update graphile_worker._private_jobs
    set locked_by = 'worker-of-nobody', locked_at = now() - interval '1 minute', attempts = 1
    where payload->>'phoneId' = ${phone.id}`
  expect(locked).toBeGreaterThan(0)
  spawnReplica(quiet, 'second')
  const ready = await quiet.app.services.phones.wait(
    phone.id,
    (view) => view.status === 'ready',
    60_000,
    signal,
  )
  expect(ready.status).toBe('ready')
})

it('continues after every connection to Postgres broke', async () => {
  const { phones } = plane.app.services
  const tenant = await plane.tenant()
  const { phone } = await phones.create(tenant.caller, createBody({ idleTimeout: 2 }), null)
  await until(phone.id, 'ready')
  await plane.app.core.db
    .$queryRaw`select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  await eventually(async () => {
    try {
      return (await phones.get(tenant.caller, phone.id)).status === 'parked'
    } catch {
      // The replica finds the broken connections one at a time.
      return false
    }
  })
  const next = await phones.create(tenant.caller, createBody(), null)
  await until(next.phone.id, 'ready')
  expect(agent.log.filter((line) => line.startsWith(`start ${next.phone.id}`))).toHaveLength(1)
  expect(await brokenInvariants(plane.app.core.db)).toEqual([])
})

it('wakes a waiter on another replica within 50 ms of the change [4.30]', async () => {
  const other = await world.start({ beside: plane })
  const tenant = await plane.tenant()
  const { phone } = await plane.app.services.phones.create(tenant.caller, createBody(), null)
  await until(phone.id, 'ready')
  const delays: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const name = `name ${round}`
    const woken = other.app.services.phones
      .wait(phone.id, (view) => view.name === name, 5000, signal)
      .then(() => performance.now())
    await new Promise((resolve) => setTimeout(resolve, 50))
    await plane.app.services.phones.update(tenant.caller, phone.id, { name })
    delays.push((await woken) - performance.now())
  }
  // Slower changes are due to a busy machine.
  expect(Math.min(...delays)).toBeLessThan(50)
  await plane.app.services.phones.delete(tenant.caller, phone.id)
})
