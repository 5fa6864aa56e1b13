import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Longest first, so that no long one runs alone at the end; those that mostly wait between others, so that not all wait at the same moment. */
const first = [
  'chaos/run',
  'chaos/host-agent',
  'ctl',
  'lifecycle',
  'readme',
  'racks',
  'console.test',
  'create',
  'restore.test',
  'client-kills',
  'chaos/stores',
  'events',
  'quarantine',
  'console-operators',
  'conformance/hanging',
  'console-sign-in',
  'docs-guide',
  'conformance/actions-bare',
  'dialled',
  'conformance/restart',
  'conformance/screen',
  'conformance/recordings',
  'contract/contract',
  'steps-kill',
  'recording-soak',
  'conformance/actions-fast',
  'console-phone',
  'live',
  'restore-dump',
  'cli',
  'launcher',
  'console-money',
  'tracing',
  'docs-site',
  'two-control-planes',
  'steps.test',
  'conformance/batches',
  'synthetic/',
  'conformance/installs-device',
  'tasks/',
  'conformance/targets',
  'join',
  'conformance/reports-device',
  'conformance/files',
  'python-cut',
  'conformance/library-device',
  'first-path',
  'handoff',
  'chaos/parts/brokers',
  'chaos/guard',
  'sdk-cut',
  'mcp',
  'sdk.test',
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
    // Loading the modules for each file took a tenth of the processor time. Files share no state.
    isolate: false,
    // More keep two cores no busier, and only make each test wait longer.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
})
