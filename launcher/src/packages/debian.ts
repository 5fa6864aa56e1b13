/** Writes a Debian package from staged files. `dpkg-deb` writes the archive, and this file its content. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { PackageSpec } from './catalogue.js'
import { copyrightText } from './notices.js'
import type { Stage } from './stage.js'

const run = promisify(execFile)

/** Debian's names of the processors for which the modules are compiled. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Milliseconds for `dpkg-deb`. */
const limit = 300_000

interface DebianOptions {
  /** The checkout. */
  root: string
  spec: PackageSpec
  stage: Stage
  /** The root of the package's files, in which `usr/lib/NAME` is staged. */
  tree: string
  /** The folder in which the package is written. */
  out: string
  /** Seconds since 1970, of all files. */
  time: number
  compression: Compression
}

export type Compression = 'xz' | 'none'

/** Returns the path of the package. @throws Error when dpkg-deb is missing or fails */
export async function buildDebian(options: DebianOptions): Promise<string> {
  const { root, spec, stage, tree, out, time, compression } = options
  const architecture = architectures[process.arch]
  if (architecture === undefined) throw new Error(`Debian packages are not built on ${process.arch}`)
  writeSystemFiles(root, spec, tree)
  writeDocuments(spec, stage, tree, time)
  const files = filesOf(tree)
  const scripts = path.join(root, 'deploy', 'debian', spec.name)
  const control = path.join(tree, 'DEBIAN')
  mkdirSync(control, { mode: 0o755 })
  for (const name of readdirSync(scripts)) {
    const isProgram = !['control', 'conffiles'].includes(name)
    copyWithMode(path.join(scripts, name), path.join(control, name), isProgram ? 0o755 : 0o644)
  }
  const size = files.reduce((sum, file) => sum + Math.ceil(lstatSync(path.join(tree, file)).size / 1024), 0)
  const fields = [`Version: ${stage.version}`, `Architecture: ${architecture}`, `Installed-Size: ${size}`]
  const given = readFileSync(path.join(control, 'control'), 'utf8').trimEnd().split('\n')
  write(path.join(control, 'control'), `${[given[0], ...fields, ...given.slice(1)].join('\n')}\n`)
  write(path.join(control, 'md5sums'), checksums(tree, files))
  const file = path.join(out, `${spec.name}_${stage.version}_${architecture}.deb`)
  await run('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', tree, file], {
    env: { PATH: process.env['PATH'], SOURCE_DATE_EPOCH: String(time) },
    timeout: limit,
  })
  return file
}

function writeSystemFiles(root: string, { name, system }: PackageSpec, tree: string): void {
  for (const [from, to] of Object.entries(system))
    copyWithMode(path.join(root, from), path.join(tree, to), to.startsWith('usr/bin/') ? 0o755 : 0o644)
  const command = path.join(tree, 'usr', 'bin', name)
  mkdirSync(path.dirname(command), { recursive: true, mode: 0o755 })
  if (!existsSync(command)) symlinkSync(`../lib/${name}/dist/cli.js`, command)
}

function writeDocuments(
  { name, hasScrcpyServer }: PackageSpec,
  stage: Stage,
  tree: string,
  time: number,
): void {
  const folder = path.join(tree, 'usr', 'share', 'doc', name)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  write(path.join(folder, 'copyright'), copyrightText(name, stage.modules, hasScrcpyServer))
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000')
  const changes = [
    `${name} (${stage.version}) unstable; urgency=medium`,
    '  * See CHANGELOG.md of Phonerack.',
    ` -- Phonerack maintainers <maintainers@phonerack.invalid>  ${date}`,
  ]
  // The changelog is compressed at level 9 without a time, as by `gzip -9n`.
  writeFileSync(path.join(folder, 'changelog.gz'), gzipSync(`${changes.join('\n\n')}\n`, { level: 9 }), {
    mode: 0o644,
  })
}

/** Files and links below the folder, sorted. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()

const checksums = (tree: string, files: readonly string[]): string =>
  files
    .filter((file) => !file.startsWith('etc/') && lstatSync(path.join(tree, file)).isFile())
    .map(
      (file) =>
        `${createHash('md5')
          .update(readFileSync(path.join(tree, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('')

function copyWithMode(from: string, to: string, mode: number): void {
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o755 })
  copyFileSync(from, to)
  chmodSync(to, mode)
}

const write = (file: string, text: string): void => writeFileSync(file, text, { mode: 0o644 })
