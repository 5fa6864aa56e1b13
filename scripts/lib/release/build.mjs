// Builds what a release consists of: the packages, their bill of materials, and SHA256SUMS.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { filesIn, hashOf, verifySums, writeSums } from './checksums.mjs'

/** Milliseconds. */
const limits = { packagesMs: 1_800_000, listMs: 120_000 }

export const packagesFolder = (root) => path.join(root, 'dist', 'packages')

/** @throws Error when a package could not be built. `./scripts/package` leaves the wheel out without its tools. */
export async function build(root) {
  const folder = packagesFolder(root)
  // Packages of an earlier version would be published too.
  rmSync(folder, { recursive: true, force: true })
  execFileSync(path.join(root, 'scripts', 'package'), [], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limits.packagesMs,
  })
  if (!filesIn(folder).some((file) => file.endsWith('.whl')))
    throw new Error('the wheel is missing: apt-get install python3-build python3-setuptools python3-wheel')
  writeFileSync(
    path.join(folder, 'phonerack.cdx.json'),
    `${JSON.stringify(await materials(root), null, 2)}\n`,
  )
  writeSums(folder)
  verifySums(folder)
  return `${folder}:\n${readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').trimEnd()}`
}

/**
 * All installed modules in CycloneDX, with the scrcpy server that the agent's package contains. npm marks the modules for
 * developers, and they are kept: the console and the documentation are bundled from some. `--omit dev` would also drop
 * modules that one package ships and another one only tests with, such as zod. Without `--legacy-peer-deps`, npm refuses
 * the peers of vitepress's search.
 */
async function materials(root) {
  const { SOURCE_DATE_EPOCH } = process.env
  const seconds = SOURCE_DATE_EPOCH ?? run(root, 'git', ['log', '-1', '--format=%ct'])
  const list = JSON.parse(run(root, 'npm', ['sbom', '--sbom-format', 'cyclonedx', '--legacy-peer-deps']))
  const { ensureScrcpyServer } = await import(path.join(root, 'launcher', 'dist', 'packages', 'index.js'))
  const server = await ensureScrcpyServer(root, (text) => process.stderr.write(`scrcpy server: ${text}\n`))
  if (server === null) throw new Error('the scrcpy server is missing')
  // A commit always gives the same file.
  delete list.serialNumber
  list.metadata.timestamp = new Date(Number(seconds) * 1000).toISOString()
  list.components.push(scrcpyServer(hashOf(server)))
  return list
}

const scrcpyServer = (content) => ({
  'bom-ref': 'scrcpy-server@3.3.3',
  type: 'file',
  name: 'scrcpy-server',
  version: '3.3.3',
  purl: 'pkg:github/Genymobile/scrcpy@v3.3.3',
  hashes: [{ alg: 'SHA-256', content }],
  licenses: [{ license: { id: 'Apache-2.0' } }],
})

const run = (cwd, command, args) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', timeout: limits.listMs, maxBuffer: 64 << 20 })
