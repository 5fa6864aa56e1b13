import { defineConfig } from 'vitest/config'
import { packages } from './scripts/lib/changed.mjs'

/** The gate runs `x.test.ts` and the long suite `x.long.test.ts` (e2e/README.md). */
const suites = [
  { suffix: '', include: ['src/**/*.test.ts'], exclude: ['src/**/*.long.test.ts'] },
  { suffix: '-long', include: ['src/**/*.long.test.ts'], exclude: [] },
]

export default defineConfig({
  test: {
    maxWorkers: 4,
    // Tests of one file that run at the same time: some start a control plane each, all in the process of the file.
    maxConcurrency: 3,
    projects: packages.flatMap((folder) =>
      suites.map(({ suffix, include, exclude }) => ({
        test: {
          name: `${folder}${suffix}`,
          root: folder,
          include,
          exclude,
          setupFiles: ['seed', 'native-ed25519'].map(
            (name) => `${import.meta.dirname}/scripts/lib/${name}.mjs`,
          ),
          // A test that stalls fails by these; no test measures time by them.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 100_000 } },
          pool: 'forks' as const,
          // One module graph for all files of a worker: loading it again took a quarter of all time. Tests keep no state in modules.
          isolate: false,
          // One real Postgres, and a broker for each worker.
          ...(folder === 'control-plane' ? { globalSetup: ['src/testing/servers.ts'] } : {}),
        },
      })),
    ),
  },
})
