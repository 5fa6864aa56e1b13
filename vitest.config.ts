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
  'site',
  'console',
  'proto',
]

/** The files that mostly wait, by the seconds that they take. */
const waiting: Readonly<Record<string, number>> = {
  'devices/failed-starts': 101,
  'accept/faults': 90,
  'devices/failures': 88,
  'accept-command': 73,
  'devices/two-serials': 71,
  'cli/rotate-authority': 64,
  'host-agent/src/main': 64,
  'hosts/refusing': 55,
  'http/saturated': 54,
  'jobs/care-for-device': 53,
  'server/stopping': 50,
  'wiping/obstacles': 42,
  'supervision/rescue': 42,
  'hosts/reach': 40,
  'host-agent/src/live/live': 40,
  'clients/appium-driver': 32,
  'packages/agent-package': 30,
  'postgres/postgres': 25,
  'src/idle': 23,
  'hosts/clocks': 21,
  'recordings/recordings': 20,
  'custody/restored-records': 20,
  'operator/drain': 19,
  'postgres/owner': 18,
  'hosts/connection-check': 18,
  'nats-away': 18,
  'jobs/recovery': 18,
  'clients/adb-keys': 18,
}

const secondsOf = ({ moduleId }: TestSpecification): number =>
  Object.entries(waiting).find(([name]) => moduleId.endsWith(`/${name}.test.ts`))?.[1] ?? 0

/**
 * Those that wait come one by one between the others, the longest first: when all wait at the same moment, the machine
 * does nothing, and when a long one comes last, it runs alone.
 */
class Spread extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byPath = files.toSorted((a, b) => a.moduleId.localeCompare(b.moduleId))
    return Promise.resolve(
      projects.flatMap((name) => spread(byPath.filter(({ project }) => project.name === name))),
    )
  }
}

function spread(files: TestSpecification[]): TestSpecification[] {
  const long = files.filter((file) => secondsOf(file) > 0).sort((a, b) => secondsOf(b) - secondsOf(a))
  const short = files.filter((file) => secondsOf(file) === 0)
  // None of them is among the last ones.
  const between = Math.floor((short.length * 0.8) / Math.max(long.length, 1))
  const spreadOut = long.flatMap((file, index) => [
    file,
    ...short.slice(index * between, (index + 1) * between),
  ])
  return [...spreadOut, ...short.slice(long.length * between)]
}

export default defineConfig({
  test: {
    // Tests wait for half of their time.
    maxWorkers: 5,
    sequence: { sequencer: Spread },
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
