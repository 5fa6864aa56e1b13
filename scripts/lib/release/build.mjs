// Builds what a release consists of: all packages, with their bill of materials and SHA256SUMS.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { filesIn, verifySums } from './checksums.mjs'

/** Milliseconds. */
const limit = 1_800_000

export const packagesFolder = (root) => path.join(root, 'dist', 'packages')

/**
 * @throws Error when a package could not be built. `./scripts/package` omits the wheel when its tools are
 * missing.
 */
export function build(root) {
  const folder = packagesFolder(root)
  // Packages of an earlier version would otherwise be published too.
  rmSync(folder, { recursive: true, force: true })
  execFileSync(path.join(root, 'scripts', 'package'), [], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limit,
  })
  if (!filesIn(folder).some((file) => file.endsWith('.whl')))
    throw new Error('the wheel is missing: apt-get install python3-build python3-setuptools python3-wheel')
  verifySums(folder)
  return `${folder}:\n${readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').trimEnd()}`
}
