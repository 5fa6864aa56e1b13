import { defineConfig } from 'vitest/config'

/**
 * The gate is `e2e`: every `x.test.ts`, on one system. Each folder of long tests, `x.long.test.ts`, has its
 * own systems: a system with more settings (`src/configured`), a system whose parts the tests kill
 * (`src/breakable`), a system with two control planes (`src/replicas`), or systems that the files start
 * (`src/own`). The other long tests share two systems.
 */
const folders = ['configured', 'breakable', 'replicas', 'own']
const long = (folder: string) => `src/${folder}/**/*.long.test.ts`
const projects = [
  { name: 'e2e', include: ['src/**/*.test.ts'], exclude: [long('**')], setup: 'gate' },
  { name: 'e2e-long', include: [long('**')], exclude: folders.map(long), setup: 'shared' },
  ...folders.map((folder) => ({
    name: `e2e-long-${folder}`,
    include: [long(folder)],
    exclude: [],
    setup: folder,
  })),
]

/**
 * The number of concurrent test files. Files of the first three projects change state that other files read,
 * such as the settings of all projects, or kill parts. Unit tests run at the same time as the gate's
 * end-to-end tests.
 */
const workers: Record<string, number> = { configured: 1, breakable: 1, replicas: 1, gate: 2 }

export default defineConfig({
  test: {
    projects: projects.map(({ name, include, exclude, setup }, groupOrder) => ({
      test: {
        name,
        root: import.meta.dirname,
        include,
        exclude,
        globalSetup: [`src/setups/${setup}.ts`],
        setupFiles: ['../scripts/lib/seed.mjs', 'src/setups/when-failing.ts'],
        testTimeout: 480_000,
        hookTimeout: 480_000,
        retry: 0,
        pool: 'forks' as const,
        // Files share no state. Loading the modules for each file took a tenth of the processor time.
        isolate: false,
        // With more than 4 workers, two cores are no busier, and each test waits longer.
        maxWorkers: workers[setup] ?? 4,
        // Projects with different numbers of workers run one after another.
        sequence: { groupOrder },
      },
    })),
  },
})
