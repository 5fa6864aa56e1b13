/** Tests the choice that `./scripts/test --changed` makes. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { changeIn, dependentsOf, packages, planOf } from '../../scripts/lib/changed.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const plan = (...files: string[]) => planOf(files, dependentsOf(root))

it('runs the tests related to a changed module, all tests of each package that imports it, and the main path', () => {
  const { whole, related, e2e } = plan('launcher/src/processes.ts')
  expect(related).toEqual(['launcher'])
  expect(whole).toEqual([
    ...['control-plane', 'host-agent', 'clients/generated', 'clients/typescript'],
    ...['clients/cli', 'site', 'bench', 'chaos'],
  ])
  expect(e2e).toEqual(['first-path', 'lifecycle', 'launcher'])
})

it('runs only a changed test', () => {
  expect(plan('control-plane/src/app.test.ts', 'e2e/src/live.test.ts')).toEqual({
    everything: false,
    whole: [],
    related: ['control-plane'],
    e2e: ['live.test.ts'],
    python: false,
  })
})

it('runs a whole package when a file changes that no module imports', () => {
  expect(plan('control-plane/prisma/migrations/1_a/migration.sql').whole[0]).toBe('control-plane')
})

it('runs the command line when the SDK below it changes, under the names of their packages', () => {
  expect(plan('clients/typescript/src/phone.ts')).toMatchObject({
    whole: ['clients/cli', 'site', 'bench', 'chaos'],
    related: ['clients/typescript'],
    python: false,
    e2e: ['first-path', 'lifecycle', 'sdk', 'src/cli.test'],
  })
  expect(plan('clients/cli/src/main.ts').e2e).toEqual(['first-path', 'lifecycle', 'src/cli.test'])
})

it('compiles the generated client when its fixture or the API changes', () => {
  expect(plan('clients/generated/fixture/client.ts')).toMatchObject({
    whole: ['clients/generated'],
    related: [],
    e2e: ['first-path', 'lifecycle'],
  })
  expect(plan('control-plane/src/app/app.ts').whole).toContain('clients/generated')
  expect(plan('clients/generated/src/generated.test.ts')).toMatchObject({
    whole: [],
    related: ['clients/generated'],
    e2e: [],
  })
})

it('runs the examples and builds their pages when an example changes', () => {
  expect(plan('examples/mastra/agent.mts')).toMatchObject({
    whole: ['site'],
    related: [],
    e2e: ['src/examples'],
    python: false,
  })
})

it('checks the Python SDK when it or the API changes', () => {
  expect(plan('clients/python/src/phonerack/errors.py')).toMatchObject({
    whole: ['shared'],
    related: [],
    e2e: [],
    python: true,
  })
  expect(plan('clients/contract/action-errors.json')).toMatchObject({
    whole: ['clients/typescript'],
    related: [],
    e2e: [],
    python: true,
  })
  expect(plan('control-plane/src/app/app.ts').python).toBe(true)
  expect(plan('host-agent/src/main.ts').python).toBe(false)
})

it('runs the tests that read documents when a document changes', () => {
  expect(plan('docs/operations.md')).toMatchObject({ whole: ['shared'], related: [], e2e: [] })
})

it('runs everything when the build changes', () => {
  expect(plan('package-lock.json')).toMatchObject({ everything: true, whole: packages, python: true })
})

it('names end-to-end tests that exist, for every package', () => {
  const there = readdirSync(`${root}/e2e/src`, { recursive: true }).map((file) => `src/${String(file)}`)
  for (const folder of packages)
    for (const name of plan(`${folder}/src/a.ts`).e2e)
      expect(
        there.filter((file) => file.includes(name) && file.endsWith('.test.ts')),
        name,
      ).not.toEqual([])
})

it('lists new files, and no deleted end-to-end test', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'phonerack-changed-'))
  // Independent of the user's configuration.
  const settings = ['name=t', 'email=t@example.com']
    .map((each) => `user.${each}`)
    .concat('commit.gpgsign=false', 'core.hooksPath=/dev/null')
    .flatMap((each) => ['-c', each])
  const git = (...args: string[]) => execFileSync('git', [...settings, ...args], { cwd: dir })
  try {
    mkdirSync(path.join(dir, 'e2e/src'), { recursive: true })
    const deleted = path.join(dir, 'e2e/src/gone.test.ts')
    writeFileSync(deleted, '')
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-q', '-m', 'x')
    rmSync(deleted)
    writeFileSync(path.join(dir, 'e2e/src/new.test.ts'), '')
    expect(changeIn(dir)).toMatchObject({ main: 'main', files: ['e2e/src/new.test.ts'] })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
