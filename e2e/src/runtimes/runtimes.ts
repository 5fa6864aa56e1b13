/** The runtimes of `./scripts/runtimes`, and the sources of their programs. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Runtime {
  name: string
  version: string
  program: string
  /** The arguments that run a file, for a service on `host`. */
  args: (file: string, host: string) => string[]
  /** The extension of the program that it runs. */
  extension: '.mjs' | '.ts'
}

/** A program from npm, for this machine. */
interface Packaged {
  /** The package. In capitals, its name is the variable that names another program. */
  name: 'deno' | 'bun'
  version: string
  /** Returns the folder with the package for this machine, and the program in it. */
  scope: string
  file: string
}
const deno: Packaged = { name: 'deno', version: '2.9.6', scope: '@deno', file: 'deno' }
const bun: Packaged = { name: 'bun', version: '1.4.5', scope: '@oven', file: 'bin/bun' }

/**
 * Returns the runtimes in the order of the report.
 * @throws for a runtime that is not available
 */
export const runtimes: Readonly<Record<string, () => Promise<Runtime>>> = {
  'Node.js': () =>
    Promise.resolve({
      name: 'Node.js',
      version: process.versions.node,
      program: process.execPath,
      extension: '.mjs',
      args: (file: string) => [file],
    }),
  Deno: async () => {
    const program = await programOf(deno)
    const { stdout } = await run(program, ['--version'])
    return {
      name: 'Deno',
      version: /^deno (\S+)/.exec(stdout)?.[1] ?? stdout.trim(),
      program,
      extension: '.ts',
      // The README lists these permissions.
      args: (file, host) => [
        ...['run', '--no-prompt', `--allow-net=${host},127.0.0.1`],
        ...['--allow-env=PHONERACK_BASE_URL,PHONERACK_API_KEY', '--allow-read=.', file],
      ],
    }
  },
  Bun: async () => {
    const program = await programOf(bun)
    const { stdout } = await run(program, ['--version'])
    return { name: 'Bun', version: stdout.trim(), program, extension: '.ts', args: (file) => ['run', file] }
  },
}

/**
 * Returns the program that the variable names, such as DENO; otherwise the program of the npm package, which
 * is kept in the user's cache.
 */
async function programOf({ name, version, scope, file }: Packaged): Promise<string> {
  const given = process.env[name.toUpperCase()]
  if (given) return given
  const cache = path.join(
    process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'),
    'phonerack/runtimes',
  )
  const folder = path.join(cache, `${name}-${version}`)
  if (!existsSync(folder)) await install(`${name}@${version}`, folder)
  const scoped = path.join(folder, 'node_modules', scope)
  for (const each of await readdir(scoped)) {
    const program = path.join(scoped, each, file)
    if (await run(program, ['--version']).catch(() => null)) return program
  }
  throw new Error(`${name}@${version} has no program for this machine: set ${name.toUpperCase()}`)
}

/** The package is installed without install scripts, into a new folder. */
async function install(spec: string, folder: string): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true })
  const draft = await mkdtemp(path.join(path.dirname(folder), 'draft-'))
  try {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
    await run('npm', ['install', '--prefix', draft, ...options, spec], { timeout: 240_000 })
    if (!existsSync(folder)) await rename(draft, folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
