/**
 * The packages for authors of agents: the TypeScript SDK and the command line for npm, and the Python SDK as
 * a source distribution for pip. Each control plane serves them at `/packages`, so no registry is needed.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { buildTime } from './build-time.js'
import { copyFile, copyTree, writeJson } from './copy.js'
import { isKept } from './kept-files.js'
import { productionModules, readManifest, type Module } from './modules.js'
import { buildTarball } from './tarball.js'

interface ClientSpec {
  /** The first part of the file's name. */
  name: string
  /** The folder of the workspace. */
  workspace: string
}

export const clients: readonly ClientSpec[] = [
  { name: 'phonerack-sdk', workspace: 'clients/typescript' },
  { name: 'phonerack', workspace: 'clients/cli' },
]

/** The target folder of a package, and the time of all files in it. */
interface ClientBuild {
  root: string
  out: string
  /** Seconds since 1970; omitted: the time of the commit. */
  time?: number
}

const published = z.looseObject({
  version: z.string(),
  files: z.array(z.string()),
  bin: z.record(z.string(), z.string()).default({}),
})

/**
 * Returns the path of the npm tarball. Its modules are inside, so that it installs in an empty folder without a registry.
 * @param root a checkout that is built @throws Error that names what is missing
 */
export async function buildClient({ name, workspace }: ClientSpec, build: ClientBuild): Promise<string> {
  const { root } = build
  return inTarball(name, build, (work) => {
    const modules = productionModules(root, workspace, new Set())
    const { version, bin } = copyPublished(path.join(root, workspace), work, modules)
    for (const module of modules) copyModule(module, path.join(work, module.target))
    for (const program of Object.values(bin)) chmodSync(path.join(work, program), 0o755)
    return version
  })
}

/**
 * Returns the path of a source distribution of the Python SDK, which pip builds. This step needs no Python.
 */
export function buildPythonSource(build: ClientBuild): Promise<string> {
  const own = path.join(build.root, 'clients', 'python')
  return inTarball('phonerack-python', build, (work) => {
    const project = readFileSync(path.join(own, 'pyproject.toml'), 'utf8')
    const version = /^version = "(.+)"$/m.exec(project)?.[1]
    if (version === undefined) throw new Error('clients/python/pyproject.toml has no version')
    for (const file of ['pyproject.toml', 'README.md', 'LICENSE'])
      copyFile(path.join(own, file), path.join(work, file))
    copyTree(path.join(own, 'src'), path.join(work, 'src'), (file) => /\.py$|py\.typed$/.test(file))
    return version
  })
}

/** @param fill writes the content into a new folder, and returns the version */
async function inTarball(
  name: string,
  { root, out, time }: ClientBuild,
  fill: (work: string) => string,
): Promise<string> {
  const work = mkdtempSync(path.join(tmpdir(), 'phonerack-package-'))
  const umask = process.umask(0o022)
  try {
    mkdirSync(out, { recursive: true })
    const version = fill(work)
    return await buildTarball(work, `${name}-${version}`, out, time ?? buildTime(root, process.env))
  } finally {
    process.umask(umask)
    rmSync(work, { recursive: true, force: true })
  }
}

const copyModule = (module: Module, into: string): void =>
  module.isOurs ? void copyPublished(module.dir, into, []) : copyTree(module.dir, into, isKept)

/** The files that npm would publish. */
function copyPublished(workspace: string, into: string, modules: readonly Module[]) {
  const manifest = published.parse(readManifest(workspace))
  for (const file of manifest.files) {
    const from = path.join(workspace, file)
    if (!existsSync(from)) throw new Error(`${from} is missing: run npx turbo run build`)
    if (statSync(from).isDirectory()) copyTree(from, path.join(into, file), () => true)
    else copyFile(from, path.join(into, file))
  }
  writeJson(path.join(into, 'package.json'), manifestWith(manifest, modules))
  return manifest
}

/** The manifest without fields that only developers need, and with the modules inside the package. */
function manifestWith(manifest: z.infer<typeof published>, modules: readonly Module[]) {
  const unused = new Set(['private', 'scripts', 'devDependencies', 'dependencies'])
  const kept = Object.entries(manifest).filter(
    ([field, value]) => !unused.has(field) && !(isObject(value) && Object.keys(value).length === 0),
  )
  const top = modules.filter(({ target }) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(target))
  const inside = {
    dependencies: Object.fromEntries(top.map((each) => [each.manifest.name, each.manifest.version])),
    bundleDependencies: top.map((each) => each.manifest.name),
  }
  return { ...Object.fromEntries(kept), ...(top.length === 0 ? {} : inside) }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
