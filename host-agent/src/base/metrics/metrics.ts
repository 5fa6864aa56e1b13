/** All metrics of an agent as text, for its listener. Created by `agent.ts`. */
import { statfs } from 'node:fs/promises'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { version } from '../version.js'
import { countScrapeError, instruments } from './instruments.js'

interface MetricsSources {
  /** Number of devices by the name of their state. */
  devices: () => ReadonlyMap<string, number>
  /** Every state, exported from zero on. */
  deviceStates: readonly string[]
  /** Folders of the agent by name; several may be on one disk. */
  folders: Readonly<Record<string, string>>
  /** The expiry of the host's current certificate. */
  certificateEnds: () => Date
}

/** Returns the text format of Prometheus. */
export function createMetrics(sources: MetricsSources): () => Promise<string> {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'phonerack_agent_build_info',
    help: 'Always 1; its label is the release of this agent.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1)
  new Gauge({
    name: 'phonerack_agent_devices',
    help: 'Devices by state at this host.',
    labelNames: ['state'],
    registers,
    collect() {
      const counts = sources.devices()
      for (const state of sources.deviceStates) this.set({ state }, counts.get(state) ?? 0)
    },
  })
  new Gauge({
    name: 'phonerack_agent_certificate_days',
    help: "Days until the host's certificate ends.",
    registers,
    collect() {
      this.set((sources.certificateEnds().getTime() - Date.now()) / 86_400_000)
    },
  })
  const free = new Gauge({
    name: 'phonerack_agent_disk_free_bytes',
    help: 'Free space of the disk under a folder of the agent.',
    labelNames: ['folder'],
    registers,
  })
  const size = new Gauge({
    name: 'phonerack_agent_disk_size_bytes',
    help: 'Size of the disk under a folder of the agent.',
    labelNames: ['folder'],
    registers,
  })
  const readDisks = async (): Promise<void> => {
    free.reset()
    size.reset()
    for (const [folder, path] of Object.entries(sources.folders)) {
      const disk = await statfs(path).catch(() => null)
      if (disk === null) {
        countScrapeError('disk')
        continue
      }
      free.set({ folder }, disk.bavail * disk.bsize)
      size.set({ folder }, disk.blocks * disk.bsize)
    }
  }
  return async () => {
    // The disks are read first, so that failures count in this scrape.
    await readDisks()
    const all = await Promise.all([processMetrics().metrics(), instruments.metrics(), registry.metrics()])
    return all.join('')
  }
}

let ofProcess: Registry | null = null

/** Returns metrics of memory, CPU and event loop, measured from the first scrape on. */
function processMetrics(): Registry {
  if (ofProcess) return ofProcess
  ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess, prefix: 'phonerack_' })
  return ofProcess
}
