/** Builds the packages of `./scripts/package`; the end-to-end tests run programs from them. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildTime } from './build-time.js'
import { packages, type PackageSpec } from './catalogue.js'
import { buildDebian, type Compression } from './debian.js'
import { stagePackage } from './stage.js'
import { buildTarball } from './tarball.js'

export { packages } from './catalogue.js'
export { buildClient, buildPythonSource, clients } from './clients.js'
export { describePackages } from './materials.js'
export { buildWheel } from './wheel.js'
export type { PackageSpec } from './catalogue.js'
export { ensureScrcpyServer } from '../up/scrcpy.js'

interface BuildOptions {
  /** The checkout, built and with installed modules. */
  root: string
  /** Folder of the packages. */
  out: string
  /** The scrcpy server 3.3.3; null: a package without it. */
  scrcpyServer: string | null
  compression: Compression
  /** Whether to build the npm tarball too. */
  hasTarball: boolean
}

/** Returns the paths of the packages: the Debian package first. @throws Error that names what is missing */
export async function buildPackage(spec: PackageSpec, options: BuildOptions): Promise<string[]> {
  const { root, out, scrcpyServer, compression, hasTarball } = options
  const time = buildTime(root, process.env)
  const work = mkdtempSync(path.join(tmpdir(), 'phonerack-package-'))
  // The modes of files and folders in a package do not depend on the umask of the person who builds it.
  const umask = process.umask(0o022)
  try {
    const tree = path.join(work, 'tree')
    const dir = path.join(tree, 'usr', 'lib', spec.name)
    mkdirSync(out, { recursive: true })
    mkdirSync(dir, { recursive: true, mode: 0o755 })
    const stage = stagePackage(root, spec, dir, spec.hasScrcpyServer ? scrcpyServer : null)
    const tarball = hasTarball ? await buildTarball(dir, `${spec.name}-${stage.version}`, out, time) : null
    const debian = await buildDebian({ root, spec, stage, tree, out, time, compression })
    return tarball === null ? [debian] : [debian, tarball]
  } finally {
    process.umask(umask)
    rmSync(work, { recursive: true, force: true })
  }
}

/** @throws Error with the known names */
export function packageNamed(name: string): PackageSpec {
  const found = packages.find((each) => each.name === name)
  if (found === undefined)
    throw new Error(
      `the package ${name} does not exist; there are ${packages.map((each) => each.name).join(', ')}`,
    )
  return found
}
