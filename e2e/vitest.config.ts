import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Longest first, so that no long one runs alone at the end; those that mostly wait between others, so that not all wait at the same moment. */
const first = [
  'chaos/run',
  'chaos/host-agent',
  'ctl',
  'lifecycle',
  'racks',
  'quarantine',
  'events',
  'conformance/hanging',
  'client-kills',
  'restore.test',
  'chaos/stores',
  'contract/contract',
  'conformance/recordings',
  'recording-soak',
  'conformance/actions-bare',
  'conformance/restart',
  'two-control-planes',
  'conformance/actions-fast',
  'live',
  'restore-dump',
  'dialled',
  'conformance/screen',
  'launcher',
  'readme',
  'sdk-cut',
  'python-cut',
  'conformance/installs-device',
  'create',
  'chaos/parts/brokers',
  'tasks/',
  'join',
  'conformance/batches',
  'handoff',
  'console',
  'cli',
  'tracing',
  'first-path',
  'synthetic/',
  'chaos/guard',
]

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = first.findIndex((name) => moduleId.includes(`/e2e/src/${name}`))
      return found < 0 ? first.length : found
    }
    return Promise.resolve(
      [...files].sort((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId)),
    )
  }
}

export default defineConfig({
  test: {
    name: 'e2e',
    root: import.meta.dirname,
    include: ['src/**/*.test.ts'],
    globalSetup: ['src/system/global-setup.ts'],
    setupFiles: ['src/system/when-failing.ts'],
    testTimeout: 480_000,
    // Listed by scripts/lib/checks.mjs (docs/decisions/0181).
    retry: { count: 1, delay: 3000 },
    hookTimeout: 480_000,
    pool: 'forks',
    // More keep two cores no busier, and only make each test wait longer.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
})
