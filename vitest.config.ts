import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { defineConfig } from 'vitest/config'

/** A worker keeps its modules only from file to file of one project; the longest project comes first. */
const projects = [
  'control-plane',
  'host-agent',
  'virtual-phone',
  'launcher',
  'shared',
  'clients/ctl',
  'clients/generated',
  'clients/typescript',
  'clients/cli',
  'proto',
]

/** The files that take longest, mostly by waiting: first, so that none runs alone at the end. */
const first = [
  'conformance/next/next',
  'http/saturated',
  'server/stopping',
  'hosts/reach',
  'jobs/care-for-device',
  'hosts/restored',
  'jobs/recovery',
  'src/idle',
  'hosts/clocks',
  'hosts/disputes',
  'recordings/recordings',
  'device-control/calls',
  'operator/drain',
  'hosts/fuzz',
  'apk/read-apk',
  'supervision/rescue',
  'live/live',
  'handoffs/handoffs',
  'devices/two-serials',
  'devices/failed-starts',
  'accept/faults',
  'accept-command',
  'wiping/obstacles',
  'actions/run-batch',
]

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const found = first.findIndex((name) => moduleId.includes(`${name}.test.ts`))
      return projects.indexOf(project.name) * 100 + (found < 0 ? first.length : found)
    }
    return Promise.resolve(
      [...files].sort((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId)),
    )
  }
}

export default defineConfig({
  test: {
    // Tests wait for half of their time.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: projects.map((name) => ({
      test: {
        name,
        root: name,
        include: ['src/**/*.test.ts'],
        // A test that stalls fails by these; no test measures time by them. Nothing is retried (docs/decisions/0181).
        testTimeout: 120_000,
        hookTimeout: 180_000,
        expect: { poll: { timeout: 100_000 } },
        pool: 'forks' as const,
        // One module graph for all files of a worker: loading it anew took a quarter of all time. Tests keep no state in modules.
        isolate: false,
        // Real Postgres and broker, once a run.
        ...(name === 'control-plane' ? { globalSetup: ['src/testing/neighbours.ts'] } : {}),
      },
    })),
  },
})
