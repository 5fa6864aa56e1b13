// bench: the signal of drawings, on and off: processor time, memory and bytes of one agent with 60 virtual phones, of which 20 act
/**
 * Two systems one after the other, without and with `PHONERACK_MOTION`. Each acting phone opens an app or goes home every three
 * seconds and gets the elements. `./scripts/bench motion [phones] [acting]`. Linux only.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '@phonerack/e2e/system/api.js'
import { pidOf } from '@phonerack/e2e/system/processes.js'
import { startSystem, stopSystem } from '@phonerack/e2e/system/system.js'
import { newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { quantile } from './figures.js'
import { cpuOf, watchMachine } from './load.js'
import { residentBytes } from './memory.js'

const phones = Number(process.argv[2] ?? 60)
const acting = Math.min(phones, Number(process.argv[3] ?? 20))
/** Milliseconds. */
const times = { settle: 10_000, watched: 30_000, between: 3000, signal: 20_000 }
const services = ['host-agent', 'virtual-phones'] as const

interface Answer {
  observation: { settled: boolean | null }
}

async function act(api: Api, id: string, round: number): Promise<Answer> {
  const action = round % 2 === 0 ? { type: 'open_app', package: 'com.android.settings' } : { type: 'home' }
  const { status, body } = await api.post(`/v1/phones/${id}/actions`, { actions: [action], observe: 'text' })
  if (status !== 200) throw new Error(`actions: ${status}`)
  return body as Answer
}

/** Bytes that a process has read, from sockets too. */
async function bytesRead(pid: number): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1])
}

/** Milliseconds from the first batch until an observation has a signal. */
async function firstSignal(api: Api, id: string): Promise<number> {
  const began = performance.now()
  await act(api, id, 0)
  while (performance.now() - began < times.signal) {
    const { body } = await api.get(`/v1/phones/${id}/observe`)
    if ((body as Answer['observation']).settled !== null) return performance.now() - began
    await sleep(20)
  }
  return Number.NaN
}

async function measure(motion: 'on' | 'off'): Promise<void> {
  const system = await startSystem({
    virtualPhones: phones,
    env: {
      LOG_LEVEL: 'warn',
      PHONERACK_MOTION: motion,
      PHONERACK_LIFECYCLE_PER_MINUTE: '100000',
      PHONERACK_REQUESTS_PER_MINUTE: '100000',
    },
  })
  try {
    const { admin } = await newTenant(system, {
      maxPhones: phones,
      maxRunning: phones,
      creditUsd: '10000.000000',
    })
    const ready = Array.from({ length: phones }, () =>
      readyPhone(admin, { max_duration: 3600, idle_timeout: 3600 }),
    )
    const ids = (await Promise.all(ready)).map(({ id }) => id)
    const pids = await Promise.all(services.map((name) => pidOf(system, name)))
    const [agent, virtual] = pids.map((pid) => pid ?? Number.NaN)
    if (agent === undefined || virtual === undefined) throw new Error('a program is not running')
    const signal = motion === 'on' ? await firstSignal(admin, ids[0] ?? '') : Number.NaN

    let isOver = false
    const taken: number[] = []
    const loops = ids.slice(0, acting).map(async (id) => {
      for (let round = 1; !isOver; round += 1) {
        const began = performance.now()
        await act(admin, id, round)
        taken.push(performance.now() - began)
        await sleep(Math.max(0, times.between - (performance.now() - began)))
      }
    })
    await sleep(times.settle)
    const machine = await watchMachine()
    const counts = () => Promise.all([cpuOf(agent), cpuOf(virtual), bytesRead(agent)])
    const before = await counts()
    taken.length = 0
    await sleep(times.watched)
    const after = await counts()
    const steps = [...taken]
    const memory = (await residentBytes(agent)) / 1e6
    isOver = true
    await Promise.all(loops)
    const perSecond = after.map((value, at) => (value - (before[at] ?? 0)) / (times.watched / 1000))
    const [agentCpu = 0, virtualCpu = 0, bytes = 0] = perSecond
    process.stdout.write(
      `motion ${motion}: processor time a second: agent ${(1000 * agentCpu).toFixed(0)} ms, virtual phones ${(1000 * virtualCpu).toFixed(0)} ms; agent ${memory.toFixed(0)} MB, reads ${(bytes / 1000).toFixed(0)} KB a second; ${steps.length} batches, p50 ${quantile(steps, 0.5).toFixed(0)} ms, p95 ${quantile(steps, 0.95).toFixed(0)} ms${motion === 'on' ? `; first signal after ${signal.toFixed(0)} ms` : ''} (${await machine()})\n`,
    )
  } finally {
    await stopSystem(system)
  }
}

process.stdout.write(`${phones} virtual phones of one agent, of which ${acting} act\n`)
await measure('off')
await measure('on')
