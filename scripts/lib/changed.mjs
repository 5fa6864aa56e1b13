// Picks the tests that a change can touch, for `./scripts/test --changed`. This is plain JavaScript, like its
// caller checks.mjs.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Packages with unit tests, by folder. Each is two projects of vitest.config.ts. */
export const packages = [
  'proto',
  'shared',
  'control-plane',
  'host-agent',
  'virtual-phone',
  'launcher',
  'clients/ctl',
  'clients/generated',
  'clients/typescript',
  'clients/cli',
  'site',
  'console',
  'bench',
  'chaos',
]

/** Tables that the tests of both SDKs read. */
const ofBothSdks = /^clients\/contract\//

/**
 * Files that the checks of the Python SDK read: the SDK's own files, the files that both SDKs read, and the
 * files that generate the API's document.
 */
const ofPython = /^clients\/(python|contract)\/|^control-plane\/(?!.*\.test\.ts$)/

/** End-to-end tests that a change of a package runs, as parts of file names. The main path is always among them. */
const mainPath = ['first-path', 'lifecycle']
const endToEnd = {
  proto: ['conformance/actions-fast'],
  shared: ['conformance/actions-fast'],
  'control-plane': ['create', 'contract', 'live'],
  'host-agent': ['conformance/'],
  'virtual-phone': ['conformance/'],
  launcher: ['launcher'],
  'clients/ctl': ['configured/ctl'],
  'clients/generated': [],
  // The names include the folder, since `cli` also matches `clients`.
  'clients/typescript': ['sdk', 'src/cli.test'],
  'clients/cli': ['src/cli.test'],
  site: ['docs-guide', 'docs-site'],
  console: ['console'],
  bench: [],
  chaos: [],
}

/** Files that change how everything is built or run. */
const everywhere =
  /^(package(-lock)?\.json|turbo\.json|tsconfig[^/]*\.json|vitest\.config\.ts|scripts\/lib\/prepare\.sh)$/

/** The packages that import each package, directly or indirectly, by folder. */
export function dependentsOf(root) {
  const manifests = packages.map((folder) => [
    folder,
    JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')),
  ])
  const names = new Map(manifests.map(([folder, { name }]) => [name, folder]))
  const imports = new Map(
    manifests.map(([folder, { dependencies = {}, devDependencies = {} }]) => {
      const all = Object.keys({ ...dependencies, ...devDependencies })
      return [folder, all.flatMap((name) => names.get(name) ?? [])]
    }),
  )
  const dependents = (folder, seen = new Set()) => {
    for (const [other, imported] of imports)
      if (imported.includes(folder) && !seen.has(other)) dependents(other, seen.add(other))
    return seen
  }
  return new Map(packages.map((folder) => [folder, [...dependents(folder)]]))
}

/**
 * `whole`: packages whose tests all run. `related`: packages of which vitest picks the tests that import a
 * changed file. `e2e`: parts of names of end-to-end tests. `python`: whether the checks of the Python SDK
 * run. `everything`: all tests run.
 */
export function planOf(files, dependents) {
  const whole = new Set()
  const related = new Set()
  const e2e = new Set()
  for (const file of files) {
    if (everywhere.test(file))
      return { everything: true, whole: packages, related: [], e2e: [], python: true }
    if (file.startsWith('e2e/')) {
      if (file.endsWith('.test.ts')) e2e.add(file.slice('e2e/src/'.length))
      else mainPath.forEach((name) => e2e.add(name))
      continue
    }
    const folder = packages.find((each) => file.startsWith(`${each}/`))
    if (folder === undefined) {
      if (ofBothSdks.test(file)) whole.add('clients/typescript')
      else if (file.startsWith('examples/')) {
        whole.add('site')
        e2e.add('src/examples')
      }
      // Tests in shared/ read the documents and the scripts.
      else whole.add('shared')
      continue
    }
    // vitest follows imports only, and a test can compile a module outside `src` without importing it.
    if (file.startsWith(`${folder}/src/`) && /\.(ts|tsx|mts)$/.test(file)) related.add(folder)
    else whole.add(folder)
    if (file.endsWith('.test.ts')) continue
    for (const dependent of dependents.get(folder) ?? []) whole.add(dependent)
    for (const name of [...mainPath, ...endToEnd[folder]]) e2e.add(name)
  }
  return {
    everything: false,
    whole: packages.filter((each) => whole.has(each)),
    related: packages.filter((each) => related.has(each) && !whole.has(each)),
    e2e: [...e2e],
    python: files.some((file) => ofPython.test(file)),
  }
}

/**
 * The commit that the change is compared with, and the changed files, including new files and without deleted
 * end-to-end tests.
 */
export function changeIn(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const known = (ref) => {
    try {
      return git('rev-parse', '--verify', '--quiet', ref) !== ''
    } catch {
      return false
    }
  }
  const main = known('origin/main') ? 'origin/main' : 'main'
  const base = git('merge-base', 'HEAD', main)
  const listed = `${git('diff', '--name-only', base)}\n${git('ls-files', '--others', '--exclude-standard')}`
  // vitest fails for a name without a matching file.
  const isDeletedTest = (file) => /^e2e\/.*\.test\.ts$/.test(file) && !existsSync(path.join(root, file))
  return { main, base, files: listed.split('\n').filter((line) => line !== '' && !isDeletedTest(line)) }
}
