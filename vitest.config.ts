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

/** The files that take long, by the seconds that they take in a whole run. Most of them wait. */
const long: Readonly<Record<string, number>> = {
  'accept/faults': 119,
  'devices/failed-starts': 108,
  'devices/two-serials': 100,
  'devices/failures': 87,
  'accept-command': 83,
  'server/stopping': 73,
  'cli/rotate-authority': 72,
  'host-agent/src/main': 70,
  'src/idle': 68,
  'packages/control-plane-package': 67,
  'webhooks/deliver': 66,
  'packages/agent-package': 62,
  'wiping/obstacles': 58,
  'hosts/refusing': 56,
  'host-agent/src/recordings/recordings': 53,
  'http/saturated': 51,
  'console/attacks': 51,
  'jobs/care-for-device': 50,
  'supervision/rescue': 48,
  'host-agent/src/live/live': 47,
  'jobs/recovery': 46,
  'nats-away': 44,
  'custody/restored-records': 43,
  'hosts/reach': 41,
  'console/matrix': 38,
  'hosts/clocks': 35,
  'routes/console/console': 35,
  'queue/lost-jobs': 34,
  'routes/hostile-text': 34,
  'clients/appium-driver': 34,
  'hosts/restored': 33,
  'backup/backup': 32,
  'postgres/owner': 31,
  'custody/second-tenant': 31,
  'webhooks/webhooks': 31,
  'postgres/postgres': 30,
  'apk/read-apk': 29,
  'next/next': 29,
  'packages/client-packages': 28,
  'host-agent/src/agent': 26,
  'control-plane/src/recordings/recordings': 24,
  'wiping/wipe': 24,
  'doctor-phones': 24,
  'hosts/move': 23,
  'actions/typing-on-a-phone': 22,
  'uploads/uploads': 22,
  'capture/hub': 21,
  'hosts/fuzz': 21,
  'generated/src/generated': 21,
  'operator/drain': 20,
  'providers-attacks': 20,
  'hosts/connection-check': 19,
  'deploy/network': 19,
  'uploads/limits': 18,
  'setup/setup': 18,
  'recordings/room': 18,
  'control-plane/src/live/live': 18,
  'live/cost-of-links': 18,
}

const secondsOf = ({ moduleId }: TestSpecification): number =>
  Object.entries(long).find(([name]) => moduleId.endsWith(`/${name}.test.ts`))?.[1] ?? 0

/** Seconds of each other file. */
const short = 4

/**
 * The long files come between the others, the longest first, so that both are used up at the same rate of time: when all
 * workers wait at the same moment, the machine does nothing, and when a long file comes last, it runs alone.
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
  const longest = files.filter((file) => secondsOf(file) > 0).sort((a, b) => secondsOf(b) - secondsOf(a))
  const others = files.filter((file) => secondsOf(file) === 0)
  const ofLong = longest.reduce((sum, file) => sum + secondsOf(file), 0)
  // No long file is among the last ones.
  const between = (others.length * short * 0.85) / Math.max(ofLong, 1)
  const spreadOut: TestSpecification[] = []
  let before = 0
  for (const file of longest) {
    const until = Math.round((before * between) / short)
    spreadOut.push(...others.splice(0, until - (spreadOut.length - longest.indexOf(file))), file)
    before += secondsOf(file)
  }
  return [...spreadOut, ...others]
}

export default defineConfig({
  test: {
    // Tests wait for half of their time.
    maxWorkers: 5,
    // Tests of one file that run at the same time: some start a control plane each, all in the process of the file.
    maxConcurrency: 3,
    sequence: { sequencer: Spread },
    projects: projects.map((name) => ({
      test: {
        name,
        root: name,
        include: ['src/**/*.test.ts'],
        // A test that stalls fails by these; no test measures time by them. Nothing is retried (docs/decisions/0181).
        testTimeout: 300_000,
        hookTimeout: 300_000,
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
