/**
 * The modules that a workspace loads in production, as npm has installed them: dependencies, optional dependencies
 * that fit this machine, and required peers, recursively.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

const ranges = z.record(z.string(), z.string()).default({})
const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  dependencies: ranges,
  optionalDependencies: ranges,
  peerDependencies: ranges,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() })).default({}),
})
export type Manifest = z.infer<typeof manifestSchema>

export interface Module {
  manifest: Manifest
  /** Absolute, without symbolic links. */
  dir: string
  /** The module's folder in the package: `node_modules/…`, `dist/node_modules/…`. */
  target: string
  /** A workspace of this repository. */
  isOurs: boolean
}

/** @throws Error when the file is missing or is not a manifest */
export const readManifest = (dir: string): Manifest =>
  manifestSchema.parse(JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')))

/**
 * @param root the checkout, with installed modules
 * @param leaves modules whose dependencies are not needed
 * @throws Error when a required module is missing
 */
export function productionModules(root: string, workspace: string, leaves: ReadonlySet<string>): Module[] {
  const own = path.join(root, workspace)
  const found = new Map<string, Module>()
  const targets = new Map<string, string>([[own, 'dist']])
  const waiting = [{ dir: own, manifest: readManifest(own) }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of neededBy(next.manifest)) {
      const place = find(root, next.dir, name)
      if (place === null) {
        if (isOptional(next.manifest, name)) continue
        throw new Error(`${next.manifest.name} needs ${name}, which is not installed: run npm ci`)
      }
      const dir = realpathSync(place)
      if (found.has(dir) || dir === own) continue
      const module = { manifest: readManifest(dir), dir, ...placeOf(root, place, dir, targets) }
      found.set(dir, module)
      if (module.isOurs) targets.set(dir, module.target)
      if (!leaves.has(name)) waiting.push(module)
    }
  }
  return [...found.values()].sort((a, b) => (a.target < b.target ? -1 : 1))
}

/** Type declarations are never loaded, although some modules depend on them. */
const neededBy = ({
  dependencies,
  optionalDependencies,
  peerDependencies,
  ...manifest
}: Manifest): string[] => {
  const peers = Object.keys(peerDependencies).filter(
    (name) => manifest.peerDependenciesMeta[name]?.optional !== true,
  )
  const names = [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers]
  return [...new Set(names)].filter((name) => !name.startsWith('@types/'))
}

const isOptional = ({ optionalDependencies }: Manifest, name: string): boolean =>
  Object.hasOwn(optionalDependencies, name)

/** Resolves a module like Node.js, up to the root of the checkout. */
function find(root: string, from: string, name: string): string | null {
  for (let dir = from; ; dir = path.dirname(dir)) {
    const candidate = path.join(dir, 'node_modules', name)
    if (existsSync(path.join(candidate, 'package.json'))) return candidate
    if (dir === root || dir === path.dirname(dir)) return null
  }
}

/**
 * Modules of the workspace itself belong below `dist`, where its code finds them before the shared modules.
 * @param targets the folders of the workspaces found so far
 */
function placeOf(
  root: string,
  place: string,
  dir: string,
  targets: ReadonlyMap<string, string>,
): Pick<Module, 'target' | 'isOurs'> {
  const isOurs = dir !== place
  for (const [workspace, target] of targets)
    if (!isOurs && dir.startsWith(`${workspace}${path.sep}`))
      return { target: path.join(target, path.relative(workspace, dir)), isOurs }
  return { target: path.relative(root, place), isOurs }
}
