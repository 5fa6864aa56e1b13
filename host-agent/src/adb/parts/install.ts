/** Installs a part on a phone, unless exactly this file is installed. Used by provisioning. */
import type { Progress } from '@phonerack/shared'
import { command } from '../quote.js'
import type { Transport } from '../transport.js'
import { outputOf, run } from '../device/run.js'
import { phoneFolder } from '../device/phone-folder.js'
import { readPart, type Part } from './parts.js'

/** True when the phone has exactly this file as the package's only APK. */
async function isInstalled(transport: Transport, part: Part, progress: Progress): Promise<boolean> {
  const found = await transport.shell(command('pm', 'path', part.package), progress)
  const paths = found.stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('package:'))
  const [only] = paths
  if (only === undefined || paths.length !== 1) return false
  const sum = await transport.shell(command('sha256sum', only.slice('package:'.length).trim()), progress)
  return sum.stdout.toString('utf8').startsWith(part.sha256)
}

/** @throws Error with the phone's message when the phone refuses the part */
export async function installPart(transport: Transport, part: Part, progress: Progress): Promise<void> {
  if (await isInstalled(transport, part, progress)) return
  const path = `${phoneFolder}/${part.package}-${part.sha256.slice(0, 16)}.apk`
  await run(transport, command('mkdir', '-p', phoneFolder), progress)
  await transport.push(path, await readPart(part), 0o644, progress)
  try {
    if (await tryInstall(transport, path, progress)) return
    // Another build is installed, signed by another key or newer.
    await transport.shell(command('pm', 'uninstall', part.package), progress)
    const refusal = await refusalOf(transport, path, progress)
    if (refusal !== null) throw new Error(`${part.package} ${part.version} was refused: ${refusal}`)
  } finally {
    if (!progress.expired) await transport.shell(command('rm', '-f', path), progress)
  }
}

const tryInstall = async (transport: Transport, path: string, progress: Progress): Promise<boolean> =>
  (await refusalOf(transport, path, progress)) === null

async function refusalOf(transport: Transport, path: string, progress: Progress): Promise<string | null> {
  const result = await transport.shell(command('pm', 'install', '-r', '-g', '-t', path), progress)
  const output = outputOf(result)
  return result.exitCode === 0 && /^Success/m.test(output) ? null : output.slice(0, 300)
}
