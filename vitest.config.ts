import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Most tests wait for neighbours; by default two cores would get one worker.
    maxWorkers: 3,
    projects: [
      'proto',
      'shared',
      'control-plane',
      'host-agent',
      'virtual-phone',
      'launcher',
      'clients/ctl',
      'clients/generated',
    ].map((name) => ({
      test: {
        name,
        root: name,
        include: ['src/**/*.test.ts'],
        testTimeout: 60_000,
        retry: { count: 1, delay: 1000 },
        hookTimeout: 120_000,
        pool: 'forks' as const,
        // One module graph for all files of a worker: loading it anew took a quarter of all time. Tests keep no state in modules.
        isolate: false,
        // Real Postgres and broker, once a run.
        ...(name === 'control-plane' ? { globalSetup: ['src/testing/neighbours.ts'] } : {}),
      },
    })),
  },
})
