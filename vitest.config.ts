import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Three keep two cores busy; five took as long, with twice the time of imports.
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
