// bench: one agent with 60 virtual phones: creates at the same time, processor time and memory when idle, in use and parked
/**
 * All phones of one agent created at the same time, and the agent's processor time and memory for each phone
 * when nothing happens, in use and parked: only the events of phones in use are watched. A real agent serves
 * virtual phones. `./scripts/bench host-agent [phones]`. Linux only.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { pidOf, type Service } from '@phonerack/e2e/system/processes.js'
import { startSystem, stopSystem } from '@phonerack/e2e/system/system.js'
import { newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { figures } from './figures.js'
import { cpuOf, watchMachine } from './load.js'
import { residentBytes } from './memory.js'

const phones = Number(process.argv[2] ?? 60)
/** Milliseconds. */
const idle = { settleMs: 15_000, watchedMs: 30_000 }

const system = await startSystem({
  virtualPhones: phones,
  env: {
    LOG_LEVEL: 'warn',
    PHONERACK_LIFECYCLE_PER_MINUTE: '100000',
    PHONERACK_REQUESTS_PER_MINUTE: '100000',
  },
})
const pidFor = async (service: Service): Promise<number> => {
  const pid = await pidOf(system, service)
  if (pid === null) throw new Error(`${service} is not running`)
  return pid
}

try {
  const { admin } = await newTenant(system, {
    maxPhones: phones,
    maxRunning: phones,
    creditUsd: '10000.000000',
  })
  const services: Service[] = ['control-plane', 'host-agent', 'virtual-phones']
  const pids = await Promise.all(services.map(pidFor))
  const cpu = (): Promise<number[]> => Promise.all(pids.map(cpuOf))
  const spent = (before: readonly number[], after: readonly number[]): string =>
    services.map((name, at) => `${name} ${((after[at] ?? 0) - (before[at] ?? 0)).toFixed(1)} s`).join(', ')

  const machine = await watchMachine()
  const before = await cpu()
  const started = performance.now()
  const created = await Promise.all(
    Array.from({ length: phones }, async () => {
      const { id } = await readyPhone(admin, { max_duration: 3600, idle_timeout: 3600 })
      return { id, ms: performance.now() - started }
    }),
  )
  const times = created.map(({ ms }) => ms)
  const { p50, p99 } = figures('create', times)
  process.stdout.write(
    `${phones} creates at the same time: all ready after ${(Math.max(...times) / 1000).toFixed(2)} s, p50 ${(p50 / 1000).toFixed(2)} s, p99 ${(p99 / 1000).toFixed(2)} s (${await machine()})\n` +
      `processor time: ${spent(before, await cpu())}\n`,
  )

  const agent = services.indexOf('host-agent')
  /** The agent's processor time per phone, in milliseconds per second. */
  const idleMs = async (): Promise<number> => {
    await sleep(idle.settleMs)
    const quiet = await cpu()
    await sleep(idle.watchedMs)
    const after = await cpu()
    return (((after[agent] ?? 0) - (quiet[agent] ?? 0)) * 1000) / (idle.watchedMs / 1000) / phones
  }
  const ms = await idleMs()
  const bytes = await residentBytes(await pidFor('host-agent'))
  process.stdout.write(
    `idle agent: ${ms.toFixed(2)} ms of CPU a second for each phone, ${(bytes / 1e6).toFixed(0)} MB resident, ${(bytes / 1e6 / phones).toFixed(1)} MB for each phone\n`,
  )
  for (const { id } of created) {
    const { status } = await admin.post(`/v1/phones/${id}/park`)
    if (status >= 300) throw new Error(`park: ${status}`)
  }
  const parkedMs = await idleMs()
  process.stdout.write(
    `with all phones parked: ${parkedMs.toFixed(2)} ms of CPU a second for each phone. The watch of events costs at most the difference, ${(ms - parkedMs).toFixed(2)} ms (goal: 1 ms; ratio ${(ms / parkedMs).toFixed(2)})\n`,
  )
} finally {
  await stopSystem(system)
}
