/** Writes an npm tarball from a staged package. `npm pack` would omit files of the modules inside. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Milliseconds for `tar`. */
const limit = 300_000

/**
 * @param time the time of all files, in seconds since 1970
 * @returns the path of the tarball
 */
export async function buildTarball(dir: string, name: string, out: string, time: number): Promise<string> {
  const file = path.join(out, `${name}.tgz`)
  const same = [
    '--sort=name',
    '--format=ustar',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--mtime=@${time}`,
  ]
  await run(
    'tar',
    [...same, '--transform=s,^\\.,package,', '--use-compress-program=gzip -n', '-cf', file, '-C', dir, '.'],
    { timeout: limit },
  )
  return file
}
