import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that mostly wait, longest first, so that no long one is left for the end. */
const first = [
  'chaos/',
  'recording-soak',
  'conformance/restart',
  'ctl',
  'contract/contract',
  'lifecycle',
  'create',
  'launcher',
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
    testTimeout: 240_000,
    retry: { count: 2, delay: 3000 },
    hookTimeout: 300_000,
    pool: 'forks',
    // Most tests wait.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
})
