/** `./scripts/package`: the main program. Exit codes: 0 built, 1 failed, 2 wrong command line. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  buildClient,
  buildPackage,
  buildWheel,
  clients,
  describePackages,
  packages,
} from './packages/index.js'
import { ensureScrcpyServer, isScrcpyServer } from './up/scrcpy.js'

const wheel = 'wheel'
const names = [...[...clients, ...packages].map(({ name }) => name), wheel]

const usage = `Usage: ./scripts/package [NAME …] [options]

Builds the packages for machines without a checkout: a Debian package and an npm tarball of each
program, with all modules inside, and the packages for authors of agents: npm tarballs of the
TypeScript SDK and of the command line, and the wheel of the Python SDK. For the processor of this
machine; needs dpkg-deb, and Debian's python3-build, python3-setuptools and python3-wheel for the
wheel, which is left out without them. A commit always gives the same packages. It also writes
phonerack.cdx.json, the bill of materials of all modules (CycloneDX), and SHA256SUMS of the folder.

  NAME              ${names.slice(0, 3).join(', ')},
                    ${names.slice(3).join(', ')} (default: all)
  --out DIR         folder of the packages (default: dist/packages in the checkout)
  --without-scrcpy  builds the agent without the scrcpy server, if it cannot be downloaded
  --fast            does not compress the Debian packages
  --help            print this text
`

const root = path.resolve(import.meta.dirname, '..', '..')

class UsageError extends Error {}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      args: process.argv.slice(2),
      allowPositionals: true,
      options: {
        out: { type: 'string', default: path.join(root, 'dist', 'packages') },
        'without-scrcpy': { type: 'boolean', default: false },
        fast: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    const unknown = positionals.find((name) => !names.includes(name))
    if (unknown !== undefined)
      throw new Error(`the package ${unknown} does not exist; there are ${names.join(', ')}`)
    const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name)
    return { ...values, isWanted }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

async function main(): Promise<void> {
  const options = readOptions()
  if (options.help) {
    process.stdout.write(usage)
    return
  }
  const out = path.resolve(options.out)
  for (const spec of clients.filter(({ name }) => options.isWanted(name)))
    say(await buildClient(spec, { root, out }))
  if (options.isWanted(wheel)) {
    const built = await buildWheel({ root, out })
    if ('file' in built) say(built.file)
    else process.stdout.write(`No wheel: install ${built.missing.join(', ')} to build it.\n`)
  }
  const specs = packages.filter(({ name }) => options.isWanted(name))
  const needsScrcpy = specs.some(({ hasScrcpyServer }) => hasScrcpyServer)
  const scrcpyServer = options['without-scrcpy'] || !needsScrcpy ? null : await scrcpy()
  for (const spec of specs) {
    const built = await buildPackage(spec, {
      root,
      out,
      scrcpyServer,
      compression: options.fast ? 'none' : 'xz',
      hasTarball: true,
    })
    built.forEach(say)
  }
  for (const file of describePackages(root, out, scrcpyServer)) say(file)
}

const say = (file: string): void =>
  void process.stdout.write(`${file} (${(statSync(file).size / 1e6).toFixed(1)} MB)\n`)

async function scrcpy(): Promise<string> {
  let remark = ''
  const found = await ensureScrcpyServer(root, (text) => (remark = text))
  if (found !== null && isScrcpyServer(found)) return found
  if (found !== null) throw new Error(`${found} is not the released scrcpy-server-v3.3.3`)
  throw new Error(
    `the scrcpy server is ${remark.replace(/;.*/, '')}: connect this machine to the npm registry, set PHONERACK_SCRCPY_SERVER to the released scrcpy-server-v3.3.3, or pass --without-scrcpy`,
  )
}

try {
  await main()
} catch (error) {
  process.stderr.write(`package: ${error instanceof Error ? error.message : String(error)}\n`)
  if (error instanceof UsageError) process.stderr.write('See ./scripts/package --help\n')
  process.exitCode = error instanceof UsageError ? 2 : 1
}
