/**
 * Programs as they run on another machine: from the Debian packages of this checkout, without its files. A
 * run of tests builds each package once.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildPackage, ensureScrcpyServer, packageNamed } from '@phonerack/launcher/packages'
import { inject } from 'vitest'
import { root } from './system.js'

const run = promisify(execFile)

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the packages that this run has built. */
    packages: string
  }
}

/** The paths of several commands, as `unpackProgram` returns them. */
export async function unpackPrograms<N extends readonly string[]>(
  names: readonly [...N],
  dir: string,
): Promise<{ [I in keyof N]: string }>
export async function unpackPrograms(names: readonly string[], dir: string): Promise<string[]> {
  const commands: string[] = []
  for (const name of names) commands.push(await unpackProgram(name, dir))
  return commands
}

/**
 * Unpacks the package into a folder in `dir`. Returns the command's path.
 * @throws Error without dpkg-deb
 */
async function unpackProgram(name: string, dir: string): Promise<string> {
  const unpacked = path.join(dir, name)
  await run('dpkg-deb', ['-x', await packageOf(name), unpacked], { timeout: 150_000 })
  return path.join(unpacked, 'usr', 'lib', name, 'dist', 'cli.js')
}

/** Returns the path of the Debian package. One test file builds it, and the other files wait. */
export async function packageOf(name: string): Promise<string> {
  const dir = path.join(inject('packages'), name)
  const built = path.join(dir, 'built')
  for (;;) {
    if (existsSync(built)) return readFileSync(built, 'utf8')
    const lock = `${dir}.lock`
    const isOurs = await mkdir(lock).then(
      () => true,
      () => false,
    )
    if (isOurs) {
      try {
        if (existsSync(built)) continue
        const deb = await build(name, dir)
        await writeFile(`${built}.part`, deb)
        await rename(`${built}.part`, built)
        return deb
      } finally {
        await rm(lock, { recursive: true })
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function build(name: string, out: string): Promise<string> {
  const spec = packageNamed(name)
  const scrcpyServer = spec.hasScrcpyServer ? await ensureScrcpyServer(root, (text) => raise(text)) : null
  const [deb = ''] = await buildPackage(spec, {
    root,
    out,
    scrcpyServer,
    compression: 'none',
    hasTarball: false,
  })
  return deb
}

function raise(text: string): never {
  throw new Error(`scrcpy server: ${text}`)
}
