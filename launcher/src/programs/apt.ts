/** Installs Debian packages when this process is root and the system has apt. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { findProgram } from './path.js'

const run = promisify(execFile)

export const canAptInstall = (): boolean => process.getuid?.() === 0 && findProgram('apt-get') !== null

/**
 * Refreshes the package lists only when the packages are unknown.
 * @throws Error with the last line of apt-get's output.
 */
export async function aptInstall(packages: readonly string[]): Promise<void> {
  try {
    await apt(['install', '-y', '--no-install-recommends', ...packages])
  } catch (error) {
    if (!(error instanceof AptError)) throw error
    await apt(['update'])
    await apt(['install', '-y', '--no-install-recommends', ...packages])
  }
}

class AptError extends Error {}

/** Variables that apt and package scripts need; none of our secrets. */
function systemEnvironment(): Record<string, string | undefined> {
  const names = [
    'PATH',
    'HOME',
    'LANG',
    'TMPDIR',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'HTTP_PROXY',
    'HTTPS_PROXY',
  ]
  return Object.fromEntries(names.map((name) => [name, process.env[name]]))
}

async function apt(args: string[]): Promise<void> {
  try {
    await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
      env: { ...systemEnvironment(), DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 600_000,
      maxBuffer: 64 << 20,
    })
  } catch (cause) {
    const said =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim().split('\n').at(-1) : ''
    throw new AptError(`apt-get ${args[0]} failed: ${said ?? ''}`, { cause })
  }
}
