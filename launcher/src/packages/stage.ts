/** Collects the files of a package in a folder: the compiled program, its modules, their licences. */
import { chmodSync, existsSync } from 'node:fs'
import path from 'node:path'
import type { PackageSpec } from './catalogue.js'
import { copyFile, copyTree, writeJson } from './copy.js'
import { isKept } from './kept-files.js'
import { productionModules, readManifest, type Manifest, type Module } from './modules.js'

export interface Stage {
  version: string
  /** The third-party modules in the package. */
  modules: readonly Module[]
}

/** @param root a checkout that is built @param scrcpyServer null: without it */
export function stagePackage(
  root: string,
  spec: PackageSpec,
  into: string,
  scrcpyServer: string | null,
): Stage {
  const leaves = new Set(Object.keys(spec.files))
  const modules = productionModules(root, spec.workspace, leaves).filter(
    ({ manifest }) => spec.files[manifest.name]?.length !== 0,
  )
  const own = path.join(root, spec.workspace)
  const manifest = readManifest(own)
  copyCompiled(own, into, spec.leftOut)
  copyTree(own, into, (file) => spec.assets.some((each) => each.test(file)))
  for (const [from, folder] of Object.entries(spec.built)) copyBuilt(root, from, path.join(into, folder))
  for (const module of modules) copyModule(module, path.join(into, module.target), spec)
  copyFile(path.join(root, 'LICENSE'), path.join(into, 'LICENSE'))
  if (scrcpyServer !== null) copyFile(scrcpyServer, path.join(into, 'scrcpy-server.jar'))
  writeJson(path.join(into, 'package.json'), ownManifest(spec.name, manifest, modules))
  chmodSync(path.join(into, 'dist', 'cli.js'), 0o755)
  return { version: manifest.version, modules: modules.filter(({ isOurs }) => !isOurs) }
}

function copyBuilt(root: string, from: string, into: string): void {
  const folder = path.join(root, from)
  if (!existsSync(folder)) throw new Error(`${folder} is missing: run npx turbo run build`)
  copyTree(folder, into, () => true)
}

function copyModule({ manifest, dir, isOurs }: Module, into: string, spec: PackageSpec): void {
  const only = spec.files[manifest.name]
  if (isOurs) {
    copyCompiled(dir, into, ['testing'], only)
    const { name, version, license, type, exports } = manifest
    writeJson(path.join(into, 'package.json'), { name, version, license, type, exports })
  } else if (only === undefined) {
    const unused = spec.unused[manifest.name]
    copyTree(dir, into, (file) => isKept(file) && unused?.test(file) !== true)
  } else {
    copyTree(dir, into, (file) => only.some((each) => each.test(file)) || /^licen[cs]e/i.test(file))
    const { name, version, license } = manifest
    writeJson(path.join(into, 'package.json'), { name, version, license })
  }
}

/** Copies compiled files that still have a source. `dist` also contains files of deleted sources. */
function copyCompiled(
  workspace: string,
  into: string,
  leftOut: readonly string[],
  only?: readonly RegExp[],
): void {
  const dist = path.join(workspace, 'dist')
  if (!existsSync(dist)) throw new Error(`${dist} is missing: run npx turbo run build`)
  copyTree(dist, path.join(into, 'dist'), (file) => {
    if (!file.endsWith('.js') || leftOut.includes(file.split('/', 1)[0] ?? '')) return false
    if (only?.some((each) => each.test(file)) === false) return false
    return existsSync(path.join(workspace, 'src', `${file.slice(0, -3)}.ts`))
  })
}

/** All modules are inside the package, so an installation needs no registry. */
function ownManifest(name: string, manifest: Manifest, modules: readonly Module[]): Record<string, unknown> {
  const top = modules.filter(({ target }) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(target))
  const { version, license, type, engines } = manifest
  return {
    name,
    version,
    license,
    type,
    engines,
    bin: { [name]: './dist/cli.js' },
    // Compiled modules are inside the package.
    os: [process.platform],
    cpu: [process.arch],
    dependencies: Object.fromEntries(top.map((each) => [each.manifest.name, each.manifest.version])),
    bundleDependencies: top.map((each) => each.manifest.name),
  }
}
