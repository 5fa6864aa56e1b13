/** Programs as another machine gets them: from the Debian packages of this checkout, without its files. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildPackage, ensureScrcpyServer, packageNamed } from '@phonerack/launcher/packages'
import { root } from './system.js'

const run = promisify(execFile)

/** The paths of several commands, as `unpackProgram` returns them. */
export async function unpackPrograms<N extends readonly string[]>(
  names: readonly [...N],
  dir: string,
): Promise<{ [I in keyof N]: string }>
export async function unpackPrograms(names: readonly string[], dir: string): Promise<string[]> {
  const commands: string[] = []
  // One after the other: a build sets the umask of this process.
  for (const name of names) commands.push(await unpackProgram(name, dir))
  return commands
}

/** Builds the package and unpacks it below `dir`. Returns the command's path. @throws Error without dpkg-deb */
async function unpackProgram(name: string, dir: string): Promise<string> {
  const spec = packageNamed(name)
  const scrcpyServer = spec.hasScrcpyServer ? await ensureScrcpyServer(root, (text) => raise(text)) : null
  const out = path.join(dir, 'packages')
  const [deb = ''] = await buildPackage(spec, {
    ...{ root, out, scrcpyServer, compression: 'none', hasTarball: false },
  })
  const unpacked = path.join(dir, name)
  await run('dpkg-deb', ['-x', deb, unpacked], { timeout: 60_000 })
  return path.join(unpacked, 'usr', 'lib', name, 'dist', 'cli.js')
}

function raise(text: string): never {
  throw new Error(`scrcpy server: ${text}`)
}
