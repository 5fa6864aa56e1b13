/** The packages for authors of agents, which npm publishes: the TypeScript SDK and the command line. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { buildTime } from './build-time.js'
import { copyFile, copyTree, writeJson } from './copy.js'
import { isKept } from './kept-files.js'
import { productionModules, readManifest, type Module } from './modules.js'
import { buildTarball } from './tarball.js'

export interface ClientSpec {
  /** The first part of the file's name. */
  name: string
  /** The folder of the workspace. */
  workspace: string
}

export const clients: readonly ClientSpec[] = [
  { name: 'phonerack-sdk', workspace: 'clients/typescript' },
  { name: 'phonerack', workspace: 'clients/cli' },
]

const published = z.looseObject({
  version: z.string(),
  files: z.array(z.string()),
  bin: z.record(z.string(), z.string()).default({}),
})

/**
 * Returns the path of the npm tarball. Its modules are inside, so that it installs in an empty folder without a registry.
 * @param root a checkout that is built @throws Error that names what is missing
 */
export async function buildClient(
  { name, workspace }: ClientSpec,
  { root, out }: { root: string; out: string },
): Promise<string> {
  const own = path.join(root, workspace)
  const work = mkdtempSync(path.join(tmpdir(), 'phonerack-package-'))
  const umask = process.umask(0o022)
  try {
    mkdirSync(out, { recursive: true })
    const modules = productionModules(root, workspace, new Set())
    const { version, bin } = copyPublished(own, work, modules)
    for (const module of modules) copyModule(module, path.join(work, module.target))
    for (const program of Object.values(bin)) chmodSync(path.join(work, program), 0o755)
    return await buildTarball(work, `${name}-${version}`, out, buildTime(root, process.env))
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

/** The manifest without what only developers need, and with the modules inside. */
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
